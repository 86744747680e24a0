"""What tests get: the project, environment by environment."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sizewell.config import environment_names
from sizewell.pytest_plugin.app import SynthFailedError
from sizewell.pytest_plugin.canonical import Template, snapshot_of_plan, snapshot_of_stack
from sizewell.pytest_plugin.files import SnapshotFiles
from sizewell.review.saved.errors import SavedOutputError
from sizewell.review.saved.output import Assembly
from sizewell.review.saved.reading import OutputReader


class Project:
    """The environments of a project; each is synthesized when it is asked for, once."""

    def __init__(self, config: Path, assembly: Callable[[str], Path], files: SnapshotFiles) -> None:
        self._config = config
        self._assembly = assembly
        self._files = files
        self._reader = OutputReader()
        self._read: dict[str, Assembly] = {}
        self._failed: dict[str, Exception] = {}
        self._templates: dict[str, dict[str, Template]] = {}

    @property
    def environments(self) -> tuple[str, ...]:
        """The names of the environments in the configuration, sorted."""
        return environment_names(self._config)

    def synthesize(self, environment: str) -> Mapping[str, Template]:
        """Return the canonical template of each stack of an environment, by stack name; nested stacks too.

        Raises ``SynthFailedError`` with what the app printed when it failed, and ``SavedOutputError`` when what it wrote
        cannot be read.
        """
        __tracebackhide__ = True
        if environment not in self._templates:
            stacks = self._saved(environment).stacks
            self._templates[environment] = {name: snapshot_of_stack(stack) for name, stack in stacks.items()}
        return self._templates[environment]

    def stack(self, environment: str, name: str) -> Template:
        """Return the canonical template of one stack."""
        __tracebackhide__ = True
        templates = self.synthesize(environment)
        if name not in templates:
            names = ", ".join(templates)
            raise LookupError(f'there is no stack "{name}" in {environment}; there are: {names}')
        return templates[name]

    def plan(self, environment: str) -> Mapping[str, Mapping[str, Any]]:
        """Return the instance types, counts and bounds of each workload, by name.

        Raises ``LookupError`` when the app writes no plan that can be read.
        """
        __tracebackhide__ = True
        saved = self._saved(environment)
        if saved.plan is None:
            raise LookupError("\n".join(saved.notes) or f"the app writes no plan.json for {environment}")
        return snapshot_of_plan(saved.plan)

    def check(self, name: str, data: object) -> None:
        """Compare data with the snapshot of a name: for projects without a snapshot plugin of their own.

        ``pytest --sizewell-update`` accepts the data.
        """
        __tracebackhide__ = True
        self._files.check(name, data)

    def _saved(self, environment: str) -> Assembly:
        __tracebackhide__ = True
        if environment in self._failed:
            raise self._failed[environment]
        if environment not in self._read:
            try:
                self._read[environment] = self._reader.read_assembly(self._assembly(environment), environment)
            except (SavedOutputError, SynthFailedError) as error:
                # What failed once fails again, seconds later.
                self._failed[environment] = error
                raise
        return self._read[environment]

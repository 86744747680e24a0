"""One side of a comparison: a ref or the work tree, synthesized by the CDK CLI."""

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from sizewell.facts.environment_files import environment_names
from sizewell.synthesis.cache import OutputCache, output_key
from sizewell.synthesis.environments import (
    PLACE,
    InstallationError,
    Requirements,
    programs_of,
    read_requirements,
)
from sizewell.synthesis.errors import SynthesisError
from sizewell.synthesis.git import Tree, open_tree
from sizewell.synthesis.installed import installed_packages
from sizewell.synthesis.processes import run, search_path, termination_as_exit, variables

#: What the side is called whose files are those on the disk.
WORK_TREE = "worktree"
#: The only output of an app without a configuration directory.
UNNAMED = "app"
#: Where the CDK CLI, Node.js and Python of this environment are: they come first on PATH.
TOOLS = Path(sys.executable).parent
DEFAULT_CONFIG = "config"
SYNTH = ("cdk", "synth", "--quiet", "--no-notices")
#: PYTHONSAFEPATH would hide the modules beside app.py, and find those of the installed project instead.
_NOT_FOR_SYNTH = ("PYTHONSAFEPATH", "FORCE_COLOR", "CLICOLOR_FORCE", "GIT_")
#: The last line of the CDK CLI, which names its subprocess: nothing that the reader could mend.
_EXITED = re.compile(r"\n?[^\n]*: Subprocess exited with error \d+$")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")

#: So many packages stand in a note.
_MAX_NAMED = 3

#: Takes the beginning of a line, then its end.
Progress = Callable[[str], None]


@dataclass(frozen=True)
class SynthesizedSide:
    """The outputs of a side, and what did not become one."""

    label: str
    """The ref, or ``worktree``."""
    directory: Path | None
    """With one ``cdk.out`` for each environment, by name; None where nothing was synthesized."""
    errors: Mapping[str, str]
    """By environment: what synth printed before it failed."""
    notes: tuple[str, ...]
    """What the reader must know about the way it was synthesized."""


def synthesize_side(
    project: Path,
    ref: str | None,
    environments: Sequence[str] | None,
    *,
    config: str = DEFAULT_CONFIG,
    progress: Progress,
) -> SynthesizedSide:
    """Synthesize environments of a project at a ref, or with None those of its work tree; saved outputs are reused.

    ``environments`` that the side does not have are left out; None means all that it has. An app without the
    configuration directory has one environment without a name. Raises ``SynthesisError`` when the files cannot
    be had; what synth says against them is part of the result.
    """
    config = _inside(config)
    project = project.resolve()
    label = WORK_TREE if ref is None else ref
    with termination_as_exit(), open_tree(project, ref) as tree:
        names = _environments(tree.names(config), environments)
        cache = OutputCache(project)
        if cache.refusal:
            progress(f"{cache.refusal}.\n")
        synth = _Synth(tree, cache, project, label, config, progress, own_requirements(tree))
        with synth.checkout:
            keys, errors, note = synth.all_as_required(names)
        directory = cache.assemble(keys) if keys else None
        # Base is followed by head, with as many environments: the one must not push out the other.
        cache.prune(at_least=2 * len(keys))
        return SynthesizedSide(label, directory, errors, (note,) if note else ())


def environments_at(
    project: Path, ref: str | None, *, config: str = DEFAULT_CONFIG
) -> tuple[str, ...] | None:
    """Return the environments that a project has at a ref, or with None in its work tree, sorted.

    None means that it has no configuration directory. Nothing is synthesized. Raises ``SynthesisError``.
    """
    config = _inside(config)
    with open_tree(project.resolve(), ref) as tree:
        files = tree.names(config)
    return None if files is None else environment_names(files)


@dataclass(frozen=True)
class _Synth:
    """Synthesizes the environments of one tree, one after another: two kernels at once are slower."""

    tree: Tree
    cache: OutputCache
    project: Path
    label: str
    config: str
    progress: Progress
    requirements: Requirements | None
    """What it is synthesized with; None where that is what is installed."""
    checkout: ExitStack = field(default_factory=ExitStack)
    """Where the files are removed again, if they were needed."""

    def all_as_required(self, names: Sequence[str]) -> tuple[dict[str, str], dict[str, str], str]:
        """Return what ``all`` does, and a note where the packages that are installed are not those that are required."""
        if self.requirements is None:
            return *self.all(names), ""
        file, packages = self.requirements.file, _some(self.requirements.unmet())
        try:
            note = f"{self.label} was synthesized with the packages of its own {file}: {packages}"
            return *self.all(names), note
        except InstallationError as error:
            note = (
                f"{self.label} was synthesized with the packages that are installed, because those of its {file} could not "
                f"be: {packages}; {error}"
            )
            return *replace(self, requirements=None).all(names), note

    def all(self, names: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
        """Return the key of each environment that synthesizes, and the errors of each that does not."""
        keys: dict[str, str] = {}
        errors: dict[str, str] = {}
        own = self.requirements
        packages = (f"{own.file} {own.digest}",) if own else installed_packages(self.project)
        for name in names:
            key = output_key(self.tree.id, None if name == UNNAMED else name, self._context(name), packages)
            if not self.cache.find(key) and (error := self._synthesize(name, key)) is not None:
                errors[name] = error
            else:
                keys[name] = key
        return keys, errors

    def _context(self, name: str) -> dict[str, str]:
        context = {} if name == UNNAMED else {"env": name}
        return context if self.config == DEFAULT_CONFIG else {**context, "config": self.config}

    def _synthesize(self, name: str, key: str) -> str | None:
        """Save the output of an environment; return what was printed when there is none."""
        if self.tree.read("cdk.json") is None:
            return f"there is no cdk.json at {self.label}: no app to synthesize"
        context = [f"--context={name}={value}" for name, value in self._context(name).items()]
        settings = self._variables
        try:
            with self._timed(name), self.cache.new_output(key) as output:
                finished = run(
                    [*SYNTH, *context, "--output", str(output.resolve())],
                    directory=self._files,
                    environment=settings,
                    join=True,
                )
                if finished.code:
                    raise _SynthFailedError(finished.stdout)
        except _SynthFailedError as error:
            return self._readable(error.printed) or "cdk synth failed and printed nothing"
        except FileNotFoundError:
            raise SynthesisError("cdk is not on PATH; set the project up with make, then try again") from None
        return None

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        """Say what is synthesized, and in the end how long it took."""
        self.progress(f"Synthesizing {name} at {self.label} ...")
        started = time.monotonic()
        try:
            yield
        finally:
            self.progress(f" {time.monotonic() - started:.1f} s\n")

    @cached_property
    def _files(self) -> Path:
        temporary = self.checkout.enter_context(TemporaryDirectory(prefix="sizewell-files-"))
        return self.tree.write(Path(temporary))

    @cached_property
    def _variables(self) -> dict[str, str]:
        return variables(
            {"PATH": self._path, "NO_COLOR": "1", "CDK_DISABLE_CLI_TELEMETRY": "true"},
            without=_NOT_FOR_SYNTH,
        )

    @cached_property
    def _path(self) -> str:
        if self.requirements is None:
            return search_path(TOOLS)
        place = self.project / PLACE / self.requirements.digest
        if not place.is_dir():
            self.progress(f"Installing {self.requirements.file} of {self.label} (once, about a minute) ...\n")
        return search_path(programs_of(self.project, self.requirements, self._files), TOOLS)

    def _readable(self, printed: bytes) -> str:
        """Return what was printed with the paths of the project instead of those of its copy."""
        text = _COLOUR.sub("", printed.decode(errors="replace"))
        text = text.replace(f"{self._files}/", "").replace(str(self._files), ".").strip()
        return _EXITED.sub("", text).strip()


class _SynthFailedError(Exception):
    def __init__(self, printed: bytes) -> None:
        self.printed = printed


def _environments(files: Iterable[str] | None, wanted: Sequence[str] | None) -> tuple[str, ...]:
    if files is None:
        return tuple(dict.fromkeys(wanted)) if wanted else (UNNAMED,)
    names = environment_names(files)
    return names if wanted is None else tuple(name for name in names if name in wanted)


def _inside(config: str) -> str:
    """Return the path of the configuration directory in the project."""
    path = PurePosixPath(config)
    if path.is_absolute() or ".." in path.parts:
        raise SynthesisError(
            f"{config} is outside of the project, so git does not know what it was; "
            "name a configuration directory inside"
        )
    return str(path)


def own_requirements(tree: Tree) -> Requirements | None:
    """Return what a project requires; None where that is what is installed, or where it does not say."""
    requirements = read_requirements(tree.read)
    return requirements if requirements is not None and requirements.unmet() else None


def _some(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _MAX_NAMED} more" if len(texts) > _MAX_NAMED else ""
    return ", ".join(texts[:_MAX_NAMED]) + more

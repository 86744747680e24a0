"""One change with a known consequence, and the places that it is made in."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Output:
    """A copy of a synthesized environment that a case may spoil."""

    directory: Path
    prefix: str
    """What the names of its stacks begin with: ``demo-prod``."""

    @contextmanager
    def template(self, workload: str) -> Iterator[Json]:
        """Yield the template of a workload, or of the foundation, and write what became of it."""
        with self.json(f"{self.prefix}-{workload}.template.json") as document:
            yield document

    @contextmanager
    def resources(self, workload: str) -> Iterator[Json]:
        """Yield the resources of that template."""
        with self.template(workload) as document:
            yield document["Resources"]

    @contextmanager
    def resource(self, workload: str, logical_id: str) -> Iterator[Json]:
        """Yield one resource of that template."""
        with self.resources(workload) as resources:
            yield resources[logical_id]

    @contextmanager
    def properties(self, workload: str, logical_id: str) -> Iterator[Json]:
        """Yield the properties of one resource."""
        with self.resource(workload, logical_id) as resource:
            yield resource["Properties"]

    @contextmanager
    def json(self, name: str) -> Iterator[Json]:
        """Yield a file of the output, and write what became of it."""
        path = self.directory / name
        document = json.loads(path.read_text("utf-8"))
        yield document
        path.write_text(json.dumps(document), "utf-8")


@dataclass(frozen=True)
class TemplateCase:
    """A change of a synthesized output."""

    name: str
    change: Callable[[Output], None]
    says: frozenset[str] = frozenset()
    """Exactly what the review must say; nothing where the change is none."""


@dataclass(frozen=True)
class ConfigCase:
    """A change of the configuration, by replaced text in its files."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    """File, text that is there exactly once, and what takes its place."""
    says: frozenset[str] = frozenset()

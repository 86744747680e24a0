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


Change = Callable[[Output], None]


def edited(workload: str, logical_id: str, edit: Callable[[Json], object]) -> Change:
    """Return an edit of the properties of one resource."""

    def apply(output: Output) -> None:
        with output.properties(workload, logical_id) as properties:
            edit(properties)

    return apply


def changed(workload: str, logical_id: str, **values: Any) -> Change:
    """Return a change of properties of one resource; None takes one away."""

    def edit(properties: Json) -> None:
        properties.update(values)
        for key in [key for key, value in values.items() if value is None]:
            del properties[key]

    return edited(workload, logical_id, edit)


def without_statement(workload: str, logical_id: str, key: str, sid: str) -> Change:
    """Return the removal of a statement from the document that a property holds."""

    def edit(properties: Json) -> None:
        document = properties[key]
        document["Statement"] = [statement for statement in document["Statement"] if statement["Sid"] != sid]

    return edited(workload, logical_id, edit)


def removed(workload: str, *logical_ids: str) -> Change:
    """Return the removal of resources."""

    def apply(output: Output) -> None:
        with output.resources(workload) as resources:
            for logical_id in logical_ids:
                del resources[logical_id]

    return apply


@dataclass(frozen=True)
class TemplateCase:
    """A change of a synthesized output."""

    name: str
    change: Change
    says: frozenset[str] = frozenset()
    """Exactly what the review must say; nothing where the change is none."""


@dataclass(frozen=True)
class ConfigCase:
    """A change of the configuration, by replaced text in its files."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    """File, text that is there exactly once, and what takes its place."""
    says: frozenset[str] = frozenset()

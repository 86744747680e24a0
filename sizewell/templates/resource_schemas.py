"""What is known of a resource type, whatever a template says.

The table ``resource_schemas.csv``: of every resource type the properties that decide about replacement and order.

Made by ``tools/benchmarks/resource_schemas.py`` from the schemas that AWS publishes, as cfn-lint ships them; the first line
says of which release. Where a schema is wrong, ``resource_schema_corrections.csv`` says so, and why; types that cfn-lint does
not have yet are in ``resource_schema_additions.csv``.
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("resource_schemas.csv")
_ADDITIONS = Path(__file__).with_name("resource_schema_additions.csv")
_STATEFUL_TYPES = Path(__file__).with_name("stateful_types.csv")
_CORRECTIONS = Path(__file__).with_name("resource_schema_corrections.csv")

PropertyPath = tuple[str, ...]
"""The names on the way to a property; ``*`` is every item of a list, or every value of a map."""


@dataclass(frozen=True, slots=True)
class ResourceSchema:
    """What a type's schema says."""

    resource_type: str
    create_only: tuple[PropertyPath, ...] = ()
    """Another value replaces the resource (``createOnlyProperties``)."""
    conditional: tuple[PropertyPath, ...] = ()
    """Another value may replace it, depending on the values (``conditionalCreateOnlyProperties``)."""
    unordered: tuple[PropertyPath, ...] = ()
    """Lists whose order means nothing (``insertionOrder: false``)."""
    identifier: tuple[PropertyPath, ...] = ()
    """The properties that identify it (``primaryIdentifier``)."""
    read_only: tuple[PropertyPath, ...] = ()
    """What AWS makes up, at the top level (``readOnlyProperties``)."""
    deleted_first: bool = False
    """Whether a replacement deletes the old one first (``replacementStrategy: delete_then_create``)."""


@cache
def resource_schema(resource_type: str) -> ResourceSchema | None:
    """Return the schema of a type; None where AWS publishes none, as for custom resources."""
    row = _rows().get(resource_type)
    if row is None:
        return None
    return ResourceSchema(
        resource_type,
        create_only=_paths(row["create_only"]),
        conditional=_paths(row["conditional"]),
        unordered=tuple(path for path in _paths(row["unordered"]) if (resource_type, path) not in _ordered()),
        identifier=_paths(row["identifier"]),
        read_only=_paths(row["read_only"]),
        deleted_first=row["deleted_first"] == "yes",
    )


def unordered_lists(resource_type: str) -> tuple[PropertyPath, ...]:
    """Return the lists of a type whose order means nothing."""
    schema = resource_schema(resource_type)
    return schema.unordered if schema else ()


@cache
def _rows() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for table in (_ADDITIONS, _TABLE):
        with table.open(encoding="utf-8", newline="") as file:
            lines = (line for line in file if not line.startswith("#"))
            found |= {row["resource_type"]: row for row in csv.DictReader(lines)}
    return found


@cache
def _ordered() -> frozenset[tuple[str, PropertyPath]]:
    """Return the lists that a schema takes for sets, and whose order does mean something."""
    with _CORRECTIONS.open(encoding="utf-8", newline="") as file:
        return frozenset(
            (row["resource_type"], tuple(row["path"].split("/"))) for row in csv.DictReader(file)
        )


def _paths(text: str) -> tuple[PropertyPath, ...]:
    return tuple(tuple(path.split("/")) for path in _words(text))


def _words(text: str) -> Iterable[str]:
    return text.split(" ") if text else ()


@cache
def name_properties(resource_type: str) -> tuple[PropertyPath, ...]:
    """Return the properties that together name a resource of a type; empty where AWS makes up its identity.

    That is the schema's ``primaryIdentifier``; where it is an ARN or an id, the name that is create-only beside it
    (``Name``, ``TopicName``), because it is unique as well.
    """
    schema = resource_schema(resource_type)
    if schema is None:
        return ()
    made_up = {path[0] for path in schema.read_only}
    if schema.identifier and not any(path[0] in made_up for path in schema.identifier):
        return schema.identifier
    own = ("Name", f"{resource_type.rpartition('::')[2]}Name")
    return tuple(path for path in schema.create_only if len(path) == 1 and path[0] in own)


def is_stateful(resource_type: str) -> bool:
    """Tell whether a resource of this type holds data, keys or identities."""
    return resource_type in stateful_types()


@cache
def stateful_types() -> dict[str, str]:
    """Return what each type holds."""
    with _STATEFUL_TYPES.open(encoding="utf-8", newline="") as file:
        return {row["resource_type"]: row["holds"] for row in csv.DictReader(file)}

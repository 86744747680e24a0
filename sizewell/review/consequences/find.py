"""What the tables say of the resources of an environment."""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from sizewell.checks.state_language import STATE_MACHINE
from sizewell.review.cluster_objects import is_object, tells_apart
from sizewell.review.consequences.directions import has_value, moves
from sizewell.review.consequences.table import ANY, WHOLE, Row, Rows, rows_for, rows_for_new
from sizewell.templates.alternatives import items
from sizewell.templates.deployment import DeploymentDiff, ResourceImpact
from sizewell.templates.differences import differences, name_of, value_at
from sizewell.templates.template import Difference, Effect

#: A state machine is defined by one of two properties, which say the same.
_SAME = {"Definition": "DefinitionString"}


@dataclass(frozen=True)
class Consequence:
    """What one difference of a resource leads to."""

    impact: ResourceImpact
    difference: Difference
    row: Row


@dataclass(frozen=True)
class Consequences:
    """Of all resources of an environment."""

    known: tuple[Consequence, ...]
    unknown: Mapping[tuple[str, str], tuple[str, ...]]
    """By stack and logical id: the properties of which nobody knows what their change means."""
    left_to_rules: Set[tuple[str, str]]
    """Stack and logical id of what has a changed property that rules in code decide: the tables cannot call it harmless."""


@dataclass(frozen=True)
class _Spoken:
    """A difference, and the rows that speak for it: of the very place, or of what holds it."""

    difference: Difference
    rows: Rows
    place: Difference


def consequences_in(diff: DeploymentDiff, moved: Collection[str] = ()) -> Consequences:
    """Return what the tables say of every change that a deployment makes.

    ``moved`` are stacks whose workload moves into another service: steps of its state machine cannot be compared with those that
    it had, and a rule says that.
    """
    known: list[Consequence] = []
    unknown: dict[tuple[str, str], tuple[str, ...]] = {}
    left_to_rules: set[tuple[str, str]] = set()
    for impact in diff.changes:
        if impact.resource_type == STATE_MACHINE and impact.base and impact.head and impact.stack in moved:
            left_to_rules.add(impact.place)
            continue
        not_known: dict[str, None] = {}
        told: set[tuple[Row, tuple[str, ...]]] = set()
        for found in _looked_up(impact):
            if isinstance(found, Difference):
                not_known[found.shown_path] = None
                continue
            place = found.place
            if any(row.worse == "rule" for row in found.rows.rows):
                left_to_rules.add(impact.place)
            answers = {row: moves(row, place.base, place.head) for row in found.rows.rows}
            if None in answers.values() and True not in answers.values():
                not_known[found.difference.shown_path] = None
            for row in _most_exact([row for row, answer in answers.items() if answer]):
                if (row, place.path) not in told:
                    told.add((row, place.path))
                    known.append(Consequence(impact, found.difference, row))
        if impact.action == "added":
            known += _of_new(impact)
        if not_known:
            unknown[impact.place] = tuple(not_known)
    return Consequences(tuple(known), unknown, left_to_rules)


def _of_new(impact: ResourceImpact) -> Iterator[Consequence]:
    """Yield what new resources open or leave without protection."""
    properties = impact.head.properties if impact.head else {}
    if _is_preflight(properties):
        return
    for row in rows_for_new(impact.resource_type):
        for path, value in _values_at(properties, row.path):
            if has_value(row, value):
                yield Consequence(
                    impact, Difference(path, path, None, row.missing if value is None else value), row
                )


def _is_preflight(properties: Mapping[str, Any]) -> bool:
    """Tell whether it is what browsers ask without authorization before they call an API (CORS)."""
    route = str(properties.get("RouteKey", ""))
    return properties.get("HttpMethod") == "OPTIONS" or route.startswith("OPTIONS ")


def _values_at(value: Any, pattern: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the values at a path of the tables, each with its own path; None where the last name is not set."""
    if not pattern:
        yield (), value
        return
    first, *rest = pattern
    if first != ANY:
        named = value.get(first) if isinstance(value, Mapping) else None
        inside = [(first, named)]
    elif isinstance(value, Mapping):
        inside = list(value.items())
    else:
        inside = [(name_of(item) or str(index), item) for index, item in enumerate(items(value))]
    for name, item in inside:
        for path, found in _values_at(item, rest):
            yield (name, *path), found


def _most_exact(rows: Sequence[Row]) -> Sequence[Row]:
    """Leave out what is said of any change, or of a direction, where something is said of the very value."""
    return [row for row in rows if row.values] or [row for row in rows if row.worse != "any"] or rows


def _looked_up(impact: ResourceImpact) -> Iterator[_Spoken | Difference]:
    """Yield each difference with the rows that speak for it, or alone where none does."""
    if impact.action in ("added", "removed"):
        whole = Difference((WHOLE,), (WHOLE,), impact.base and True, impact.head and True)
        yield from _spoken(impact, whole)
        return
    for difference, effect in _told(impact):
        if effect == "none" or difference.path[0] == "Condition":
            name = f"({difference.path[0]})"
            difference = replace(
                difference, path=(name, *difference.path[1:]), schema_path=(name, *difference.schema_path[1:])
            )
        yield from _spoken(impact, difference)


def _told(impact: ResourceImpact) -> Sequence[tuple[Difference, Effect]]:
    """Return the differences that mean something: of another object beside the old one, only what tells them apart."""
    if not is_object(impact.resource_type):
        return impact.differences
    return [found for found in impact.differences if tells_apart(found[0].path)] or impact.differences


def _spoken(impact: ResourceImpact, difference: Difference) -> Iterator[_Spoken | Difference]:
    first, *rest = difference.path
    rows = rows_for(impact.resource_type, (_SAME.get(first, first), *rest))
    if rows is None and _is_whole_branch(difference):
        empty: Any = [] if isinstance(difference.base or difference.head, list) else {}
        base = empty if difference.base is None else difference.base
        head = empty if difference.head is None else difference.head
        for part in differences(base, head, difference.path, difference.schema_path):
            yield from _spoken(impact, part)
    elif rows is None:
        yield difference
    elif rows.length == len(difference.path):
        yield _Spoken(difference, rows, difference)
    else:
        path = difference.path[: rows.length]
        sides = (resource.properties if resource else None for resource in (impact.base, impact.head))
        base, head = (value_at(side, path) for side in sides)
        yield _Spoken(difference, rows, Difference(path, difference.schema_path[: rows.length], base, head))


def _is_whole_branch(difference: Difference) -> bool:
    """Tell whether one side does not have what is a map or a list on the other."""
    sides = (difference.base, difference.head)
    return None in sides and any(isinstance(side, Mapping | list) and side for side in sides)

"""What a value may become: of ``Fn::If`` both branches count, and what nobody can work out stands for itself.

Which branch there will be is decided at deployment; the conditions that decide are guards.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference-conditions.html
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from sizewell.templates.values import NO_VALUE, is_intrinsic

#: With more conditions in one place than these, their combinations are too many to look at.
_MOST_CONDITIONS = 6


def branches(value: Any) -> tuple[Any, Any, Any] | None:
    """Return the condition and both branches of an ``Fn::If``; a branch that leaves nothing is None.

    It is written as ``AWS::NoValue``, as None, or not at all.
    """
    if not isinstance(value, dict) or len(value) != 1:
        return None
    arguments = value.get("Fn::If")
    if not isinstance(arguments, list) or not 2 <= len(arguments) <= 3:
        return None
    condition, *given = (None if argument == NO_VALUE else argument for argument in arguments)
    return condition, given[0], given[1] if len(given) > 1 else None


def alternatives(value: Any) -> Iterator[Any]:
    """Yield every value that a value may become; nothing at all is none."""
    if choice := branches(value):
        for branch in choice[1:]:
            yield from alternatives(branch)
    elif value is not None and value != NO_VALUE:
        yield value


def may_be_missing(value: Any) -> bool:
    """Tell whether nothing is given, or a branch of ``Fn::If`` leaves nothing."""
    if choice := branches(value):
        return any(may_be_missing(branch) for branch in choice[1:])
    return value is None or value == NO_VALUE


def items(value: Any) -> Iterator[Any]:
    """Yield the members of a list, or the only one that is written without a list."""
    for alternative in alternatives(value):
        if isinstance(alternative, list):
            for item in alternative:
                yield from items(item)
        else:
            yield alternative


def texts(value: Any) -> Sequence[str]:
    """Return the members as texts."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    return [dumped(item) for item in items(value)]


def dumped(value: Any) -> str:
    """Return a text, or what is none as JSON."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def first_text(value: Any, default: str = "") -> str:
    """Return the first member as text."""
    return next(iter(texts(value)), default)


class Guard(NamedTuple):
    """A condition of the template, and whether it holds."""

    condition: str
    holds: bool

    def __str__(self) -> str:
        return f"{'if' if self.holds else 'unless'} {self.condition}"


Guards = tuple[Guard, ...]
"""All that must be so; sorted, each condition once, and empty for always."""


def combined(first: Guards, second: Guards) -> Guards | None:
    """Return both together; None where they contradict each other."""
    if not first or not second:
        return first or second
    together = {*first, *second}
    return tuple(sorted(together)) if len({g.condition for g in together}) == len(together) else None


def members(value: Any, given: Guards = ()) -> Iterator[tuple[Any, Guards]]:
    """Yield what is in a list, or in the lists of ``Fn::If``, with what must be so; nothing at all is no member."""
    choice = branches(value)
    if choice and isinstance(choice[0], str):
        for branch, holds in zip(choice[1:], (True, False), strict=True):
            guards = combined(given, (Guard(choice[0], holds),))
            if guards is not None:
                yield from members(branch, guards)
    elif isinstance(value, list):
        for item in value:
            yield from members(item, given)
    elif value is not None and value != NO_VALUE:
        yield value, given


def guarded_texts(value: Any) -> Iterator[tuple[str, Guards]]:
    """Yield the members as texts."""
    found: dict[str, set[Guards]] = {}
    for member, guards in members(value):
        found.setdefault(dumped(member), set()).add(guards)
    for text, cases in found.items():
        for guards in simplified(cases):
            yield text, guards


def resolutions(value: Any, given: Guards = ()) -> Iterator[tuple[Any, Guards]] | None:
    """Yield a value without ``Fn::If`` for every combination of its conditions; None where they are too many."""
    chosen = {guard.condition: guard.holds for guard in given}
    names = sorted(condition_names(value) - chosen.keys())
    if len(names) > _MOST_CONDITIONS:
        return None
    return (
        (_resolved(value, {**chosen, **dict(zip(names, flags, strict=True))}), guards)
        for flags in product((True, False), repeat=len(names))
        if (guards := combined(given, tuple(map(Guard, names, flags)))) is not None
    )


def condition_names(value: Any) -> set[str]:
    """Return the conditions of every ``Fn::If`` in a value that is not inside of another function."""
    found: set[str] = set()
    # Most values have none, and this looks at the whole value at once.
    nodes = [value] if "Fn::If" in repr(value) else []
    while nodes:
        node = nodes.pop()
        if isinstance(node, list):
            nodes += node
        elif isinstance(node, dict):
            choice = branches(node)
            if choice and isinstance(choice[0], str):
                found.add(choice[0])
                nodes += choice[1:]
            elif not is_intrinsic(node):
                nodes += node.values()
    return found


def simplified(cases: Collection[Guards]) -> list[Guards]:
    """Return the cases, without a condition wherever it does not matter whether it holds."""
    left = set(cases)
    for condition in sorted({guard.condition for case in cases for guard in case}):
        for case in sorted(left):
            for guard in case:
                twin = tuple(sorted({*case, Guard(condition, not guard.holds)} - {guard}))
                if guard.condition == condition and twin in left and case in left:
                    left -= {case, twin}
                    left.add(tuple(g for g in case if g != guard))
    return sorted(case for case in left if not any(set(other) < set(case) for other in left))


def always(cases: Collection[Guards], given: Guards = ()) -> bool:
    """Tell whether one of the cases is so whenever what is given is so."""
    known = set(given)
    if any(known.issuperset(case) for case in cases):
        return True
    cases = set(cases)
    chosen = {guard.condition for guard in given}
    names = sorted({guard.condition for case in cases for guard in case} - chosen)
    if not cases or not 0 < len(names) <= _MOST_CONDITIONS:
        return False
    return all(
        any(known.union(map(Guard, names, flags)).issuperset(case) for case in cases)
        for flags in product((True, False), repeat=len(names))
    )


def _resolved(value: Any, chosen: Mapping[str, bool]) -> Any:
    choice = branches(value)
    if choice and isinstance(choice[0], str):
        return _resolved(choice[1] if chosen[choice[0]] else choice[2], chosen)
    if isinstance(value, list):
        resolved = [_resolved(item, chosen) for item in value]
        return [
            inner
            for item in resolved
            for inner in (item if isinstance(item, list) else [item])
            if inner is not None
        ]
    if isinstance(value, dict) and not is_intrinsic(value):
        resolved_items = {key: _resolved(item, chosen) for key, item in value.items()}
        return {key: item for key, item in resolved_items.items() if item is not None}
    return None if value == NO_VALUE else value

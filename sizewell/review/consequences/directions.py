"""Whether a property moves in the direction of which a row of the tables speaks."""

from collections.abc import Callable, Mapping
from typing import Any

from sizewell.facts.cron import starts_per_year
from sizewell.review.consequences.meaning import EXPRESSIONS, normal_form
from sizewell.review.consequences.table import Row
from sizewell.templates.alternatives import alternatives, dumped, items, may_be_missing
from sizewell.templates.values import flag, number, show

#: From so many times as often on, the money of a schedule counts more than its times.
OFTENER = 2
Answer = bool | None
"""None where only the deployment knows."""


def moves(row: Row, base: Any, head: Any) -> Answer:
    """Tell whether a value moves in the direction of a row; None of a side that does not have it."""
    if _settled(row, base) == _settled(row, head):
        return False
    return _DIRECTIONS[row.worse](row, base, head)


def _settled(row: Row, value: Any) -> Any:
    """Return a value in one spelling, with the default of AWS where none is set."""
    written = row.missing if value is None else value
    if isinstance(written, list) and len(written) == 1:
        written = written[0]
    if isinstance(written, list) and all(isinstance(item, str) for item in written):
        written = sorted(written)
    for parse in (flag, number):
        if (known := parse(written)) is not None:
            return known
    if row.path[-1] in EXPRESSIONS and isinstance(written, str):
        return normal_form(written)
    return dumped(written)


def _values(row: Row, value: Any) -> list[Any]:
    """Return everything that a value may become; of ``Fn::If`` both branches count."""
    found = list(alternatives(value))
    return [*found, row.missing] if may_be_missing(value) else found


def _numbers(row: Row, value: Any) -> list[float] | None:
    found = [number(each) for each in _values(row, value)]
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None


def _lower(row: Row, base: Any, head: Any) -> Answer:
    before, after = _numbers(row, base), _numbers(row, head)
    return None if before is None or after is None else min(after) < min(before)


def _higher(row: Row, base: Any, head: Any) -> Answer:
    before, after = _numbers(row, base), _numbers(row, head)
    return None if before is None or after is None else max(after) > max(before)


def _oftener(row: Row, base: Any, head: Any) -> Answer:
    before, after = (starts_per_year(side) if isinstance(side, str) else None for side in (base, head))
    return bool(before and after and after >= OFTENER * before)


def _switched(to: bool) -> Callable[[Row, Any, Any], Answer]:
    def switched(row: Row, base: Any, head: Any) -> Answer:
        before, after = ({flag(each) for each in _values(row, side)} for side in (base, head))
        return None if None in before | after else to in after and to not in before

    return switched


def _fewer(row: Row, base: Any, head: Any) -> Answer:
    return bool(_members(base) - _members(head))


def _members(value: Any) -> set[str]:
    """Return the members of a list, or the names and values of a map."""
    if isinstance(value, Mapping) and not any(key.startswith("Fn::") for key in value):
        return {dumped([key, value[key]]) for key in value}
    return {dumped(item) for item in items(value)}


def _to(row: Row, base: Any, head: Any) -> Answer:
    return has_value(row, head) and not has_value(row, base)


def has_value(row: Row, value: Any) -> bool:
    """Tell whether a value, or an item of a list, may be one of those of a row; None where the property is not set."""
    return any(show(item) in row.values for each in _values(row, value) for item in items(each))


_DIRECTIONS: Mapping[str, Callable[[Row, Any, Any], Answer]] = {
    "lower": _lower,
    "higher": _higher,
    "oftener": _oftener,
    "off": _switched(False),
    "on": _switched(True),
    "removed": lambda _, base, head: head is None and base is not None,
    "added": lambda _, base, head: base is None and head is not None,
    "fewer": _fewer,
    "more": lambda row, base, head: _fewer(row, head, base),
    "to": _to,
    "from": lambda row, base, head: _to(row, head, base),
    "any": lambda row, base, head: True,
    "none": lambda row, base, head: False,
    "rule": lambda row, base, head: False,
}

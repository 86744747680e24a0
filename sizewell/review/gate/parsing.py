"""Conditions from text: everything that is wrong is said at once."""

import difflib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from sizewell.review.gate.conditions import (
    COST_INCREASE,
    GATE_CONDITIONS,
    HAZARD,
    Condition,
    Unit,
    plain_names,
)
from sizewell.review.hazards import HAZARD_RULES

_LIMIT = re.compile(r"(\d+(?:\.\d+)?)(%|usd)")


class GateSyntaxError(Exception):
    """Conditions that cannot be read; holds every fault, each a line."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


class _ConditionError(Exception):
    """What is wrong with one condition."""


def parse_conditions(
    texts: Iterable[str],
    *,
    environments: Collection[str] | None = None,
    hazard_rules: Mapping[str, str] = HAZARD_RULES,
) -> tuple[Condition, ...]:
    """Return the conditions, each once; a text may hold several, with commas between.

    ``environments`` are those that a condition may name; None allows any. Raises ``GateSyntaxError``.
    """
    conditions: list[Condition] = []
    faults: list[str] = []
    for part in (part for text in texts for part in text.split(",") if part.strip()):
        try:
            conditions.append(_condition(part, environments, hazard_rules))
        except _ConditionError as error:
            faults.append(f"{part.strip()}: {error}")
    if faults:
        raise GateSyntaxError(list(dict.fromkeys(faults)))
    return tuple(dict.fromkeys(conditions))


def _condition(part: str, environments: Collection[str] | None, hazard_rules: Mapping[str, str]) -> Condition:
    text, at, environment = ("".join(side.split()) for side in part.partition("@"))
    text = text.lower()
    if at and not environment:
        raise _ConditionError("the name of an environment is missing after @")
    if at and environments is not None and environment not in environments:
        raise _ConditionError(_unknown("environment", environment, sorted(environments)))
    where = environment or None
    if text.startswith(f"{HAZARD}:"):
        return Condition(HAZARD, rule=_rule(text.partition(":")[2], hazard_rules), environment=where)
    if text.startswith(COST_INCREASE):
        limit, unit = _limit(text.removeprefix(COST_INCREASE))
        return Condition(COST_INCREASE, limit=limit, unit=unit, environment=where)
    if text not in plain_names():
        raise _ConditionError(_unknown("condition", text, tuple(GATE_CONDITIONS)))
    return Condition(text, environment=where)


def _rule(rule: str, known: Mapping[str, str]) -> str:
    if rule not in known:
        raise _ConditionError(_unknown("rule", rule, sorted(known)))
    return rule


def _limit(text: str) -> tuple[float, Unit]:
    found = _LIMIT.fullmatch(text.removeprefix(">")) if text.startswith(">") else None
    if found is None:
        raise _ConditionError(
            "a limit is a number with % or usd, for example cost-increase>10% or cost-increase>200usd; "
            "in a shell it stands in quotes"
        )
    return float(found[1]), "%" if found[2] == "%" else "usd"


def _unknown(what: str, text: str, allowed: Sequence[str]) -> str:
    near = difflib.get_close_matches(text, allowed, 1)
    hint = f", did you mean {near[0]}?" if near else ""
    got = f"there is no {what} of that name" if text else f"the name of the {what} is missing"
    return f"{got}{hint}; allowed: {', '.join(allowed)}"

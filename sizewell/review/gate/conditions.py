"""The conditions of a gate: how they are written, read from texts, and stated by the policy of an environment.

Everything that is wrong with a text is said at once.
"""

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.hazards import HAZARD_RULES
from sizewell.review.saved.configuration import saved_environment, value_at

Unit = Literal["%", "usd"]

HAZARD = "hazard"
COST_INCREASE = "cost-increase"
MOST_INCREASE = "most-increase"
UNKNOWN = "unknown"
NOT_SAFE = "not-safe"
NO_BASE = "no-base"
_LIMIT = re.compile(r"(\d+(?:\.\d+)?)(%|usd)")

#: How each condition is written, and what it stops. Each may end in ``@ENV``: then it is about one environment only.
GATE_CONDITIONS: Mapping[str, str] = {
    "danger": "A hazard that may lose data, traffic or protection.",
    "warning": "A hazard that is a danger or a warning.",
    "hazard": "The same as warning.",
    "hazard:RULE": "A hazard of one rule, whatever its severity: hazard:alarm-removed.",
    "replace-stateful": "A resource that holds data or keys is replaced, or may be.",
    "remove-stateful": "A resource that holds data or keys is removed, even if its policy keeps the old one.",
    "replace": "Any resource is replaced, or may be.",
    "iam-broadened": "A policy allows more, or denies less, than before.",
    "security-weaker": "Anything else that protects less than before.",
    "public-exposure": "Everybody can reach something that they could not reach before.",
    "acknowledgement-added": "The app accepts one more finding of the rule packs instead of fixing it.",
    "cost-increase>N%": "The expected cost of an environment rises by more than this share, or is unknown: cost-increase>10%.",
    "cost-increase>Nusd": "It rises by more than this amount in USD per month, or is unknown: cost-increase>200usd.",
    "most-increase>N%": "The most that an environment may cost rises by more than this share, or is unknown.",
    "most-increase>Nusd": "It rises by more than this amount in USD per month, or is unknown.",
    "unknown": "A change of which nobody knows what it means.",
    "not-safe": "Any change of a resource that is not known to do no harm.",
    "cost-unknown": "Head runs something without a known price, whether it changes or not.",
    "selection-changed": "A workload runs on another instance type, or on another number of instances.",
    "over-budget": "The expected cost of head is above the budget of its environment, or has an unknown part.",
    "no-base": "An environment of head has no base to compare with: base does not have it, or does not synthesize. If base "
    "does not synthesize, every condition stops the change.",
}


@dataclass(frozen=True)
class Condition:
    """One condition; as text it reads as it is written, without spaces."""

    name: str
    """The first word: a key of ``GATE_CONDITIONS`` up to the colon or the limit."""
    rule: str | None = None
    """The only hazard that counts."""
    limit: float | None = None
    unit: Unit | None = None
    environment: str | None = None
    """The only environment that counts."""

    def __str__(self) -> str:
        rule = f":{self.rule}" if self.rule else ""
        limit = "" if self.limit is None else f">{_number(self.limit)}{self.unit}"
        return f"{self.name}{rule}{limit}" + (f"@{self.environment}" if self.environment else "")


def _plain_names() -> tuple[str, ...]:
    """Return the conditions that are a single word."""
    return tuple(name for name in GATE_CONDITIONS if not set(name) & set(":>"))


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else str(value)


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
    for name in (COST_INCREASE, MOST_INCREASE):
        if text.startswith(name):
            limit, unit = _limit(text.removeprefix(name))
            return Condition(name, limit=limit, unit=unit, environment=where)
    if text not in _plain_names():
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


def policy_conditions(pairs: Iterable[EnvironmentPair]) -> tuple[str, ...]:
    """Return ``policy.review_fail_on`` of both sides, each with its environment.

    Those of base count as well, so that a change cannot switch off what would stop it.
    """
    return tuple(dict.fromkeys(text for pair in pairs for text in _of_pair(pair)))


def with_no_base(conditions: Sequence[Condition], alone: Iterable[str]) -> tuple[Condition, ...]:
    """Return the conditions with ``no-base`` for every environment of which they say something, and whose base failed.

    Where there is nothing to compare with, hardly another condition can be met: whoever asks for one has not got an answer.
    """
    asked = {condition.environment for condition in conditions}
    stated = {condition.environment for condition in conditions if condition.name == NO_BASE}
    implied = (
        Condition(NO_BASE, environment=name)
        for name in alone
        if asked & {None, name} and not stated & {None, name}
    )
    return (*conditions, *implied)


def _of_pair(pair: EnvironmentPair) -> Iterator[str]:
    for assembly in (pair.base, pair.head):
        environment = saved_environment(assembly)
        stated = value_at(environment, "policy", "review_fail_on") if environment is not None else None
        for text in stated if isinstance(stated, list) else ():
            for condition in str(text).split(","):
                if words := condition.partition("@")[0].strip():
                    yield f"{words}@{pair.name}"

"""The conditions of a gate, as they are written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Unit = Literal["%", "usd"]

HAZARD = "hazard"
COST_INCREASE = "cost-increase"

#: How each condition is written, and what it stops. Each may end in ``@ENV``: then it is about one environment only.
GATE_CONDITIONS: Mapping[str, str] = {
    "danger": "A hazard that may lose data, traffic or protection.",
    "warning": "A hazard that is a danger or a warning.",
    "hazard": "The same as warning.",
    "hazard:RULE": "A hazard of one rule, whatever its severity: hazard:alarm-removed.",
    "replace-stateful": "A resource that holds data or keys is replaced, or may be.",
    "remove-stateful": "A resource that holds data or keys is removed, also where its policy keeps the old one.",
    "replace": "Any resource is replaced, or may be.",
    "iam-broadened": "A policy allows more, or denies less, than before.",
    "security-weaker": "Anything else that protects less than before.",
    "public-exposure": "Something can be reached by everybody that could not be before.",
    "acknowledgement-added": "One more finding of the rule packs is accepted instead of mended.",
    "cost-increase>N%": "The expected cost of an environment rises by more than this share: cost-increase>10%.",
    "cost-increase>Nusd": "It rises by more than this amount in USD per month: cost-increase>200usd.",
    "cost-unknown": "Something that head runs has no known price.",
    "selection-changed": "A workload runs on another instance type, or on another number of instances.",
    "over-budget": "The expected cost of head is above the budget of its environment.",
    "no-base": "An environment of head has nothing to be compared with: base does not have it, or does not synthesize.",
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


def plain_names() -> tuple[str, ...]:
    """Return the conditions that are a single word."""
    return tuple(name for name in GATE_CONDITIONS if not set(name) & set(":>"))


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else str(value)

"""What the policies of base waive, and who must approve what. A change has no say in what is waived or approved of itself."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sizewell.review.comparison import EnvironmentPair
from sizewell.review.gate.conditions import HAZARD, Condition, parse_conditions
from sizewell.review.gate.findings import Finding, find
from sizewell.review.model import Approval, Review
from sizewell.review.saved.configuration import saved_environment, value_at
from sizewell.review.saved.output import Assembly


@dataclass(frozen=True)
class Waiver:
    """A finding of one environment that does not stop a change until a day."""

    condition: Condition
    """With its environment; of a hazard its rule, whatever the condition that the hazard meets."""
    subject: str
    reason: str
    until: str
    """The last day, YYYY-MM-DD."""

    def covers(self, condition: Condition, finding: Finding) -> bool:
        """Return whether it is about a finding of a condition."""
        of = Condition(HAZARD, rule=finding.hazard_rule) if finding.hazard_rule else condition
        return (self.condition, self.subject) == (
            replace(of, environment=finding.environment),
            finding.subject,
        )


def check_rules(pairs: Iterable[EnvironmentPair]) -> None:
    """Read the conditions of waivers and approvals of both sides; raises ``GateSyntaxError`` with every fault."""
    parse_conditions(
        _condition_text(pair, rule)
        for pair in pairs
        for side in (pair.base, pair.head)
        for key in ("review_waivers", "review_approvals")
        for rule in _stated(side, key)
    )


def waivers_of_base(pairs: Iterable[EnvironmentPair]) -> tuple[Waiver, ...]:
    """Return ``policy.review_waivers`` of base."""
    return tuple(
        Waiver(condition, str(rule["subject"]), str(rule["reason"]), str(rule["until"]))
        for pair in pairs
        for rule in _stated(pair.base, "review_waivers")
        for condition in parse_conditions([_condition_text(pair, rule)])
    )


def needed_approvals(review: Review, pairs: Iterable[EnvironmentPair]) -> Iterator[Approval]:
    """Yield the approvals of ``policy.review_approvals`` of base that the findings of a review need."""
    for pair in pairs:
        for rule in _stated(pair.base, "review_approvals"):
            for condition in parse_conditions([_condition_text(pair, rule)]):
                if found := tuple(find(review, condition)):
                    yield Approval(
                        condition=str(condition),
                        by=tuple(map(str, rule["by"])),
                        findings=tuple(f"{finding.environment}: {finding.text}" for finding in found),
                    )


def _stated(assembly: Assembly | None, key: str) -> tuple[Mapping[str, Any], ...]:
    environment = saved_environment(assembly)
    rules = value_at(environment, "policy", key) if environment is not None else None
    return tuple(rule for rule in rules if isinstance(rule, Mapping)) if isinstance(rules, list) else ()


def _condition_text(pair: EnvironmentPair, rule: Mapping[str, Any]) -> str:
    return f"{rule.get('of')}@{pair.name}"

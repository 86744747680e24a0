"""What of a review meets the conditions of a gate: for each a function that finds it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sizewell.review.exposure import EXPOSED, public_exposures
from sizewell.review.gate.conditions import (
    COST_INCREASE,
    HAZARD,
    MOST_INCREASE,
    NOT_SAFE,
    UNKNOWN,
    Condition,
)
from sizewell.review.model import (
    EnvironmentCost,
    Grant,
    IamChange,
    Range,
    ResourceChange,
    Review,
    SelectionChange,
)
from sizewell.review.words import listed
from sizewell.templates.deployment import REPLACED


@dataclass(frozen=True)
class Finding:
    """One thing that meets a condition."""

    environment: str
    subject: str
    """What it is about; empty where nobody can waive it."""
    text: str
    hazard_rule: str | None = None
    """The rule of a hazard."""


Finder = Callable[[Review, Condition], Iterator[Finding]]

#: The hazard of a stack that is made anew at another place: no resource of it is compared.
_RELOCATED = "stack-relocated"
#: Two amounts that print alike.
_SAME_USD = 0.005


def _hazards(review: Review, condition: Condition) -> Iterator[Finding]:
    severities = ("danger",) if condition.name == "danger" else ("danger", "warning")
    for hazard in review.hazards:
        if hazard.rule == condition.rule if condition.rule else hazard.severity in severities:
            text = f"{hazard.subject}: {hazard.cause} ({hazard.rule})"
            yield Finding(hazard.environment, hazard.subject, text, hazard.rule)
    for note in review.notes if condition.rule is None else ():
        if note.severity == "danger":
            yield Finding(note.environment or "head", "", note.text)


def _resources(matches: Callable[[ResourceChange], bool]) -> Finder:
    def find(review: Review, condition: Condition) -> Iterator[Finding]:
        for change in review.resources.changes:
            if matches(change):
                kept = ", and the old one or its snapshot is kept" if change.retained else ""
                place = f"{change.stack}/{change.logical_id}"
                text = f"{place} ({change.resource_type}) is {change.action}{kept}"
                yield Finding(change.environment, place, text)
        for hazard in review.hazards:
            if hazard.rule == _RELOCATED:
                text = f"{hazard.subject}: {hazard.cause}, and everything is created anew there"
                yield Finding(hazard.environment, hazard.subject, text, hazard.rule)

    return find


def _iam_broadened(review: Review, condition: Condition) -> Iterator[Finding]:
    for change in _broadened(review):
        more = f" and {len(change.grants) - 1} more" if len(change.grants) > 1 else ""
        first = f": {_grant(change.grants[0])}{more}" if change.grants else ""
        yield Finding(change.environment, change.policy, f"{change.policy}{first}")


def _security_weaker(review: Review, condition: Condition) -> Iterator[Finding]:
    for change in review.security.others:
        if change.direction == "weaker":
            yield Finding(change.environment, change.subject, f"{change.subject} ({change.rule})")
    for hazard in review.hazards:
        if hazard.effect == "security":
            text = f"{hazard.subject} ({hazard.rule})"
            yield Finding(hazard.environment, hazard.subject, text, hazard.rule)


def _public_exposure(review: Review, condition: Condition) -> Iterator[Finding]:
    for change in public_exposures(review):
        yield Finding(change.environment, change.subject, f"{change.subject} ({change.rule})")
    for hazard in review.hazards:
        if hazard.rule == EXPOSED:
            text = f"{hazard.subject} ({hazard.rule})"
            yield Finding(hazard.environment, hazard.subject, text, hazard.rule)


def _acknowledgement_added(review: Review, condition: Condition) -> Iterator[Finding]:
    for change in review.security.others:
        if change.rule == "acknowledgement-added":
            yield Finding(change.environment, change.subject, change.subject)


def _cost_increase(review: Review, condition: Condition) -> Iterator[Finding]:
    """Find where the expected cost, or the most, rises by more than a limit."""
    for cost in review.cost:
        base, head = _amounts(cost, condition)
        if condition.limit is None or cost.head is None:
            continue
        if cost.unknown_changes:
            unknown = listed(cost.unknown_changes)
            yield _of_environment(cost, f"the cost of {unknown} is unknown and counts as too high")
            continue
        if not base:
            # Of nothing every share is an increase; so is what cannot be compared.
            if head and (condition.unit == "%" or base is None or head > condition.limit):
                yield _of_environment(cost, f"{head:,.0f} USD per month, and the cost of base is unknown")
            continue
        rise = _amount(cost.difference, condition)
        if rise is None or rise <= 0:
            continue
        measured = rise / base * 100 if condition.unit == "%" else rise
        if measured > condition.limit:
            whole = head is not None and abs(head - base - rise) < _SAME_USD
            from_to = (
                f"{base:,.0f} → {head:,.0f} USD per month" if whole else "of what is known on both sides"
            )
            yield _of_environment(
                cost, f"{from_to} (+{rise:,.0f}{'' if whole else ' USD per month'}, +{rise / base:.1%})"
            )


def _of_environment(cost: EnvironmentCost, text: str) -> Finding:
    return Finding(cost.environment, cost.environment, text)


def _amount(amounts: Range | None, condition: Condition) -> float | None:
    if amounts is None:
        return None
    return amounts.maximum if condition.name == MOST_INCREASE else amounts.expected


def _unknown_consequence(review: Review, condition: Condition) -> Iterator[Finding]:
    for change in review.resources.changes:
        if change.unknown:
            place = f"{change.stack}/{change.logical_id}"
            text = f"{listed(change.unknown)} of {place} ({change.resource_type})"
            yield Finding(change.environment, place, text)


def _not_safe(review: Review, condition: Condition) -> Iterator[Finding]:
    for change in review.resources.changes:
        if not change.harmless:
            place = f"{change.stack}/{change.logical_id}"
            yield Finding(change.environment, place, f"{place} ({change.resource_type}) is {change.action}")
    for stack in review.resources.stacks:
        yield Finding(stack.environment, stack.stack, f"stack {stack.stack} is {stack.action}")


def _cost_unknown(review: Review, condition: Condition) -> Iterator[Finding]:
    for cost in review.cost:
        if unknown := _unknown(cost):
            yield _of_environment(cost, listed(unknown))


def _unknown(cost: EnvironmentCost) -> list[str]:
    """Return what head runs without a known price."""
    unknown = [
        f"{workload.workload}: {component.name}"
        for workload in cost.workloads
        for component in (workload.head.components if workload.head else ())
        if component.basis == "unknown"
    ]
    unknown += [f"{name} (Sizewell has no price for it)" for name in cost.not_priced]
    if not unknown and cost.head is not None and cost.head.expected is None:
        return ["no part of it has a known price"]
    return unknown


def _selection_changed(review: Review, condition: Condition) -> Iterator[Finding]:
    for change in review.selection:
        if change.base and change.head and _picks(change)[0] != _picks(change)[1]:
            base, head = _picks(change)
            yield Finding(change.environment, change.workload, f"{change.workload}: {base} → {head}")


def _over_budget(review: Review, condition: Condition) -> Iterator[Finding]:
    for cost in review.cost:
        head = cost.head.expected if cost.head else None
        budget = cost.budget_usd_per_month
        if budget is None or cost.head is None:
            continue
        if head is not None and head > budget:
            yield _of_environment(cost, f"{head:,.0f} USD per month, the budget is {budget:,.0f}")
        elif unknown := _unknown(cost):
            yield _of_environment(cost, f"the cost is unknown and counts as too high: {listed(unknown)}")


def _no_base(review: Review, condition: Condition) -> Iterator[Finding]:
    known = set(review.base.environments) if review.base else set()
    known -= {cost.environment for cost in review.cost if cost.base is None and cost.head is not None}
    for environment in review.head.environments:
        if environment not in known:
            yield Finding(environment, environment, "it has no base to compare with")


def _broadened(review: Review) -> Iterator[IamChange]:
    return (change for change in review.security.iam if change.direction == "broadened")


def _grant(grant: Grant) -> str:
    return f"{grant.effect} {grant.action} on {grant.resource}"


def _amounts(cost: EnvironmentCost, condition: Condition) -> tuple[float | None, float | None]:
    """Return the cost of base and head, the most or the expected; what base does not have costs nothing there."""
    return _amount(cost.base, condition) if cost.base else 0.0, _amount(cost.head, condition)


def _picks(change: SelectionChange) -> tuple[str, str]:
    base, head = (
        f"{side.instance_count} x {side.instance_type}" if side else "" for side in (change.base, change.head)
    )
    return base, head


FINDERS: Mapping[str, Finder] = {
    "danger": _hazards,
    "warning": _hazards,
    HAZARD: _hazards,
    "replace-stateful": _resources(lambda change: change.stateful and change.action in REPLACED),
    "remove-stateful": _resources(lambda change: change.stateful and change.action == "removed"),
    "replace": _resources(lambda change: change.action in REPLACED),
    "iam-broadened": _iam_broadened,
    "security-weaker": _security_weaker,
    "public-exposure": _public_exposure,
    "acknowledgement-added": _acknowledgement_added,
    COST_INCREASE: _cost_increase,
    MOST_INCREASE: _cost_increase,
    UNKNOWN: _unknown_consequence,
    NOT_SAFE: _not_safe,
    "cost-unknown": _cost_unknown,
    "selection-changed": _selection_changed,
    "over-budget": _over_budget,
    "no-base": _no_base,
}


def find(review: Review, condition: Condition) -> Iterator[Finding]:
    """Yield what meets a condition."""
    for finding in FINDERS[condition.name](review, condition):
        if condition.environment in (None, finding.environment):
            yield finding

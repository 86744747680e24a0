"""A review as a set of short statements, so that what it says can be compared with what it should say."""

from collections.abc import Iterator

from sizewell.review.model import EnvironmentCost, Range, Review

Statements = frozenset[str]


def statements(review: Review) -> Statements:
    """Return everything that a review says, each thing once; its prose is left out, its figures are not."""
    return frozenset(_statements(review))


def _statements(review: Review) -> Iterator[str]:
    for note in review.notes:
        yield f"note {note.severity}: {note.environment or 'all'}"
    for hazard in review.hazards:
        yield f"{hazard.severity} {hazard.rule}: {hazard.stack} {hazard.logical_id or ''}".rstrip()
    for change in review.security.iam:
        for grant in change.grants:
            words = f"{grant.effect} {grant.action} on {grant.resource}"
            condition = f" if {grant.condition}" if grant.condition else ""
            yield f"{change.direction}: {change.stack}: {words}{condition}"
    for other in review.security.others:
        yield f"{other.direction} {other.rule}: {other.stack} {other.logical_id or ''}".rstrip()
    for cost in review.cost:
        yield from _costs(cost)
    for pick in review.selection:
        old, new = (side.instance_type if side else "none" for side in (pick.base, pick.head))
        yield f"pick: {pick.environment} {pick.workload} {old} -> {new}"
    for key in review.config:
        yield f"config: {'+'.join(key.environments)} {key.key_path} {key.base or '-'} -> {key.head or '-'}"
    for resource in review.resources.changes:
        decided = f" by {', '.join(resource.decided_by)}" if resource.decided_by else ""
        yield f"{resource.action}: {resource.stack}/{resource.logical_id}{decided}"
    for stack in review.resources.stacks:
        yield f"stack {stack.action}: {stack.stack}"


def _costs(cost: EnvironmentCost) -> Iterator[str]:
    for workload in cost.workloads:
        amounts = _amounts(workload.difference)
        if workload.base is None or workload.head is None or amounts or workload.causes:
            yield f"cost: {cost.environment} {workload.workload} {amounts or 'unknown'}"


def _amounts(difference: Range) -> str:
    """Return the difference at the least, expected and the most; nothing when there is none."""
    found = (difference.minimum, difference.expected, difference.maximum)
    if not any(amount is not None and round(amount, 2) for amount in found):
        return ""
    return " / ".join("unknown" if amount is None else f"{amount:+.2f}" for amount in found)

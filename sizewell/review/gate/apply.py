"""Which conditions of a gate a review meets, and by what."""

from collections.abc import Sequence

from sizewell.review.gate.conditions import Condition
from sizewell.review.gate.findings import FINDERS
from sizewell.review.model import Gate, GateFailure, Review

#: Findings that a reason names; what is more is counted.
MAX_FINDINGS = 3


def apply_gate(review: Review, conditions: Sequence[Condition]) -> Gate:
    """Return the conditions with those that stop the change, in their order."""
    failures = (_failure(review, condition) for condition in conditions)
    return Gate(
        conditions=tuple(str(condition) for condition in conditions),
        failures=tuple(failure for failure in failures if failure),
    )


def _failure(review: Review, condition: Condition) -> GateFailure | None:
    found = [
        f"{environment}: {text}"
        for environment, text in FINDERS[condition.name](review, condition)
        if condition.environment in (None, environment)
    ]
    if not found:
        return None
    shown = found[:MAX_FINDINGS]
    if len(found) > MAX_FINDINGS:
        shown.append(f"{len(found) - MAX_FINDINGS} more")
    return GateFailure(condition=str(condition), reason="; ".join(shown))

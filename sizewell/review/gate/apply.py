"""Which conditions stop a change: those with a finding that no waiver covers on the day of the review."""

from collections.abc import Iterable, Sequence

from sizewell.review.gate.conditions import Condition
from sizewell.review.gate.findings import Finding, find
from sizewell.review.gate.rules_of_base import Waiver
from sizewell.review.model import Gate, GateFailure, Review, WaivedFinding

#: Findings that a reason names; what is more is counted.
MAX_FINDINGS = 3


def apply_gate(
    review: Review, conditions: Sequence[Condition], waivers: Sequence[Waiver] = (), date: str | None = None
) -> Gate:
    """Return the conditions with those that stop the change, in their order, and what is waived on a day, YYYY-MM-DD."""
    failures: list[GateFailure] = []
    waived: list[WaivedFinding] = []
    for condition in conditions:
        counted: list[str] = []
        for finding in find(review, condition):
            waiver = _waiver(waivers, condition, finding)
            text = f"{finding.environment}: {finding.text}"
            if waiver is None:
                counted.append(text)
            elif date is not None and date <= waiver.until:
                waived.append(
                    WaivedFinding(
                        condition=str(condition), finding=text, reason=waiver.reason, until=waiver.until
                    )
                )
            else:
                # First, so that no count hides it.
                counted.insert(0, f"{text} ({_why_not(waiver, date)})")
        if counted:
            failures.append(GateFailure(condition=str(condition), reason=_reason(counted)))
    return Gate(
        conditions=tuple(str(condition) for condition in conditions),
        failures=tuple(failures),
        waived=tuple(waived),
    )


def _waiver(waivers: Iterable[Waiver], condition: Condition, finding: Finding) -> Waiver | None:
    """Return the waiver of a finding; of several the one that ends last."""
    covering = (waiver for waiver in waivers if waiver.covers(condition, finding))
    return max(covering, key=lambda waiver: waiver.until, default=None)


def _why_not(waiver: Waiver, date: str | None) -> str:
    if date is None:
        return f"waived until {waiver.until}, which counts only with --date"
    return f"its waiver ended on {waiver.until}"


def _reason(findings: Sequence[str]) -> str:
    more = len(findings) - MAX_FINDINGS
    return "; ".join([*findings[:MAX_FINDINGS], *([f"{more} more"] if more > 0 else [])])

"""Why a workload runs on another instance type, or would."""

from typing import Literal

from sizewell.review.model.base import ReviewModel


class CandidatePoint(ReviewModel):
    """A feasible type, as the chart of cost against time shows it."""

    instance_type: str
    usd_per_month: float | None
    time: float
    """p95 latency at peak in milliseconds of an endpoint, duration in hours of a training job."""


class PickSide(ReviewModel):
    """The choice of one side."""

    instance_type: str
    instance_count: int
    """At average load; of a training job the nodes."""
    usd_per_hour: float | None
    usd_per_month: float | None
    time: float | None
    """As of ``CandidatePoint``; None where the plan does not state it."""
    runner_up: str | None
    lock: Literal["unlocked", "locked", "stale", "infeasible"]


class SelectionChange(ReviewModel):
    """A workload whose choice, price or lock has changed."""

    environment: str
    workload: str
    kind: Literal["real-time-endpoint", "training-job"]
    base: PickSide | None
    head: PickSide | None
    reasons: tuple[str, ...]
    """What made the difference, the decisive one first: a need, a price, a row of the catalog, the lock."""
    candidates: tuple[CandidatePoint, ...] = ()
    """The feasible types of head, the best first; at most forty."""

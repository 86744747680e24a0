"""Why a workload runs on another instance type, or would."""

from typing import Literal

from sizewell.review.model.base import ReviewModel

#: Of a workload whose instance type is chosen.
Kind = Literal[
    "real-time-endpoint",
    "asynchronous-endpoint",
    "multi-model-endpoint",
    "inference-component-endpoint",
    "batch-transform",
    "processing-job",
    "training-job",
    "tuning-job",
    "notebook",
]


class CandidatePoint(ReviewModel):
    """A feasible type, as the chart of cost against time shows it."""

    instance_type: str
    """The SageMaker instance type, such as ml.g5.xlarge."""
    usd_per_month: float | None
    """What the workload costs on it, in USD per month; null where a price is unknown."""
    time: float
    """The p95 latency at peak load in milliseconds of an endpoint, the duration in hours of a job, the hours of
    use in a month of a notebook."""


class PickSide(ReviewModel):
    """The choice of one side."""

    instance_type: str
    """The SageMaker instance type that was chosen."""
    instance_count: int
    """The instances at average load of an endpoint, the instances of a job."""
    usd_per_hour: float | None
    """The price of one instance in USD per hour; null where it is unknown."""
    usd_per_month: float | None
    """What the workload costs, in USD per month; null where it is unknown."""
    time: float | None
    """The p95 latency at peak load in milliseconds of an endpoint, the duration in hours of a job, the hours of
    use in a month of a notebook; null where the plan does not state it."""
    runner_up: str | None
    """The second-best feasible type; null where there is none, or the plan does not state it."""
    lock: Literal["unlocked", "locked", "stale", "infeasible"]
    """What selection.lock.yaml says of the workload: nothing, the same type, a type chosen for other needs, or a type
    that cannot be used."""


class SelectionChange(ReviewModel):
    """A workload whose choice, price or lock has changed."""

    environment: str
    """The name of the environment."""
    workload: str
    """The name of the workload."""
    kind: Kind
    """The kind of the workload, as in the configuration."""
    base: PickSide | None
    """The choice of base; null where base does not have the workload."""
    head: PickSide | None
    """The choice of head; null where head does not have the workload."""
    reasons: tuple[str, ...]
    """What made the difference, the decisive one first: a need, a price, a row of the catalog, the lock."""
    candidates: tuple[CandidatePoint, ...] = ()
    """The feasible types of head, the best first; at most forty."""

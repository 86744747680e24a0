"""The plan of a tuning job."""

from typing import Literal

from sizewell.instance_selection.results import TrainingEstimate
from sizewell.planning.training_plan_model import TrainedModelPlan
from sizewell.planning.workload_plan import PlanModel


class ObjectivePlan(PlanModel):
    """The number that the best training has the least or the most of."""

    metric: str
    goal: Literal["minimize", "maximize"]
    regex: str


class RangePlan(PlanModel):
    """A hyperparameter that is searched."""

    name: str
    type: Literal["integer", "continuous", "categorical"]
    values: tuple[str, ...]
    """Of a categorical one all values, else the least and the largest."""
    scaling: Literal["auto", "linear", "logarithmic", "reverse-logarithmic"] | None
    """None of a categorical one."""


class WarmStartPlan(PlanModel):
    """Earlier tuning jobs, by their names in SageMaker."""

    parents: tuple[str, ...]
    type: Literal["identical-data-and-algorithm", "transfer-learning"]


class SearchPlan(PlanModel):
    """What is tried, and how many trainings that takes at most."""

    strategy: Literal["bayesian", "hyperband", "random", "grid"]
    objective: ObjectivePlan
    ranges: tuple[RangePlan, ...]
    max_jobs: int
    max_parallel_jobs: int
    max_runtime_s: int
    """After so long the whole tuning is ended."""
    early_stopping: bool
    hyperband_max_epochs: int | None
    """None with other strategies."""
    warm_start: WarmStartPlan | None


class TuningJobPlan(TrainedModelPlan):
    """One tuning job; ``attempts`` are the instance types of all its trainings, each for when the one before has no capacity."""

    kind: Literal["tuning-job"] = "tuning-job"
    search: SearchPlan
    duration_hours: float
    """Of a whole run, at the most: every training runs to its end, as many at a time as allowed."""
    usd_per_run: float | None
    """Of a whole run, at the most; None where no price is known."""

    @property
    def estimate_of_run(self) -> TrainingEstimate:
        """What is estimated of one training, with the time and the cost of all of them."""
        one = self.selection.chosen.estimate
        waves = self.duration_hours / one.duration_hours
        interval = one.duration_range_hours
        return one.model_copy(
            update={
                "duration_hours": self.duration_hours,
                "duration_range_hours": interval and (interval[0] * waves, interval[1] * waves),
                "usd_per_run": self.usd_per_run,
            }
        )

    @property
    def trainings_per_run(self) -> int:
        """How many trainings a run has, at the most."""
        return self.search.max_jobs

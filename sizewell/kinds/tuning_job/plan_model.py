"""The plan of a tuning job."""

from typing import Literal

from sizewell.facts.state_machines import EXECUTION_GRACE_S
from sizewell.instance_selection.results import TrainingEstimate
from sizewell.planning.training_plan_model import TrainedModelPlan
from sizewell.planning.workload_plan import PlanModel, PlanModelKind


class SearchedRangePlan(PlanModel):
    """A hyperparameter that is searched: all values of a categorical one, else the least and the largest."""

    name: str
    kind: Literal["Integer", "Continuous", "Categorical"]
    values: tuple[str, ...]
    scaling_type: Literal["Auto", "Linear", "Logarithmic", "ReverseLogarithmic"]
    """Of a categorical one without a meaning."""


class SearchPlan(PlanModel):
    """What is tried, in AWS's words, and how many trainings that takes at most."""

    strategy: Literal["Bayesian", "Hyperband", "Random", "Grid"]
    metric_name: str
    metric_goal: Literal["Minimize", "Maximize"]
    metric_regex: str
    ranges: tuple[SearchedRangePlan, ...]
    max_jobs: int
    max_parallel_jobs: int
    max_runtime_s: int
    """After so long the whole tuning is ended."""
    early_stopping: bool
    hyperband_max_resource: int | None
    """In epochs; None with other strategies."""
    warm_start_parents: tuple[str, ...]
    warm_start_type: Literal["IdenticalDataAndAlgorithm", "TransferLearning"]


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
        training = self.selection.chosen.estimate
        waves, interval = self.duration_hours / training.duration_hours, training.duration_range_hours
        return training.model_copy(
            update={
                "duration_hours": self.duration_hours,
                "duration_range_hours": interval and (interval[0] * waves, interval[1] * waves),
                "usd_per_run": self.usd_per_run,
            }
        )

    @property
    def deadline_of_run_s(self) -> int:
        """What a tuning may take, with every training."""
        return self.search.max_runtime_s

    @property
    def time_limit_s(self) -> int:
        """After so long the state machine ends a run."""
        return self.search.max_runtime_s + EXECUTION_GRACE_S

    @property
    def trainings_per_run(self) -> int:
        """How many trainings a run has, at the most."""
        return self.search.max_jobs

    @property
    def trainings_at_a_time(self) -> int:
        """How many trainings of a run are there at the same time, at the most."""
        return self.search.max_parallel_jobs


FACET = PlanModelKind(model=TuningJobPlan)

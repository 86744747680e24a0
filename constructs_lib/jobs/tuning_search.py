"""The search of a tuning job: which hyperparameters are tried, how, and how many trainings that takes.

Limits: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_HyperParameterTuningJobConfig.html
"""

from dataclasses import dataclass
from typing import Literal

from constructs_lib.jobs.training_job import TrainingAttempt, TrainingJobProps
from sizewell.facts.tuning_jobs import (
    MAX_JOBS,
    MAX_NAME_PREFIX_CHARACTERS,
    MAX_PARALLEL_JOBS,
    RUNTIME_BOUNDS_S,
)


class TuningJobError(ValueError):
    """A tuning job that SageMaker would refuse, or that would not start its script."""


@dataclass(frozen=True, kw_only=True)
class SearchedRange:
    """A hyperparameter: ``values`` are all of a categorical one, else the least and the largest, as texts."""

    name: str
    kind: Literal["Integer", "Continuous", "Categorical"]
    values: tuple[str, ...]
    scaling_type: Literal["Auto", "Linear", "Logarithmic", "ReverseLogarithmic"] = "Auto"


@dataclass(frozen=True, kw_only=True)
class TuningSearch:
    """What is tried: ``max_jobs`` trainings at most, ``max_parallel_jobs`` of them at a time, all within ``max_runtime_s``, after
    which the state machine stops the tuning job.

    ``metric_regex`` finds the metric in what the script prints. ``hyperband_max_resource`` is the number of epochs of a whole
    training, which Hyperband, and nothing else, must know: it ends bad trainings by itself; with other strategies
    ``early_stopping`` does. ``warm_start_parents`` are the names of tuning jobs whose results the search begins with.
    """

    strategy: Literal["Bayesian", "Hyperband", "Random", "Grid"]
    metric_name: str
    metric_goal: Literal["Minimize", "Maximize"]
    metric_regex: str
    ranges: tuple[SearchedRange, ...]
    max_jobs: int
    max_parallel_jobs: int
    max_runtime_s: int
    early_stopping: bool = False
    hyperband_max_resource: int | None = None
    warm_start_parents: tuple[str, ...] = ()
    warm_start_type: Literal["IdenticalDataAndAlgorithm", "TransferLearning"] = "IdenticalDataAndAlgorithm"

    def __post_init__(self) -> None:
        most_jobs, (low, high) = MAX_JOBS[self.strategy.lower()], RUNTIME_BOUNDS_S
        hyperband = self.strategy == "Hyperband"
        for right, rule in (
            (1 <= self.max_jobs <= most_jobs, f"{self.strategy} takes 1 to {most_jobs:,} trainings"),
            (
                1 <= self.max_parallel_jobs <= min(self.max_jobs, MAX_PARALLEL_JOBS),
                f"of the trainings 1 to {MAX_PARALLEL_JOBS} run at a time",
            ),
            (low <= self.max_runtime_s <= high, f"max_runtime_s is {low} to {high} (30 days)"),
            (hyperband != (self.hyperband_max_resource is None), "only Hyperband has hyperband_max_resource"),
            (not (hyperband and self.early_stopping), "Hyperband goes without early_stopping"),
            (
                self.strategy != "Grid" or all(searched.kind == "Categorical" for searched in self.ranges),
                "a grid has categorical ranges only",
            ),
        ):
            if not right:
                raise TuningJobError(f"{rule}: {self}")


def check_training_of(search: TuningSearch, job: TrainingJobProps) -> None:
    """Raise ``TuningJobError`` for a training that cannot be repeated by this search.

    All its instance types have one request: one image, so one kind of hardware, one time (``ends_after_s`` is here that of each
    training), on Spot or not, and one key for all volumes or none.
    """
    for right, rule in (
        (
            len(job.job_name_prefix) <= MAX_NAME_PREFIX_CHARACTERS,
            f"the names of tuning jobs begin with {MAX_NAME_PREFIX_CHARACTERS} characters at most",
        ),
        (
            len({_shared(attempt) for attempt in job.attempts}) == 1,
            "types have one image, kind of hardware and time, are all on Spot or none, and all have disks of their own or none",
        ),
        (
            not job.hyperparameters.keys() & {searched.name for searched in search.ranges},
            "a hyperparameter is searched, or has one value",
        ),
    ):
        if not right:
            raise TuningJobError(f"{job.job_name_prefix}: {rule}")


def _shared(attempt: TrainingAttempt) -> tuple[object, ...]:
    return (
        attempt.image_uri,
        attempt.hardware,
        attempt.ends_after_s,
        attempt.use_managed_spot,
        attempt.volume_takes_key,
    )

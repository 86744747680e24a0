"""The search of a tuning job: which hyperparameters are tried, how, and how many trainings that takes.

Limits: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_HyperParameterTuningJobConfig.html
"""

from dataclasses import dataclass
from typing import Literal

from constructs_lib.training_job import TrainingJobProps
from sizewell.facts.tuning_jobs import (
    CODE_HYPERPARAMETER,
    INTERPRETERS,
    MAX_JOBS,
    MAX_NAME_PREFIX_CHARACTERS,
    MAX_PARALLEL_JOBS,
    MAX_PARENTS,
    MAX_SEARCHED,
    PROGRAM_HYPERPARAMETER,
    RUNTIME_BOUNDS_S,
)


class TuningJobError(ValueError):
    """A tuning job that SageMaker would refuse, or that would not start its script."""


@dataclass(frozen=True, kw_only=True)
class TuningObjective:
    """The number that the best training has the least or the most of; ``regex`` finds it in what the script prints."""

    metric_name: str
    goal: Literal["Minimize", "Maximize"]
    regex: str


@dataclass(frozen=True, kw_only=True)
class IntervalRange:
    """A hyperparameter between two bounds, which the API takes as texts."""

    name: str
    kind: Literal["Integer", "Continuous"]
    min_value: str
    max_value: str
    scaling_type: Literal["Auto", "Linear", "Logarithmic", "ReverseLogarithmic"] = "Auto"

    def __post_init__(self) -> None:
        if float(self.min_value) >= float(self.max_value):
            raise TuningJobError(f"{self.name}: {self.min_value} to {self.max_value} is no range")


@dataclass(frozen=True, kw_only=True)
class CategoricalRange:
    """A hyperparameter with one of several values."""

    name: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(set(self.values)) < 2:
            raise TuningJobError(f"{self.name}: a choice needs two values, not {self.values}")


@dataclass(frozen=True, kw_only=True)
class WarmStart:
    """Tuning jobs that ended, by name, whose results the search begins with."""

    parents: tuple[str, ...]
    warm_start_type: Literal["IdenticalDataAndAlgorithm", "TransferLearning"]

    def __post_init__(self) -> None:
        if not 1 <= len(self.parents) <= MAX_PARENTS:
            raise TuningJobError(f"a warm start has 1 to {MAX_PARENTS} parents, not {len(self.parents)}")


@dataclass(frozen=True, kw_only=True)
class TuningSearch:
    """What is tried: ``max_jobs`` trainings at most, ``max_parallel_jobs`` of them at a time, all within ``max_runtime_s``.

    ``hyperband_max_resource`` is the number of epochs of a whole training, which Hyperband, and nothing else, must know.
    Hyperband ends bad trainings by itself; with other strategies ``early_stopping`` does.
    """

    strategy: Literal["Bayesian", "Hyperband", "Random", "Grid"]
    objective: TuningObjective
    ranges: tuple[IntervalRange | CategoricalRange, ...]
    max_jobs: int
    max_parallel_jobs: int
    max_runtime_s: int
    early_stopping: bool = False
    hyperband_max_resource: int | None = None
    warm_start: WarmStart | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.ranges) <= MAX_SEARCHED or len({one.name for one in self.ranges}) < len(
            self.ranges
        ):
            raise TuningJobError(f"1 to {MAX_SEARCHED} hyperparameters are searched, each once")
        most = min(self.max_jobs, MAX_PARALLEL_JOBS)
        if (
            not 1 <= self.max_jobs <= MAX_JOBS[self.strategy.lower()]
            or not 1 <= self.max_parallel_jobs <= most
        ):
            raise TuningJobError(
                f"{self.max_parallel_jobs} of {self.max_jobs} trainings at a time: {self.strategy} takes "
                f"{MAX_JOBS[self.strategy.lower()]:,}, at most {MAX_PARALLEL_JOBS} at a time"
            )
        low, high = RUNTIME_BOUNDS_S
        if not low <= self.max_runtime_s <= high:
            raise TuningJobError(f"max_runtime_s must be {low} to {high} (30 days), not {self.max_runtime_s}")
        hyperband = self.strategy == "Hyperband"
        if hyperband == (self.hyperband_max_resource is None) or (hyperband and self.early_stopping):
            raise TuningJobError(
                "Hyperband needs hyperband_max_resource, and goes without early_stopping; others go without the former"
            )
        if self.strategy == "Grid" and any(isinstance(one, IntervalRange) for one in self.ranges):
            raise TuningJobError("a grid has categorical ranges only")


def check_training_of(search: TuningSearch, job: TrainingJobProps) -> None:
    """Raise ``TuningJobError`` for a training that cannot be repeated by this search.

    All its instance types have one request: it is on Spot or not, and one key encrypts all volumes or none. The script is
    started by the SageMaker training toolkit, as there is no ContainerEntrypoint.
    """
    if len(job.job_name_prefix) > MAX_NAME_PREFIX_CHARACTERS:
        raise TuningJobError(
            f"{job.job_name_prefix!r}: the names of tuning jobs begin with {MAX_NAME_PREFIX_CHARACTERS} characters at most"
        )
    if len({(one.use_managed_spot, one.volume_takes_key) for one in job.attempts}) > 1:
        raise TuningJobError(
            "the types of a tuning job are all on Spot or none, and all have disks of their own or none"
        )
    words = job.code.command if job.code else ("python", ".py")
    if len(words) != 2 or not words[1].endswith(INTERPRETERS.get(words[0], "\0")):
        raise TuningJobError(f"{' '.join(words)}: a tuning job starts one script, as python FILE.py does")
    stated = {*job.hyperparameters, PROGRAM_HYPERPARAMETER, CODE_HYPERPARAMETER}
    if twice := sorted(stated & {one.name for one in search.ranges}):
        raise TuningJobError(f"{', '.join(twice)}: a hyperparameter is searched, or has one value")

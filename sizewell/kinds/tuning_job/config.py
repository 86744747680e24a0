"""A tuning job: a training that is repeated with other hyperparameters until the best are found."""

import math
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ON_TIME_LIMIT, ConfigModel, fault, without
from sizewell.config.effects import Below, OnChange, OnFactor, OnNumber, OnToggle, SelectionNeed
from sizewell.config.environment import Environment
from sizewell.config.kind import ConfigKind
from sizewell.config.request_members import Violation, read_otherwise
from sizewell.config.training import TrainedModel
from sizewell.config.training_container import (
    MetricName,
    MetricRegex,
    check_metric_regex,
    hyperparameter_text,
)
from sizewell.config.training_rules import training_violations
from sizewell.config.tree import KeyPath
from sizewell.facts.training_jobs import (
    CHECKPOINT_VARIABLES,
    CODE_HYPERPARAMETER,
    METHOD_HYPERPARAMETER,
    PROGRAM_HYPERPARAMETER,
)
from sizewell.facts.training_jobs import RUNTIME_BOUNDS_S as TRAINING_BOUNDS_S
from sizewell.facts.tuning_jobs import (
    MAX_CATEGORICAL_VALUES,
    MAX_HYPERBAND_EPOCHS,
    MAX_JOBS,
    MAX_NAME_CHARACTERS,
    MAX_PARALLEL_JOBS,
    MAX_PARENTS,
    MAX_SEARCHED,
    MAX_VARIABLES,
    RUNTIME_BOUNDS_S,
    WARM_STARTED,
)

#: Nothing that CloudFormation would read as its own.
_PLAIN = r"^[^${}\r\n]+$"
_WHOLE = Field(ge=-(10**15), le=10**15)
_NUMBER = Field(ge=-1e300, le=1e300)


class Objective(ConfigModel):
    """What tells a good training from a bad one: a number that its script prints."""

    metric: MetricName
    """The name of the metric."""
    goal: Annotated[Literal["minimize", "maximize"], OnChange("another training is the best")]
    """Whether the best training has the least or the most of it."""
    regex: MetricRegex
    """Finds the metric in what the script prints: a regular expression, with the number in parentheses."""

    @model_validator(mode="after")
    def _regex_finds_a_number(self) -> Self:
        check_metric_regex("regex", self.regex)
        return self


class _Interval(ConfigModel):
    min: Annotated[float, _NUMBER]
    """The least value."""
    max: Annotated[float, _NUMBER]
    """The largest value."""
    scaling: Literal["auto", "linear", "logarithmic", "reverse-logarithmic"] = "auto"
    """On which scale values are tried: logarithmic where a factor counts, as of a learning rate, reverse-logarithmic where
    the distance from 1 does."""

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        low, high = self.min, self.max
        if low > high:
            raise fault("min", f"is {low:g}, above max ({high:g}): the range is upside down")
        if low == high:
            raise fault("max", f"is {high:g}, as min: write one value in container.hyperparameters")
        if self.scaling == "logarithmic" and low <= 0:
            raise fault("scaling", f"a logarithmic scale has only values above 0, but min is {low:g}")
        if self.scaling == "reverse-logarithmic" and not 0 <= low < high < 1:
            raise fault("scaling", "a reverse logarithmic scale has only values from 0 to below 1")
        return self


class ContinuousRange(_Interval):
    """A number between bounds."""

    type: Literal["continuous"]
    """The hyperparameter is any number."""


class IntegerRange(_Interval):
    """A whole number between bounds."""

    type: Literal["integer"]
    """The hyperparameter is a whole number."""
    min: Annotated[int, _WHOLE]
    max: Annotated[int, _WHOLE]
    scaling: Literal["auto", "linear", "logarithmic"] = "auto"


class CategoricalRange(ConfigModel):
    """One of several values."""

    type: Literal["categorical"]
    """The hyperparameter is one of a list."""
    values: Annotated[
        tuple[
            Annotated[str, Field(pattern=_PLAIN, max_length=256)]
            | Annotated[int, _WHOLE]
            | Annotated[float, _NUMBER]
            | bool,
            ...,
        ],
        Field(max_length=MAX_CATEGORICAL_VALUES),
    ]
    """The values, at most 30."""

    @model_validator(mode="after")
    def _is_a_choice(self) -> Self:
        if len(self.values) < 2:
            raise fault(
                "values",
                f"has {len(self.values)}, but a choice needs two; write a single one in container.hyperparameters",
            )
        texts = [hyperparameter_text(value) for value in self.values]
        for index, text in enumerate(texts):
            if text in texts[:index]:
                raise fault(f"values.{index}", f"{text} stands twice")
        return self


Range = Annotated[ContinuousRange | IntegerRange | CategoricalRange, Field(discriminator="type")]
HyperparameterName = Annotated[
    str,
    Field(
        pattern=r"^[^${}\s]+$",
        max_length=256,
        examples=["learning_rate"],
        description="no spaces, dollar signs or braces",
    ),
]


class WarmStart(ConfigModel):
    """Tuning jobs that ended, whose results this one begins with."""

    parents: Annotated[
        tuple[
            Annotated[
                str,
                Field(
                    pattern=r"^[a-zA-Z0-9](-*[a-zA-Z0-9])*$",
                    max_length=MAX_NAME_CHARACTERS,
                    examples=["demo-prod-tune-0a1b2c3d"],
                ),
            ],
            ...,
        ],
        Field(min_length=1, max_length=MAX_PARENTS),
    ]
    """Their names in SageMaker (HyperParameterTuningJobName), at most five."""
    type: Literal["identical-data-and-algorithm", "transfer-learning"]
    """Whether data and image are those of the parents, or others."""


class Search(ConfigModel):
    """Which hyperparameters are tried, and how many trainings that may take."""

    strategy: Annotated[
        Literal["bayesian", "hyperband", "random", "grid"], OnChange("other values are tried")
    ] = "bayesian"
    """How values are chosen: from the results so far (bayesian), the same with bad trainings ended early (hyperband), by
    chance (random), or all combinations (grid)."""
    objective: Objective
    """What tells a good training from a bad one."""
    ranges: Annotated[
        dict[HyperparameterName, Range],
        Field(min_length=1, max_length=MAX_SEARCHED),
        Below(OnChange("other values are tried")),
    ]
    """The hyperparameters that are searched, at most 30, and what each may be."""
    max_jobs: Annotated[
        Annotated[int, Field(ge=1, le=max(MAX_JOBS.values()))] | None, OnFactor(), SelectionNeed.BOUND
    ] = None
    """Trainings of one tuning: at most 750, or 10,000 by chance; a grid has as many as combinations."""
    max_parallel_jobs: Annotated[
        int,
        Field(ge=1, le=MAX_PARALLEL_JOBS),
        OnNumber(
            "fewer trainings at a time: takes longer", "more trainings at a time: learns less from each"
        ),
        SelectionNeed.BOUND,
    ] = 1
    """Trainings at a time, at most 100; AWS allows 10 before the quota is raised."""
    early_stopping: Annotated[
        bool, OnToggle(on="bad trainings are ended early", off="every training runs to its end")
    ] = False
    """Whether SageMaker ends a training that is worse than the median of those before it; hyperband does so by itself."""
    warm_start: Annotated[WarmStart | None, Below(OnChange("the search begins with other results"))] = None
    """Earlier tuning jobs whose results this one begins with."""

    @property
    def job_count(self) -> int:
        """How many trainings one tuning has at most: stated, or the combinations of a grid."""
        values = (
            searched.values for searched in self.ranges.values() if isinstance(searched, CategoricalRange)
        )
        return self.max_jobs or math.prod(map(len, values))

    @property
    def waves(self) -> int:
        """How many trainings run one after another."""
        return math.ceil(self.job_count / self.max_parallel_jobs)


class TuningJob(TrainedModel):
    """A training that is repeated with other hyperparameters, as a Step Functions state machine."""

    kind: Literal["tuning-job"]
    """The workload is a SageMaker hyperparameter tuning job."""
    search: Search
    """Which hyperparameters are tried, and how many trainings that may take."""
    deadline_hours: Annotated[
        float, Field(ge=0.01, le=TRAINING_BOUNDS_S[1] // 3600), ON_TIME_LIMIT, SelectionNeed.BOUND
    ]
    """Hours that one training may take, waiting for Spot and its interruptions included; SageMaker ends it after 28 days at the
    latest."""
    # Two minutes at least, and a little: RUNTIME_BOUNDS_S.
    total_deadline_hours: Annotated[
        Annotated[float, Field(ge=0.04, le=RUNTIME_BOUNDS_S[1] / 3600)] | None,
        ON_TIME_LIMIT,
        SelectionNeed.BOUND,
    ] = None
    """Hours within which the whole tuning must end; SageMaker ends it after 30 days at the latest. By default, as long as its
    trainings may take one after another, max_parallel_jobs at a time."""

    @property
    def measured_metrics(self) -> tuple[str, ...]:
        """The objective of the search: a tuning says no other number of its best training."""
        return (self.search.objective.metric,)

    def gate_fault(self, metric: str, file: str | None) -> tuple[KeyPath, str] | None:
        """Return what is wrong with a number that is not the objective."""
        found = super().gate_fault(metric, file)
        if found is None or found[0] == ("file",):
            return found
        return (
            ("metric",),
            f"{metric} is not defined; the objective of the search is {self.search.objective.metric}",
        )

    @property
    def run_hours(self) -> float:
        """Hours within which the whole tuning ends: stated, or as long as its trainings may take one after another."""
        return self.total_deadline_hours or min(
            RUNTIME_BOUNDS_S[1] / 3600, self.search.waves * self.deadline_hours
        )

    @model_validator(mode="after")
    def _runs_end_before_the_next(self) -> Self:
        by_default = " by default, as its trainings may take one after another"
        if problem := self.overlap(self.run_hours, "" if self.total_deadline_hours else by_default):
            raise fault("total_deadline_hours", problem)
        return self


#: Hyperparameters that the plan sets, each to one value.
SET_FOR_YOU = (
    METHOD_HYPERPARAMETER,
    "batch_size_per_accelerator",
    PROGRAM_HYPERPARAMETER,
    CODE_HYPERPARAMETER,
)


def tuning_violations(name: str, job: TuningJob) -> Iterator[Violation]:
    """Yield what CreateHyperParameterTuningJob would refuse, and what would have no effect."""
    path = ("workloads", name)
    for key, reason in (*_of_jobs(job), *_of_strategy(job), *_of_training(job)):
        yield (*path, *key.split(".")), reason
    for hyperparameter, searched in job.search.ranges.items():
        where = (*path, "search", "ranges", hyperparameter)
        if hyperparameter in SET_FOR_YOU:
            yield where, "is set for you, to one value; search another hyperparameter"
        elif hyperparameter in job.container.hyperparameters:
            yield where, "has one value in container.hyperparameters; remove it there, or here"
        if job.search.strategy == "grid" and not isinstance(searched, CategoricalRange):
            yield (
                (*where, "type"),
                f"is {searched.type}, but a grid has every combination of values; write type: categorical and the values, or "
                "choose another strategy",
            )
    if (metric := job.search.objective.metric) in job.container.metrics:
        yield (
            (*path, "container", "metrics", metric),
            "is the objective of the search, which says how it is found",
        )
    yield from read_otherwise((*path, "search", "objective"), {"regex": job.search.objective.regex})


def _of_jobs(job: TuningJob) -> Iterator[tuple[str, str]]:
    search, strategy = job.search, job.search.strategy
    count, most = search.job_count, MAX_JOBS[strategy]
    combines = all(isinstance(searched, CategoricalRange) for searched in search.ranges.values())
    if strategy == "grid" and search.max_jobs is not None:
        yield (
            "search.max_jobs",
            f"has no effect on a grid, which has every combination; {without('max_jobs')}",
        )
    elif strategy != "grid" and search.max_jobs is None:
        yield "search.max_jobs", f"is missing: write how many trainings {strategy} may take"
    elif count > most:
        key = "search.ranges" if strategy == "grid" else "search.max_jobs"
        yield key, f"makes {count:,} trainings; SageMaker takes {most:,} at most with strategy: {strategy}"
    elif search.max_parallel_jobs > count and (combines or strategy != "grid"):
        yield (
            "search.max_parallel_jobs",
            f"is {search.max_parallel_jobs}, but one tuning has {count} trainings; write {count} at most",
        )


def _of_strategy(job: TuningJob) -> Iterator[tuple[str, str]]:
    search, epochs = job.search, job.dataset.epochs
    hyperband = search.strategy == "hyperband"
    if hyperband and search.early_stopping:
        yield "search.early_stopping", f"hyperband ends trainings by itself; {without('early_stopping')}"
    if hyperband and not 2 <= epochs <= MAX_HYPERBAND_EPOCHS:
        yield (
            "dataset.epochs",
            f"is {epochs:,}, but hyperband compares trainings epoch by epoch, and takes 2 to {MAX_HYPERBAND_EPOCHS:,}; choose "
            "another strategy, or other epochs",
        )
    if search.warm_start is not None and search.strategy not in WARM_STARTED:
        learn = " and ".join(WARM_STARTED)
        yield "search.warm_start", f"only {learn} learn from earlier tunings; {without('warm_start')}"


def _of_training(job: TuningJob) -> Iterator[tuple[str, str]]:
    total = job.total_deadline_hours
    if total is not None and total < job.deadline_hours:
        one = f"deadline_hours ({job.deadline_hours:g}), which one training may take"
        yield "total_deadline_hours", f"is {total:g}, below {one}"
    for key in sorted({"max_wait_hours", "on_demand_fallback"} & job.spot.model_fields_set):
        alone = f"each of its trainings is on Spot until deadline_hours, or none is; {without(key)}"
        yield f"spot.{key}", f"has no effect on a tuning: {alone}"
    count = len(job.container.environment) + (len(CHECKPOINT_VARIABLES) if job.checkpoint else 0)
    if count > MAX_VARIABLES:
        more = f"with those of checkpoint; a tuning job takes {MAX_VARIABLES} at most"
        yield "container.environment", f"makes {count} variables, {more}"


def _rules(environment: Environment, name: str, job: TuningJob) -> Iterator[Violation]:
    yield from training_violations(environment, name, job)
    yield from tuning_violations(name, job)


FACET = ConfigKind(rank=10, model=TuningJob, rules=_rules)

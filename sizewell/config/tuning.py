"""A tuning job: a training that is repeated with other hyperparameters until the best are found."""

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ON_TIME_LIMIT, ConfigModel, fault
from sizewell.config.effects import Below, OnChange, OnFactor, OnNumber, OnToggle, SelectionNeed
from sizewell.config.training import TrainedModel
from sizewell.config.training_container import (
    MetricName,
    MetricRegex,
    check_metric_regex,
    hyperparameter_text,
)
from sizewell.facts.training_jobs import RUNTIME_BOUNDS_S as TRAINING_BOUNDS_S
from sizewell.facts.tuning_jobs import (
    MAX_CATEGORICAL_VALUES,
    MAX_JOBS,
    MAX_NAME_CHARACTERS,
    MAX_PARALLEL_JOBS,
    MAX_PARENTS,
    MAX_SEARCHED,
    RUNTIME_BOUNDS_S,
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
        Annotated[int, Field(ge=1, le=max(MAX_JOBS.values()))] | None, OnFactor(), SelectionNeed(24)
    ] = None
    """Trainings of one tuning: at most 750, or 10,000 by chance; a grid has as many as combinations."""
    max_parallel_jobs: Annotated[
        int,
        Field(ge=1, le=MAX_PARALLEL_JOBS),
        OnNumber(
            "fewer trainings at a time: takes longer", "more trainings at a time: learns less from each"
        ),
        SelectionNeed(26),
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
        values = (one.values for one in self.ranges.values() if isinstance(one, CategoricalRange))
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
        float, Field(ge=0.01, le=TRAINING_BOUNDS_S[1] // 3600), ON_TIME_LIMIT, SelectionNeed(20)
    ]
    """Hours that one training may take, waiting for Spot and its interruptions included; SageMaker ends it after 28 days at the
    latest."""
    # Two minutes at least, and a little: RUNTIME_BOUNDS_S.
    total_deadline_hours: Annotated[
        Annotated[float, Field(ge=0.04, le=RUNTIME_BOUNDS_S[1] / 3600)] | None,
        ON_TIME_LIMIT,
        SelectionNeed(22),
    ] = None
    """Hours within which the whole tuning must end; SageMaker ends it after 30 days at the latest. By default, as long as its
    trainings may take one after another, max_parallel_jobs at a time."""

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

"""What a search and the training inside it may not contradict."""

from collections.abc import Iterator

from sizewell.config.base import without
from sizewell.config.environment import Environment
from sizewell.config.kind import ConfigKind
from sizewell.config.request_members import Violation, read_otherwise
from sizewell.config.training_rules import training_violations
from sizewell.config.tuning import CategoricalRange, TuningJob
from sizewell.facts.training_jobs import (
    CHECKPOINT_VARIABLES,
    CODE_HYPERPARAMETER,
    METHOD_HYPERPARAMETER,
    PROGRAM_HYPERPARAMETER,
)
from sizewell.facts.tuning_jobs import (
    MAX_HYPERBAND_EPOCHS,
    MAX_JOBS,
    MAX_VARIABLES,
    WARM_STARTED,
)

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
    for hyperparameter, one in job.search.ranges.items():
        where = (*path, "search", "ranges", hyperparameter)
        if hyperparameter in SET_FOR_YOU:
            yield where, "is set for you, to one value; search another hyperparameter"
        elif hyperparameter in job.container.hyperparameters:
            yield where, "has one value in container.hyperparameters; remove it there, or here"
        if job.search.strategy == "grid" and not isinstance(one, CategoricalRange):
            yield (
                (*where, "type"),
                f"is {one.type}, but a grid has every combination of values; write type: categorical and the values, or choose "
                "another strategy",
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
    combines = all(isinstance(one, CategoricalRange) for one in search.ranges.values())
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


FACET = ConfigKind(rules=_rules)

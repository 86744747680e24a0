"""What a search and the training inside it may not contradict."""

from collections.abc import Iterator

from sizewell.config.base import without
from sizewell.config.request_members import Violation, read_otherwise
from sizewell.config.tuning import CategoricalRange, TuningJob
from sizewell.facts.training_jobs import CHECKPOINT_VARIABLES, METHOD_HYPERPARAMETER
from sizewell.facts.tuning_jobs import (
    CODE_HYPERPARAMETER,
    INTERPRETERS,
    MAX_HYPERBAND_EPOCHS,
    MAX_JOBS,
    MAX_VARIABLES,
    PROGRAM_HYPERPARAMETER,
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
        yield (*path, *key), reason
    for hyperparameter in job.search.ranges:
        key = (*path, "search", "ranges", hyperparameter)
        if hyperparameter in SET_FOR_YOU:
            yield key, "is set for you, to one value; search another hyperparameter"
        elif hyperparameter in job.container.hyperparameters:
            yield key, "has one value in container.hyperparameters; remove it there, or here"
    yield from read_otherwise((*path, "search", "objective"), {"regex": job.search.objective.regex})


def _of_jobs(job: TuningJob) -> Iterator[Violation]:
    """Yield numbers of trainings that do not go together; not of a grid that is none."""
    search, count = job.search, job.search.job_count
    if search.strategy == "grid":
        wrong = {key: one.type for key, one in search.ranges.items() if not isinstance(one, CategoricalRange)}
        for key, kind in wrong.items():
            yield (
                ("search", "ranges", key, "type"),
                f"is {kind}, but a grid has every combination of values; write type: categorical and the values, or choose "
                "another strategy",
            )
        if search.max_jobs is not None:
            yield (
                ("search", "max_jobs"),
                f"has no effect on a grid, which has every combination; {without('max_jobs')}",
            )
        if wrong:
            return
    elif search.max_jobs is None:
        yield ("search", "max_jobs"), f"is missing: write how many trainings {search.strategy} may take"
        return
    if count > (most := MAX_JOBS[search.strategy]):
        yield (
            ("search", "ranges" if search.strategy == "grid" else "max_jobs"),
            f"makes {count:,} trainings; SageMaker takes {most:,} at most with strategy: {search.strategy}",
        )
    if search.max_parallel_jobs > count:
        yield (
            ("search", "max_parallel_jobs"),
            f"is {search.max_parallel_jobs}, but one tuning has {count} trainings; write {count} at most",
        )


def _of_strategy(job: TuningJob) -> Iterator[Violation]:
    search, epochs = job.search, job.dataset.epochs
    if search.strategy == "hyperband":
        if search.early_stopping:
            yield (
                ("search", "early_stopping"),
                f"hyperband ends trainings by itself; {without('early_stopping')}",
            )
        if not 2 <= epochs <= MAX_HYPERBAND_EPOCHS:
            yield (
                ("dataset", "epochs"),
                f"is {epochs:,}, but hyperband compares trainings epoch by epoch, and takes 2 to {MAX_HYPERBAND_EPOCHS:,}; "
                "choose another strategy, or other epochs",
            )
    if search.warm_start is not None and search.strategy not in WARM_STARTED:
        yield (
            ("search", "warm_start"),
            f"only {' and '.join(WARM_STARTED)} learn from earlier tunings; {without('warm_start')}",
        )


def _of_training(job: TuningJob) -> Iterator[Violation]:
    total, code = job.total_deadline_hours, job.container.code
    if total is not None and total < job.deadline_hours:
        yield (
            ("total_deadline_hours",),
            f"is {total:g}, below deadline_hours ({job.deadline_hours:g}), which one training may take",
        )
    if "on_demand_fallback" in job.spot.model_fields_set:
        yield (
            ("spot", "on_demand_fallback"),
            f"has no effect on a tuning: all of its trainings are on Spot, or none; {without('on_demand_fallback')}",
        )
    if code is not None and not (
        len(code.command) == 2 and code.command[1].endswith(INTERPRETERS.get(code.command[0], "\0"))
    ):
        yield (
            ("container", "code", "command"),
            "CreateHyperParameterTuningJob has no entry point: the SageMaker training toolkit of the image starts one script; "
            "write [python, train.py] or [bash, launch.sh], and arguments in container.hyperparameters",
        )
    count = len(job.container.environment) + (len(CHECKPOINT_VARIABLES) if job.checkpoint else 0)
    if count > MAX_VARIABLES:
        yield (
            ("container", "environment"),
            f"makes {count} variables, with those of checkpoint; a tuning job takes {MAX_VARIABLES} at most",
        )

"""The decisions for a tuning job: those of one of its trainings, and of the search around it."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from sizewell.config.repeated_runs import runs_per_month
from sizewell.config.request_members import TRAINING_ENVIRONMENT
from sizewell.config.training_container import hyperparameter_text
from sizewell.facts.tuning_jobs import RUNTIME_BOUNDS_S
from sizewell.instance_selection import Catalog, TrainingEstimate
from sizewell.instance_selection.results import Candidate
from sizewell.kinds.tuning_job.config import CategoricalRange, TuningJob
from sizewell.kinds.tuning_job.needs import one_training, time_per_training_hours
from sizewell.kinds.tuning_job.plan_model import SearchPlan, TuningJobPlan
from sizewell.planning.instance_pools import MAX_POOLS, same_image_candidates
from sizewell.planning.interface_endpoints import services_of_job
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.locked_selection import locked_pools
from sizewell.planning.name_limits import STATE_MACHINE_NAME
from sizewell.planning.names import Names
from sizewell.planning.proxy import bypass_faults
from sizewell.planning.remedies import Remedy, training_remedies
from sizewell.planning.schedule import plan_schedule
from sizewell.planning.training_plan import Rung, plan_attempt, plan_trained
from sizewell.planning.training_plan_model import TrainedModelPlan, TrainingAttemptPlan


def plan_tuning_job(stated: Stated) -> TuningJobPlan:
    """Return the plan of a tuning job, on its locked type while that is feasible.

    Raises ``NoFeasibleInstanceError`` and ``UnknownInstanceTypeError``.
    """
    job: TuningJob = stated.workload
    name, catalog, names = stated.name, stated.catalog, stated.names
    training = plan_trained(replace(stated, workload=one_training(job)))
    ladder = same_image_candidates(training.selection, catalog, locked_pools(stated.locked, training.lock))
    attempts = _attempts(job, ladder, catalog, names)
    deadline_s = attempts[0].ends_after_s
    estimate = training.selection.chosen.estimate
    trainings, waves = job.search.job_count, job.search.waves
    hours = waves * estimate.duration_hours
    usd = None if estimate.usd_per_run is None else trainings * estimate.usd_per_run
    told = (
        f"what is said of a run is of one training: a tuning has {trainings}, {job.search.max_parallel_jobs} at a time",
        f"a tuning takes {hours:,.1f} h at most, {waves} trainings one after another"
        + ("" if usd is None else f", and {usd:,.2f} USD at most"),
        *(
            ["how much less it takes where bad trainings are ended early is not estimated"]
            if job.search.early_stopping or job.search.strategy == "hyperband"
            else []
        ),
    )
    members = {key: getattr(training, key) for key in TrainedModelPlan.model_fields}
    return TuningJobPlan.model_validate(
        {
            **members,
            "kind": "tuning-job",
            "job_name_prefix": names.tuning_job(name),
            "attempts": attempts,
            "instance_pools": tuple(attempt.instance_type for attempt in attempts),
            "deadline_s": deadline_s,
            "schedule": plan_schedule(job.schedule) if job.schedule else None,
            "runs_per_month": runs_per_month(job),
            "selection": training.selection.model_copy(
                update={"assumptions": (*training.selection.assumptions, *told)}
            ),
            "search": _search(job, deadline_s),
            "duration_hours": hours,
            "usd_per_run": usd,
        }
    )


def _attempts(
    job: TuningJob, candidates: tuple[Candidate[TrainingEstimate], ...], catalog: Catalog, names: Names
) -> tuple[TrainingAttemptPlan, ...]:
    """Return the types of all trainings, of which AWS takes six: all with disks of their own or none, for one key is for all.

    All trainings have one ``CheckpointConfig``, so they share a location of checkpoints, and SageMaker copies all that is there
    to each when it starts: of those that run, and of those that were stopped or failed before they deleted theirs.
    """
    trainings = job.search.job_count if job.checkpoint else 1
    rungs = [Rung(candidate, job.spot.enabled, job.deadline_hours) for candidate in candidates]
    found = [plan_attempt(rung, job, catalog, names, trainings=trainings) for rung in rungs]
    alike = [
        attempt for attempt in found if attempt.encrypt_volume_with_key == found[0].encrypt_volume_with_key
    ]
    return tuple(alike[:MAX_POOLS])


def _search(job: TuningJob, deadline_s: int) -> SearchPlan:
    search, start = job.search, job.search.warm_start
    total_s = min(RUNTIME_BOUNDS_S[1], search.waves * deadline_s)
    if job.total_deadline_hours is not None:
        total_s = math.ceil(job.total_deadline_hours * 3600)
    return SearchPlan.model_validate(
        {
            "strategy": _word(search.strategy),
            "metric_name": search.objective.metric,
            "metric_goal": _word(search.objective.goal),
            "metric_regex": search.objective.regex,
            "ranges": tuple(
                {
                    "name": name,
                    "kind": _word(searched.type),
                    "values": tuple(
                        map(
                            hyperparameter_text,
                            searched.values
                            if isinstance(searched, CategoricalRange)
                            else (searched.min, searched.max),
                        )
                    ),
                    "scaling_type": _word(
                        "auto" if isinstance(searched, CategoricalRange) else searched.scaling
                    ),
                }
                for name, searched in sorted(search.ranges.items())
            ),
            "max_jobs": search.job_count,
            "max_parallel_jobs": search.max_parallel_jobs,
            "max_runtime_s": total_s,
            "early_stopping": search.early_stopping,
            "hyperband_max_resource": job.dataset.epochs if search.strategy == "hyperband" else None,
            "warm_start_parents": start.parents if start else (),
            "warm_start_type": _word(start.type if start else "identical-data-and-algorithm"),
        }
    )


def _word(name: str) -> str:
    """Return how the API writes a word of the configuration: ReverseLogarithmic of reverse-logarithmic."""
    return "".join(part.capitalize() for part in name.split("-"))


def _plan(stated: Stated) -> Planned:
    return plan_tuning_job(stated), ()


def _remedies(job: TuningJob) -> Mapping[str, Remedy]:
    """Return those of a training, at the keys that bound all of them; the reasons tell of one."""
    search, hours = job.search, time_per_training_hours(job)
    budget = (
        f"each of {search.job_count} trainings has an equal part of it: raise it, or have fewer trainings"
    )
    found = {**training_remedies(job), "budget": Remedy(("max_usd_per_run",), budget)}
    if hours < job.deadline_hours:
        key = "search" if job.total_deadline_hours is None else "total_deadline_hours"
        each = f"each of {search.waves} trainings one after another may take {hours:.3g} h"
        found["deadline"] = Remedy(
            (key,), f"{each}: allow more hours, or raise search.max_parallel_jobs or max_instances"
        )
    return found


FACET = PlanKind(
    plan=_plan,
    name=STATE_MACHINE_NAME,
    remedies=_remedies,
    services=services_of_job,
    foundation_faults=partial(bypass_faults, max_characters=TRAINING_ENVIRONMENT[1]),
)

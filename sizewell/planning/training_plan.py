"""The decisions for what is trained: by a training job, and by each training of a search."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sizewell.config.file_system import FileSystem
from sizewell.config.repeated_runs import runs_per_month
from sizewell.config.training import TrainedModel
from sizewell.config.training_container import TrainingCode, TrainingContainer, hyperparameter_text
from sizewell.facts.file_systems import FILE_SYSTEM_TYPES
from sizewell.facts.training_jobs import DATA_CHANNEL, METHOD_HYPERPARAMETER
from sizewell.instance_selection import Catalog, HardwareKind, Selection, TrainingEstimate
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.results import Candidate
from sizewell.planning.images import plan_image
from sizewell.planning.instance_pools import ranked_candidates
from sizewell.planning.kind import Stated
from sizewell.planning.locked_selection import locked_pools
from sizewell.planning.model_spec import model_spec
from sizewell.planning.names import Names, stated_keys
from sizewell.planning.schedule import plan_schedule, plan_starts_on
from sizewell.planning.training_method import job_needs_digest, select_with_method
from sizewell.planning.training_plan_model import (
    CheckpointPlan,
    FileSystemPlan,
    TrainedModelPlan,
    TrainingAttemptPlan,
    TrainingCodePlan,
)
from sizewell.planning.translate import image_for
from sizewell.planning.volumes import has_local_disks, training_volume_size_gib

#: Enough types to find capacity, and few enough that the last one is still a sensible choice.
MAX_RUNGS = 5
#: Below Spot: the types that are cheapest on demand.
MAX_ON_DEMAND_RUNGS = 2
#: A checkpoint of mixed-precision AdamW: weights and two moments in fp32 (Rajbhandari et al. 2020, ZeRO, section
#: 3.1). SGD and adapters need less; the disk is sized for the most.
CHECKPOINT_BYTES_PER_PARAMETER = 12
GIB = 2**30


def plan_trained(stated: Stated) -> TrainedModelPlan:
    """Return the plan of what is trained, on its locked type and with its locked method while that is feasible.

    Raises ``NoFeasibleInstanceError`` and ``UnknownInstanceTypeError``.
    """
    job: TrainedModel = stated.workload
    name, policy, catalog, names = stated.name, stated.policy, stated.catalog, stated.names
    if job.instances.instance_type is not None:
        catalog.get(job.instances.instance_type)
    digest = job_needs_digest(job, policy)
    method, selection, lock = select_with_method(
        job, policy, catalog, stated.locked, digest, stated.measurements
    )
    margin = policy.margin if job.margin is None else job.margin
    rungs = _rungs(job, ranked_candidates(selection, locked_pools(stated.locked, lock)), margin)
    assumptions = (*selection.assumptions, _streaming(job, selection.chosen.estimate))
    return TrainedModelPlan(
        kind=job.kind,
        **trained_fields(stated, method, selection),
        state_machine_name=names.workload(name),
        job_name_prefix=names.workload(name),
        attempts=tuple(plan_attempt(rung, job, catalog, names) for rung in rungs),
        channels=_channels(job),
        encrypt_inter_container_traffic=job.encrypt_inter_container_traffic,
        metrics=dict(sorted(job.container.metrics.items())),
        starts_on=plan_starts_on(job.starts_on),
        report_success=job.report_success,
        experiment=job.experiment,
        selection=selection.model_copy(update={"assumptions": assumptions}),
        instance_pools=tuple(dict.fromkeys(rung.candidate.instance_type for rung in rungs)),
        needs_digest=digest,
        lock=lock,
    )


def trained_fields(stated: Stated, method: str, selection: Selection[TrainingEstimate]) -> dict[str, Any]:
    """Return what the plan of a training has wherever it runs."""
    job: TrainedModel = stated.workload
    name, names, checkpoint = stated.name, stated.names, job.checkpoint
    return {
        **stated_keys(name, job, names),
        "job_tags": job_tags(name, job.tags, names, stated.environment_tags),
        "code": _code(job.container.code) if job.container.code else None,
        "method": method,
        "output_prefix": f"output/{name}",
        "hyperparameters": _hyperparameters(
            job.container, method, selection.chosen.estimate.batch_size_per_accelerator
        ),
        "environment": dict(sorted(job.container.environment.items())),
        "network_isolation": job.container.network_isolation,
        "deadline_s": seconds(job.deadline_hours),
        "checkpoint": CheckpointPlan(prefix=name, interval_minutes=checkpoint.interval_minutes)
        if checkpoint
        else None,
        "schedule": plan_schedule(job.schedule) if job.schedule else None,
        "runs_per_month": runs_per_month(job),
    }


def job_tags(
    name: str, own: Mapping[str, str], names: Names, environment_tags: Mapping[str, str]
) -> dict[str, str]:
    """Return all tags of a job: of the environment, of the workload, and who it is."""
    who = {"environment": names.environment, "platform": names.platform, "workload": name}
    return dict(sorted({**environment_tags, **own, **who}.items()))


class Rung(NamedTuple):
    """A type that is tried, on Spot or on demand, until so long after the start."""

    candidate: Candidate[TrainingEstimate]
    spot: bool
    ends_after_hours: float


def _rungs(
    job: TrainedModel, ranked: tuple[Candidate[TrainingEstimate], ...], margin: float
) -> tuple[Rung, ...]:
    """Return what is tried in turn: the first types on Spot, as long as the deadline allows, then on demand.

    Spot gives way when a whole run on demand, with its margin, just meets the deadline; what it has until then is shared by as
    many types as have time for a run.
    """
    if not job.spot.enabled:
        return tuple(Rung(one, False, job.deadline_hours) for one in ranked[:MAX_RUNGS])
    if not job.spot.on_demand_fallback:
        return _on_spot(ranked[:MAX_RUNGS], job.deadline_hours, margin)
    on_demand = sorted(ranked[:MAX_RUNGS], key=_on_demand_usd_per_run)[:MAX_ON_DEMAND_RUNGS]
    return (
        *_on_spot(ranked[: MAX_RUNGS - MAX_ON_DEMAND_RUNGS], spot_hours(job, on_demand, margin), margin),
        *(Rung(one, False, job.deadline_hours) for one in on_demand),
    )


def spot_hours(job: TrainedModel, on_demand: Iterable[Candidate[TrainingEstimate]], margin: float) -> float:
    """Return how long Spot may be tried, so that a whole run on any of the types ``on_demand`` still meets the deadline."""
    window = job.deadline_hours - max(_promised_hours(candidate, margin) for candidate in on_demand)
    return window if job.spot.max_wait_hours is None else min(window, job.spot.max_wait_hours)


def _on_spot(
    candidates: tuple[Candidate[TrainingEstimate], ...], window_hours: float, margin: float
) -> tuple[Rung, ...]:
    fitting = max(1, math.floor(window_hours / _promised_hours(candidates[0], margin)))
    tried = candidates[:fitting]
    return tuple(
        Rung(one, True, window_hours * number / len(tried)) for number, one in enumerate(tried, start=1)
    )


def _promised_hours(candidate: Candidate[TrainingEstimate], margin: float) -> float:
    """Return how long a run on demand takes, with the margin."""
    return (candidate.estimate.on_demand_hours or 0.0) * (1 + margin)


def plan_attempt(
    rung: Rung, job: TrainedModel, catalog: Catalog, names: Names, *, trainings: int = 1
) -> TrainingAttemptPlan:
    """Return the job of a rung, with room for the checkpoints of so many trainings."""
    instance_type = catalog.get(rung.candidate.instance_type)
    hardware = hardware_kind(instance_type)
    assert hardware is not None
    return TrainingAttemptPlan(
        instance_type=instance_type.name,
        hardware=hardware.value,
        image=plan_image(image_for(job.container.images, hardware), names),
        spot=rung.spot,
        ends_after_s=seconds(rung.ends_after_hours),
        usd_per_hour=None if job.is_prepaid else rung.candidate.cost.usd_per_hour,
        gpu_count=instance_type.accelerator_count if hardware is HardwareKind.CUDA else 0,
        instance_count=rung.candidate.estimate.instance_count,
        volume_size_gib=training_volume_size_gib(instance_type, checkpoint_gib(job), trainings=trainings),
        encrypt_volume_with_key=not has_local_disks(instance_type),
    )


def checkpoint_gib(job: TrainedModel) -> float:
    """Return the size of a checkpoint of a job that trains all weights."""
    return model_spec(job.model).parameters * CHECKPOINT_BYTES_PER_PARAMETER / GIB


def _on_demand_usd_per_run(candidate: Candidate[TrainingEstimate]) -> float:
    """Return what a run costs without the discount of Spot; a type without a price comes last."""
    usd_per_hour = candidate.cost.usd_per_hour
    if usd_per_hour is None:
        return math.inf
    return usd_per_hour * candidate.estimate.instance_count * candidate.estimate.duration_hours


def seconds(hours: float) -> int:
    """Return whole seconds."""
    return math.floor(hours * 3600)


def _channels(job: TrainedModel) -> dict[str, str | FileSystemPlan]:
    more: dict[str, str | FileSystem] = {**job.channels, **job.file_systems}
    sources = {DATA_CHANNEL: job.dataset.source} | dict(sorted(more.items()))
    return {
        name: source.rstrip("/")
        if isinstance(source, str)
        else FileSystemPlan(
            type=FILE_SYSTEM_TYPES[source.type],
            id=source.id,
            directory=source.directory,
            subnet_id=source.subnet_id,
        )
        for name, source in sources.items()
    }


def _streaming(job: TrainedModel, estimate: TrainingEstimate) -> str:
    dataset = job.dataset
    files = dataset.file_system
    streams = "Amazon S3 streams" if files is None else f"the file system {files.id} must give"
    mib_per_second = dataset.size_gib * 1024 * dataset.epochs / (estimate.duration_hours * 3600)
    return (
        f"{streams} the dataset at {mib_per_second:,.1f} MiB/s "
        f"({dataset.size_gib:g} GiB x {dataset.epochs} in {estimate.duration_hours:,.1f} h)"
    )


def _code(code: TrainingCode) -> TrainingCodePlan:
    return TrainingCodePlan(prefix=code.prefix.rstrip("/"), command=code.command)


def _hyperparameters(container: TrainingContainer, method: str, batch_size: int) -> dict[str, str]:
    """Return the hyperparameters as text. What the user states wins."""
    stated = {key: hyperparameter_text(value) for key, value in container.hyperparameters.items()}
    derived = {METHOD_HYPERPARAMETER: method, "batch_size_per_accelerator": str(batch_size)}
    return dict(sorted({**derived, **stated}.items()))

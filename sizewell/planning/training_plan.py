"""The decisions for one training job."""

import json
import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from sizewell.config.container import TrainingCode, TrainingContainer, hyperparameter_text
from sizewell.config.policy import Policy
from sizewell.config.training import TrainedModel
from sizewell.facts.training_jobs import METHOD_HYPERPARAMETER
from sizewell.instance_selection import Catalog, Measurement, TrainingEstimate
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.results import Candidate
from sizewell.planning.errors import PlanFault
from sizewell.planning.images import plan_image
from sizewell.planning.instance_pools import MAX_POOLS, same_image_candidates
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.locked_selection import locked_pools
from sizewell.planning.model_spec import model_spec
from sizewell.planning.names import Names
from sizewell.planning.schedule import plan_schedule
from sizewell.planning.training_method import job_needs_digest, select_with_method
from sizewell.planning.training_plan_model import (
    CheckpointPlan,
    TrainingAttemptPlan,
    TrainingCodePlan,
    TrainingJobPlan,
)
from sizewell.planning.translate import image_for, max_wait_hours, runs_per_month
from sizewell.planning.volumes import has_local_disks, training_volume_size_gib

#: A checkpoint of mixed-precision AdamW: weights and two moments in fp32 (Rajbhandari et al. 2020, ZeRO, section
#: 3.1). SGD and adapters need less; the disk is sized for the most.
CHECKPOINT_BYTES_PER_PARAMETER = 12
GIB = 2**30
#: A definition has at most 1,048,576 characters (Step Functions guide, "Service quotas"), a template 1 MB
#: (CloudFormation guide, "Quotas"); a tenth is for everything else in them.
MAX_DEFINITION_MEMBERS = 900_000


def plan_training_job(
    name: str,
    job: TrainedModel,
    policy: Policy,
    catalog: Catalog,
    names: Names,
    locked: LockedWorkload | None = None,
    measurements: tuple[Measurement, ...] = (),
    environment_tags: Mapping[str, str] = MappingProxyType({}),
) -> TrainingJobPlan:
    """Return the plan of a job, on its locked type and with its locked method while that is feasible.

    Raises ``NoFeasibleInstanceError`` and ``UnknownInstanceTypeError``.
    """
    if job.instances.instance_type is not None:
        catalog.get(job.instances.instance_type)
    digest = job_needs_digest(job, policy)
    method, selection, lock = select_with_method(job, policy, catalog, locked, digest, measurements)
    chosen_kind = hardware_kind(catalog.get(selection.chosen.instance_type))
    assert chosen_kind is not None
    image = image_for(job.container.images, chosen_kind)
    ladder = _ladder(job, same_image_candidates(selection, catalog, locked_pools(locked, lock)))
    attempts = _attempts(job, ladder, catalog)
    return TrainingJobPlan(
        name=name,
        description=job.description,
        stack_name=names.stack(name),
        state_machine_name=names.workload(name),
        job_name_prefix=names.workload(name),
        tags=dict(sorted(job.tags.items())),
        place=job.place,
        execution_role_arn=job.execution_role_arn,
        job_tags=job_tags(name, job.tags, names, environment_tags),
        attempts=attempts,
        image=plan_image(image, names),
        code=_code(job.container.code) if job.container.code else None,
        method=method,
        dataset_prefix=job.dataset.prefix.rstrip("/"),
        output_prefix=f"output/{name}",
        hyperparameters=_hyperparameters(job.container, method, job.batch_size_per_accelerator),
        environment=dict(sorted(job.container.environment.items())),
        network_isolation=job.container.network_isolation,
        max_runtime_s=_max_runtime_s(job),
        max_wait_s=_max_wait_s(job, sum(attempt.spot for attempt in attempts)),
        checkpoint=CheckpointPlan(prefix=name, interval_minutes=job.checkpoint.interval_minutes)
        if job.checkpoint
        else None,
        schedule=plan_schedule(job.schedule) if job.schedule else None,
        runs_per_month=runs_per_month(job),
        selection=selection.model_copy(
            update={"assumptions": (*selection.assumptions, _streaming(job, selection.chosen.estimate))}
        ),
        instance_pools=tuple(candidate.instance_type for candidate in ladder),
        needs_digest=digest,
        lock=lock,
    )


def job_tags(
    name: str, own: Mapping[str, str], names: Names, environment_tags: Mapping[str, str]
) -> dict[str, str]:
    """Return all tags of a job: of the environment, of the workload, and who it is."""
    who = {"environment": names.environment, "platform": names.platform, "workload": name}
    return dict(sorted({**environment_tags, **own, **who}.items()))


def definition_faults(job: TrainingJobPlan) -> Iterator[PlanFault]:
    """Yield a fault when the state machine would be larger than Step Functions and CloudFormation take it.

    Every attempt repeats the variables, hyperparameters and tags of the job, as JSON inside the JSON of the template.
    """
    members = json.dumps(json.dumps([job.environment, job.hyperparameters, job.job_tags]))
    size = len(job.attempts) * len(members)
    if size > MAX_DEFINITION_MEMBERS:
        yield PlanFault(
            ("workloads", job.name, "container"),
            f"{len(job.attempts)} attempts, each with the variables and hyperparameters, make a state machine of "
            f"{size:,} characters; AWS takes {MAX_DEFINITION_MEMBERS:,} of them",
            "shorten container.environment and container.hyperparameters: a long text belongs into a file of the code",
        )


def _ladder(
    job: TrainedModel, candidates: tuple[Candidate[TrainingEstimate], ...]
) -> tuple[Candidate[TrainingEstimate], ...]:
    """Return the candidates that are tried: the first ones, and below Spot the one that is cheapest on demand.

    They are of one kind of hardware: a checkpoint that was saved on one kind does not resume on another.
    """
    ladder = candidates[:MAX_POOLS]
    if not (job.spot.enabled and job.spot.on_demand_fallback):
        return ladder
    last = min(candidates, key=_on_demand_usd_per_run)
    return ladder if last in ladder else (*ladder[:-1], last)


def _attempts(
    job: TrainedModel, ladder: tuple[Candidate[TrainingEstimate], ...], catalog: Catalog
) -> tuple[TrainingAttemptPlan, ...]:
    """Return the attempts in their order, and at their end, below Spot, one that is not interrupted."""
    if not job.spot.enabled:
        return tuple(plan_attempt(c, job, catalog, spot=False) for c in ladder)
    # Each Spot attempt may last a whole run, so only so many fit into the longest wait.
    fitting = math.floor(max_wait_hours(job) / job.deadline_hours)
    fallback = job.spot.on_demand_fallback
    on_spot = [plan_attempt(c, job, catalog, spot=True) for c in ladder[: min(fitting, MAX_POOLS - fallback)]]
    if not fallback:
        return tuple(on_spot)
    return (*on_spot, plan_attempt(min(ladder, key=_on_demand_usd_per_run), job, catalog, spot=False))


def plan_attempt(
    candidate: Candidate[TrainingEstimate],
    job: TrainedModel,
    catalog: Catalog,
    *,
    spot: bool,
    checkpoints: int = 1,
) -> TrainingAttemptPlan:
    """Return a job on a type, with room for the checkpoints of so many trainings."""
    instance_type = catalog.get(candidate.instance_type)
    checkpoint_gib = checkpoints * model_spec(job.model).parameters * CHECKPOINT_BYTES_PER_PARAMETER / GIB
    return TrainingAttemptPlan(
        instance_type=candidate.instance_type,
        spot=spot,
        instance_count=candidate.estimate.instance_count,
        volume_size_gib=training_volume_size_gib(instance_type, checkpoint_gib),
        encrypt_volume_with_key=not has_local_disks(instance_type),
    )


def _on_demand_usd_per_run(candidate: Candidate[TrainingEstimate]) -> float:
    """Return what a run costs without the discount of Spot; a type without a price comes last."""
    usd_per_hour = candidate.cost.usd_per_hour
    if usd_per_hour is None:
        return math.inf
    return usd_per_hour * candidate.estimate.instance_count * candidate.estimate.duration_hours


def _max_wait_s(job: TrainedModel, spot_attempts: int) -> int | None:
    """Return MaxWaitTimeInSeconds of each Spot attempt: an equal part of the longest wait, and at least a whole run.

    SageMaker counts waiting and running together, and refuses less than the longest run, which is rounded up.
    """
    if not spot_attempts:
        return None
    return max(_max_runtime_s(job), math.floor(max_wait_hours(job) * 3600 / spot_attempts))


def _max_runtime_s(job: TrainedModel) -> int:
    return math.ceil(job.deadline_hours * 3600)


def _streaming(job: TrainedModel, estimate: TrainingEstimate) -> str:
    dataset = job.dataset
    mib_per_second = dataset.size_gib * 1024 * dataset.epochs / (estimate.duration_hours * 3600)
    return (
        f"Amazon S3 streams the dataset at {mib_per_second:,.1f} MiB/s "
        f"({dataset.size_gib:g} GiB x {dataset.epochs} in {estimate.duration_hours:,.1f} h)"
    )


def _code(code: TrainingCode) -> TrainingCodePlan:
    return TrainingCodePlan(prefix=code.prefix.rstrip("/"), command=code.command)


def _hyperparameters(container: TrainingContainer, method: str, batch_size: int) -> dict[str, str]:
    """Return the hyperparameters as text. What the user states wins."""
    stated = {key: hyperparameter_text(value) for key, value in container.hyperparameters.items()}
    derived = {METHOD_HYPERPARAMETER: method, "batch_size_per_accelerator": str(batch_size)}
    return dict(sorted({**derived, **stated}.items()))

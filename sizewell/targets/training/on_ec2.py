"""What is decided alike for a training on an instance of EC2, whatever launches it: one container, which has it to itself.

SageMaker streams a dataset. Here it is downloaded before each start, onto the volume: that takes room and time, which count
against the deadline and in the price.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sizewell.config.policy import Policy
from sizewell.config.training import TrainedModel
from sizewell.facts.training_jobs import DATA_CHANNEL
from sizewell.instance_selection import (
    Candidate,
    Catalog,
    HardwareKind,
    Measurement,
    TrainingEstimate,
    TrainingRequirements,
)
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.requirements import START_UP_HOURS
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.images import plan_image
from sizewell.planning.kind import Stated
from sizewell.planning.locked_selection import locked_pools
from sizewell.planning.training_method import Requirements, job_needs_digest, select_with_method
from sizewell.planning.training_plan import checkpoint_gib, trained_fields
from sizewell.planning.translate import image_for, training_requirements
from sizewell.planning.volumes import CHECKPOINTS_HELD, SCRATCH_GIB
from sizewell.targets.ec2_types import alike, check_pinned, on_ec2
from sizewell.targets.set_variables import set_variable_faults
from sizewell.targets.training.plan_model import TrainedOnEc2Plan

#: What is set for it, beside the variables of the script.
_SET_VARIABLES = frozenset(
    {
        "AWS_DEFAULT_REGION",
        "AWS_REGION",
        "CHANNELS",
        "CHECKPOINT_URI",
        "HARDWARE",
        "HYPERPARAMETERS",
        "INSTANCE_TYPE",
        "JOB_COMPLETION_INDEX",
        "OUTPUT_URI",
        "RUN_HOSTS",
        "RUN_NAME",
        "SPOT_NOTICES",
    }
)
#: What a gp3 volume writes at least: https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html
_VOLUME_MIB_PER_S = 125
#: Ours. A larger volume would take days to fill.
_MAX_VOLUME_GIB = 16_384


@dataclass(frozen=True)
class TrainedOnEc2:
    """The decisions."""

    types: tuple[InstanceType, ...]
    """Of the catalog that they were chosen from, the chosen one first."""
    kind: HardwareKind
    promised_hours: float
    """What a whole run on demand takes on the slowest of the types."""
    fields: Mapping[str, Any]
    """Of the plan, whatever runs it."""


def ec2_training_requirements(
    job: TrainedModel,
    policy: Policy,
    method: str,
    assumptions: tuple[str, ...] = (),
    measurements: tuple[Measurement, ...] = (),
) -> TrainingRequirements:
    """Return the needs of a training on an instance of EC2, which downloads its dataset at each start."""
    needs = on_ec2(training_requirements(job, policy, method, assumptions, measurements))
    return replace(needs, start_up_hours=START_UP_HOURS + _download_hours(job))


def train_on_ec2(
    stated: Stated,
    catalog: Catalog,
    assumptions: Iterable[str] = (),
    requirements: Requirements = ec2_training_requirements,
) -> TrainedOnEc2:
    """Return the decisions for a training in ``stated.cluster``, whose instances are those of a catalog.

    Raises ``NoFeasibleInstanceError`` and, of its type and its volume, ``PlanError``.
    """
    job: TrainedModel = stated.workload
    policy = stated.policy
    check_pinned(stated.name, requirements(job, policy, "full").limits.instance_type, catalog)
    digest = job_needs_digest(job, policy, requirements, target=stated.cluster.type)
    method, selection, lock = select_with_method(
        job, policy, catalog, stated.locked, digest, stated.measurements, requirements
    )
    candidates = _of_one_run(alike(selection, catalog, locked_pools(stated.locked, lock)))
    types = tuple(catalog.get(candidate.instance_type) for candidate in candidates)
    kind = hardware_kind(types[0])
    assert kind is not None, "the selection has an image for it"
    told = (*selection.assumptions, _download(job), *assumptions)
    fields = {
        **trained_fields(stated, method, selection),
        "instance_type": types[0].name,
        "hardware": kind.value,
        "image": plan_image(image_for(job.container.images, kind), stated.names),
        "gpu_count": types[0].accelerator_count if kind is HardwareKind.CUDA else 0,
        "volume_size_gib": _volume_size_gib(stated.name, job),
        "spot": job.spot.enabled,
        "on_demand_fallback": not job.spot.enabled or job.spot.on_demand_fallback,
        "channels": {DATA_CHANNEL: (job.dataset.prefix or "").rstrip("/")},
        "selection": selection.model_copy(update={"assumptions": told}),
        "instance_pools": tuple(instance_type.name for instance_type in types),
        "needs_digest": digest,
        "lock": lock,
    }
    margin = policy.margin if job.margin is None else job.margin
    slowest = max(
        candidate.estimate.on_demand_hours or candidate.estimate.duration_hours for candidate in candidates
    )
    return TrainedOnEc2(types, kind, slowest * (1 + margin), fields)


def _of_one_run(
    candidates: tuple[Candidate[TrainingEstimate], ...],
) -> tuple[Candidate[TrainingEstimate], ...]:
    """Return the types that take each other's place in a run, the chosen one first.

    They have as many instances. The hosts of a run are of one type: they train at the pace of the slowest.
    """
    count = candidates[0].estimate.instance_count
    same = tuple(candidate for candidate in candidates if candidate.estimate.instance_count == count)
    return same if count == 1 else same[:1]


def variable_faults(
    plan: TrainedOnEc2Plan, where: str, is_reserved: Callable[[str], bool] = lambda _: False
) -> Iterator[PlanFault]:
    """Yield the variables that are set for the container, or are reserved ``where`` it runs, and cannot be given by hand."""
    return set_variable_faults(
        plan, f"a training {where}", lambda name: name in _SET_VARIABLES or is_reserved(name)
    )


def _download_hours(job: TrainedModel) -> float:
    return job.dataset.size_gib * 1024 / _VOLUME_MIB_PER_S / 3600


def _download(job: TrainedModel) -> str:
    return (
        f"each start downloads the dataset of {job.dataset.size_gib:g} GiB in {_download_hours(job) * 60:,.0f} minutes, as fast "
        f"as a gp3 volume writes ({_VOLUME_MIB_PER_S} MiB/s), and the script reads it from there"
    )


def _volume_size_gib(name: str, job: TrainedModel) -> int:
    """Return the room for what a run holds. Raises ``PlanError`` where no volume has it."""
    size_gib = SCRATCH_GIB + math.ceil(CHECKPOINTS_HELD * checkpoint_gib(job) + job.dataset.size_gib)
    if size_gib > _MAX_VOLUME_GIB:
        raise PlanError(
            (
                PlanFault(
                    ("workloads", name, "dataset", "size_gib"),
                    f"is {job.dataset.size_gib:g}, and a run needs a volume of {size_gib:,} GiB, more than {_MAX_VOLUME_GIB:,}: "
                    "in a cluster, the dataset is downloaded",
                    "train in SageMaker, which streams it",
                ),
            )
        )
    return size_gib

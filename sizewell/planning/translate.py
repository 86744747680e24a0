"""Translate the configuration of a workload into the requirements of the selection."""

import math
from dataclasses import replace
from typing import Any

from sizewell.config.container import AnyContainer, Artifact, HardwareImages, Image
from sizewell.config.inference_pipeline import InferencePipeline
from sizewell.config.instances import InstanceConstraints
from sizewell.config.policy import Policy
from sizewell.config.repeated_runs import runs_per_month
from sizewell.config.served_model import Request, ServedOnInstances
from sizewell.config.traffic import RequestTraffic, UserTraffic
from sizewell.config.training import TABULAR, TrainedModel
from sizewell.facts.inference_amis import cuda_of
from sizewell.facts.speech import FRAMES_PER_WINDOW, spoken_tokens, windows
from sizewell.instance_selection import (
    Batching,
    EndpointRequirements,
    HardwareKind,
    InstanceLimits,
    Measurement,
    ModelSpec,
    Objective,
    SpotRequirements,
    TrainingRequirements,
)
from sizewell.planning.engines import engine_of
from sizewell.planning.model_spec import model_assumptions, model_spec
from sizewell.planning.scaling_schedules import bounds_of_week

#: Adapters of rank 8 to 16 on the attention layers of a decoder train about this share of its weights
#: (Hu et al. 2021, LoRA, table 4).
LORA_SHARE = 0.005


def image_for(images: HardwareImages, kind: HardwareKind) -> Image:
    """Return the image of a kind of hardware that the selection has allowed."""
    return image_at(images, kind.value)


def image_at(images: HardwareImages, key: str) -> Image:
    """Return the image of a key that has one."""
    image = images.by_hardware().get(key)
    assert isinstance(image, Image), f"the selection picked {key} without an image"
    return image


def instance_limits(
    constraints: InstanceConstraints,
    container: AnyContainer,
    policy: Policy,
    pipeline: InferencePipeline | None = None,
) -> InstanceLimits:
    """Return what environment and workload allow together, of the hardware that the images run on."""
    return replace(
        limits_of(constraints, policy, frozenset(map(HardwareKind, container.runs_on))),
        image_name=str(container.image) if container.image else None,
        cuda=_cuda_of(container.images),
        cpus=frozenset(filter(pipeline.runs_on, ("arm64", "x86_64"))) if pipeline else None,
    )


def _cuda_of(images: HardwareImages) -> tuple[int, int] | None:
    image = images.by_hardware().get(HardwareKind.CUDA.value)
    return cuda_of(image.tag) if isinstance(image, Image) else None


def limits_of(
    constraints: InstanceConstraints, policy: Policy, images: frozenset[HardwareKind]
) -> InstanceLimits:
    """Return what environment and workload allow together: the narrower of both."""
    allowed = [set(x) for x in (policy.allowed_families, constraints.allowed_families) if x is not None]
    return InstanceLimits(
        images=images,
        instance_type=constraints.instance_type,
        allowed_families=frozenset(set.intersection(*allowed)) if allowed else None,
        denied_families=frozenset(policy.denied_families) | frozenset(constraints.denied_families),
        allow_burstable=policy.allow_burstable,
    )


def pipeline_needs(pipeline: InferencePipeline | None) -> dict[str, Any]:
    """Return what containers beside that of the model take, by the names of the requirements."""
    if pipeline is None:
        return {}
    return {
        "pipeline_ms": pipeline.processing_ms,
        "pipeline_memory_gib": pipeline.memory_gib,
        "pipeline_disk_gib": sum(room_gib(step.artifact) or 0.0 for _, step in pipeline.steps()),
    }


def served_requirements(
    endpoint: ServedOnInstances,
    scaling: Any,
    policy: Policy,
    measurements: tuple[Measurement, ...],
    *,
    min_instances: int,
    max_p95_latency_ms: float,
    pipeline: InferencePipeline | None = None,
) -> EndpointRequirements:
    """Return the needs of an endpoint on instances, without its load.

    ``scaling`` has bounds of its instances, headroom and schedules: those of its kind.
    """
    batching = endpoint.batching
    model = model_spec(endpoint.model)
    most = scaling.max_instances or policy.max_endpoint_instances
    weeks = bounds_of_week(scaling.schedules, min_instances, most)
    return EndpointRequirements(
        model=model,
        engine=engine_of(endpoint),
        limits=instance_limits(endpoint.instances, endpoint.container, policy, pipeline),
        max_p95_latency_ms=max_p95_latency_ms,
        **pipeline_needs(pipeline),
        **request_units(endpoint.request, model),
        batching=Batching(max_batch_size=batching.max_batch_size, max_delay_ms=batching.max_delay_ms)
        if batching
        else None,
        headroom=scaling.headroom,
        min_instances=min_instances,
        # The peak comes when the most instances are allowed.
        max_instances=max(week.max_instances for week in weeks) if weeks else most,
        max_instances_is_stated=scaling.max_instances is not None,
        bounds_of_week=weeks,
        margin=policy.margin if endpoint.margin is None else endpoint.margin,
        objective=Objective(endpoint.objective),
        max_usd_per_month=endpoint.max_usd_per_month,
        savings_plan_discount_pct=discount_percent(policy),
        measurements=measurements,
        artifact_gib=room_gib(endpoint.container.artifact),
    )


def request_units(request: Request, model: ModelSpec) -> dict[str, Any]:
    """Return what one request holds, by the names of the requirements."""
    if request.audio_seconds is not None:
        count = windows(request.audio_seconds)
        tokens = request.output_tokens or spoken_tokens(request.audio_seconds)
        return {
            "input_tokens": FRAMES_PER_WINDOW,
            "output_tokens": math.ceil(tokens / count),
            "windows_per_request": count,
        }
    return {
        # A transformer has all patches of a series before it, a recurrent network one step at a time.
        "input_tokens": request.input_tokens or (model.sequence_length if model.patch_length else 0),
        "output_tokens": request.output_tokens or 0,
        "images_per_request": request.images or request.clips or request.series or request.rows or 0,
    }


def load_of(traffic: RequestTraffic | UserTraffic) -> dict[str, Any]:
    """Return how much arrives, by the names of the requirements."""
    if isinstance(traffic, UserTraffic):
        users = float(traffic.peak_concurrent_users)
        return {
            "peak_concurrent_users": users,
            "average_concurrent_users": traffic.average_concurrent_users or users,
        }
    return {
        "peak_requests_per_second": traffic.peak_requests_per_second,
        "average_requests_per_second": traffic.average_requests_per_second,
    }


def room_gib(artifact: Artifact | None) -> float | None:
    """Return the room that an artifact of a stated size takes on disk: a packed one lies there beside its contents."""
    if artifact is None or artifact.size_gib is None:
        return None
    return artifact.size_gib * (2 if artifact.compression == "gzip" else 1)


def training_requirements(
    job: TrainedModel,
    policy: Policy,
    method: str,
    assumptions: tuple[str, ...] = (),
    measurements: tuple[Measurement, ...] = (),
) -> TrainingRequirements:
    """Return the needs of a job in SageMaker that trains all weights (full) or adapters (lora)."""
    data = job.dataset
    units = data.examples if data.examples is not None else (data.tokens_millions or 0) * 1e6
    spot = None
    if job.spot.enabled and job.checkpoint is not None:
        spot = SpotRequirements(
            checkpoint_interval_hours=job.checkpoint.interval_minutes / 60,
            on_demand_fallback=job.spot.on_demand_fallback,
            max_wait_hours=job.spot.max_wait_hours,
        )
    # Training is told the future, and draws no paths of it.
    model = replace(model_spec(job.model), samples=1)
    return TrainingRequirements(
        model=model,
        limits=instance_limits(job.instances, job.container, policy),
        method="lora" if method == "lora" else "full",
        optimizer=job.optimizer,
        units=units * data.epochs,
        sequence_length=model.sequence_length or data.sequence_length,
        batch_size_per_accelerator=job.batch_size_per_accelerator,
        lora_parameters=_lora_parameters(job, model),
        deadline_hours=job.deadline_hours,
        min_accelerators=job.min_accelerators,
        max_instances=job.max_instances,
        spot=spot,
        runs_per_month=runs_per_month(job),
        margin=policy.margin if job.margin is None else job.margin,
        max_usd_per_run=job.max_usd_per_run,
        savings_plan_discount_pct=0.0 if spot else discount_percent(policy),
        prepaid=job.is_prepaid,
        assumptions=(*assumptions, *_derived_batch(job), *model_assumptions(job.model)),
        measurements=measurements,
    )


def _derived_batch(job: TrainedModel) -> tuple[str, ...]:
    if job.batch_size_per_accelerator is not None or job.model.architecture in TABULAR:
        return ()
    return (
        "batch_size_per_accelerator is derived: 1, doubled while a run gets cheaper by 5 %; the script must take it from its "
        "hyperparameters",
    )


def _lora_parameters(job: TrainedModel, model: ModelSpec) -> float:
    if job.lora_parameters_millions is not None:
        return job.lora_parameters_millions * 1e6
    # In millions, as it is written: rounding must not tell a default from the same number stated.
    return model.parameters / 1e6 * LORA_SHARE * 1e6


def discount_percent(policy: Policy) -> float:
    """Return the discount of a Savings Plan, 0 without one."""
    return policy.savings_plan.discount_percent if policy.savings_plan else 0.0

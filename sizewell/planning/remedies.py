"""What to change where no instance type meets the needs: for each filter, the key that it answers for."""

from collections.abc import Mapping
from dataclasses import dataclass

from sizewell.config.training import TrainedModel
from sizewell.instance_selection.latency_bounds import BOUNDS as LATENCY_BOUNDS

PIN = ("instances", "instance_type")
IMAGES = ("container", "images")


@dataclass(frozen=True, slots=True)
class Remedy:
    """The key of a workload that a filter answers for, and what to change."""

    key_path: tuple[str, ...]
    advice: str


COMMON_REMEDIES = {
    "pinned": Remedy(PIN, "name another type"),
    "use": Remedy(PIN, "name a type that SageMaker has for this kind of workload"),
    "region": Remedy((), "use another policy.region"),
    "policy": Remedy(("instances",), "widen the allowed families or allow_burstable, here or in policy"),
    "image": Remedy(IMAGES, "add an image for this hardware"),
    "cuda": Remedy((*IMAGES, "cuda"), "name an image for another version of CUDA"),
    "pipeline": Remedy(("pipeline",), "add an image for these CPUs to each of its containers"),
    "neuron-sdk": Remedy(IMAGES, "add an image for another kind of hardware"),
    "precision": Remedy(("model", "precision"), "choose a precision that the hardware computes in"),
}
#: For each filter of an endpoint's selection.
ENDPOINT_REMEDIES = {
    **COMMON_REMEDIES,
    "autoscaling": Remedy(
        ("scaling", "max_instances"),
        "write the same number in scaling.min_instances without schedules, for a fixed count, or use a type that is not "
        "burstable",
    ),
    "memory": Remedy(("model",), "use fewer bits in model.precision, shorter requests or a smaller model"),
    "host-memory": Remedy(("model",), "use fewer bits in model.precision or a smaller model"),
    **{
        bound.filter: Remedy(
            ("latency", bound.key), "allow more milliseconds, shorten the request or use a faster engine"
        )
        for bound in LATENCY_BOUNDS
    },
    "disk": Remedy(
        ("container", "artifact", "size_gib"),
        "use fewer bits in model.precision, a smaller model or a smaller artifact",
    ),
    "budget": Remedy(
        ("max_usd_per_month",), "raise max_usd_per_month, allow more milliseconds or plan for less traffic"
    ),
    # Of a multi-model endpoint.
    "multi-model": Remedy(IMAGES, "add an image for CPUs, or NVIDIA Triton for GPUs"),
    "model-memory": Remedy(
        ("models",), "use fewer workers_per_model, fewer bits in model.precision or a smaller model"
    ),
    "cold": Remedy(
        ("latency", "max_cold_ms"), "allow more milliseconds, or make the artifact of a model smaller"
    ),
    "models": Remedy(
        ("models",),
        "allow more instances (scaling.max_instances, policy.max_endpoint_instances) or larger types, make the models smaller, "
        "split them over several endpoints, or allow a load in latency.max_p95_ms",
    ),
    "throughput": Remedy(
        ("scaling", "max_instances"),
        "allow more instances (scaling.max_instances or a schedule, policy.max_endpoint_instances) or plan for less traffic",
    ),
}
#: For each filter of a training job's selection.
TRAINING_REMEDIES = {
    **COMMON_REMEDIES,
    "accelerators": Remedy(("min_accelerators",), "ask for fewer accelerators or raise max_instances"),
    "memory": Remedy(
        ("batch_size_per_accelerator",), "use a smaller batch, more max_instances, or method: lora"
    ),
    "budget": Remedy(("max_usd_per_run",), "raise max_usd_per_run or allow more hours"),
    "deadline": Remedy(
        ("deadline_hours",), "allow more hours, or raise max_instances or batch_size_per_accelerator"
    ),
}
#: And where they differ because the batch size is derived.
DERIVED_BATCH_REMEDIES = {
    "memory": Remedy(("model",), "use more max_instances, method: lora or a smaller model"),
    "deadline": Remedy(("deadline_hours",), "allow more hours, or raise max_instances"),
}
#: For each filter of a batch transform's selection.
TRANSFORM_REMEDIES = {
    **COMMON_REMEDIES,
    "memory": Remedy(
        ("model",), "use fewer bits in model.precision, a lower max_payload_mb or a smaller model"
    ),
    "host-memory": ENDPOINT_REMEDIES["host-memory"],
    "disk": Remedy(
        ("container", "artifact", "size_gib"),
        "use fewer bits in model.precision, a smaller model or a smaller artifact, or a type with disks of its own",
    ),
    "timeout": Remedy(
        ("max_payload_mb",),
        "lower max_payload_mb, write strategy: single-record or raise invocation_timeout_s",
    ),
    "deadline": Remedy(("deadline_hours",), "allow more hours, or raise max_instances with data.objects"),
    "budget": Remedy(("max_usd_per_run",), "raise max_usd_per_run or max_usd_per_month, or allow more hours"),
}


def training_remedies(job: TrainedModel) -> Mapping[str, Remedy]:
    """Return the remedies of a training or a search; they differ where the plan derives the batch size."""
    derived = {} if job.batch_size_per_accelerator else DERIVED_BATCH_REMEDIES
    return {**TRAINING_REMEDIES, **derived}

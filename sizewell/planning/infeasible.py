"""The message when no instance type is feasible: the nearest ones, by how much they miss, and the key to change."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_UP, Context

from sizewell.config.asynchronous_endpoint import AsynchronousEndpoint
from sizewell.config.batch_transform import BatchTransform
from sizewell.config.environment import OnInstances, models_of
from sizewell.config.inference_component_endpoint import InferenceComponentEndpoint
from sizewell.config.notebook import Notebook
from sizewell.config.processing_job import ProcessingJob
from sizewell.config.training import TrainedModel
from sizewell.config.tuning import TuningJob
from sizewell.facts.asynchronous import MAX_PROCESSING_S
from sizewell.instance_selection import NoFeasibleInstanceError, Rejection, load_catalog
from sizewell.instance_selection.catalog import UnknownInstanceTypeError, regions
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.latency_bounds import BOUNDS as LATENCY_BOUNDS
from sizewell.planning.errors import PlanFault
from sizewell.planning.tuning_needs import time_per_training_hours

_PIN = ("instances", "instance_type")
_IMAGE, _IMAGES = ("container", "image"), ("container", "images")


#: Filters whose key is a bound that a shortfall multiplies.
_BOUNDS = (*(bound.filter for bound in LATENCY_BOUNDS), "cold", "deadline", "budget")
_THREE_DIGITS_UP = Context(prec=3, rounding=ROUND_UP)


@dataclass(frozen=True, slots=True)
class Remedy:
    """The key of a workload that a filter answers for, and what to change."""

    key_path: tuple[str, ...]
    advice: str


_COMMON_REMEDIES = {
    "pinned": Remedy(_PIN, "name another type"),
    "use": Remedy(_PIN, "name a type that SageMaker has for this kind of workload"),
    "region": Remedy((), "use another policy.region"),
    "policy": Remedy(("instances",), "widen the allowed families or allow_burstable, here or in policy"),
    "image": Remedy(_IMAGES, "add an image for this hardware"),
    "pipeline": Remedy(("pipeline",), "add an image for these CPUs to each of its containers"),
    "neuron-sdk": Remedy(_IMAGES, "add an image for another kind of hardware"),
    "precision": Remedy(("model", "precision"), "choose a precision that the hardware computes in"),
}
#: For each filter of an endpoint's selection.
ENDPOINT_REMEDIES = {
    **_COMMON_REMEDIES,
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
    "multi-model": Remedy(_IMAGES, "add an image for CPUs, or NVIDIA Triton for GPUs"),
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
#: For each filter of the selection behind a queue, where they differ from those of an endpoint.
QUEUE_REMEDIES = {
    **ENDPOINT_REMEDIES,
    "autoscaling": Remedy(
        ("instances",), "use a type that is not burstable: one that is can neither sleep nor follow the queue"
    ),
    "latency": Remedy(
        ("latency", "max_wait_minutes"), "allow more minutes, shorten the request or use a faster engine"
    ),
    "budget": Remedy(
        ("max_usd_per_month",), "raise max_usd_per_month, allow more minutes or plan for less traffic"
    ),
}
#: Where the hour that an invocation may take is what is missed, no longer wait helps.
_ENDED = Remedy(
    ("request",),
    f"SageMaker ends an invocation after {MAX_PROCESSING_S / 60:g} minutes: shorten the request, or use a faster engine",
)
#: For each filter of a fleet's selection: its reasons name the component.
COMPONENT_REMEDIES = {
    name: remedy
    if remedy.key_path in ((), _PIN, ("instances",), ("max_usd_per_month",))
    else Remedy(("components",), remedy.advice)
    for name, remedy in ENDPOINT_REMEDIES.items()
} | {
    "throughput": Remedy(
        ("scaling", "max_instances"),
        "allow more instances (scaling.max_instances, policy.max_endpoint_instances) or copies (scaling.max_copies of the "
        "component), or plan for less traffic",
    )
}
#: For each filter of a training job's selection.
TRAINING_REMEDIES = {
    **_COMMON_REMEDIES,
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


#: For each filter of a processing job's selection.
PROCESSING_REMEDIES = {
    **_COMMON_REMEDIES,
    "accelerators": Remedy(("accelerators",), "ask for fewer of each instance, and raise instance_count"),
    "vcpus": Remedy(("vcpus",), "ask for fewer of each instance, and raise instance_count"),
    "memory": Remedy(("memory_gib",), "ask for less of each instance, and raise instance_count"),
    "disk": Remedy(("volume_gib",), "ask for less, or allow families without disks of their own"),
    "budget": Remedy(("max_usd_per_run",), "raise max_usd_per_run, or state expected_hours"),
}
#: For each filter of a batch transform's selection.
TRANSFORM_REMEDIES = {
    **_COMMON_REMEDIES,
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

#: For each filter of a notebook's selection.
NOTEBOOK_REMEDIES = {
    **{name: _COMMON_REMEDIES[name] for name in ("pinned", "use", "region", "policy")},
    "image": Remedy(_PIN, "name a type without an accelerator, or with NVIDIA GPUs"),
    "accelerators": Remedy(("accelerators",), "ask for fewer GPUs"),
    "vcpus": Remedy(("vcpus",), "ask for fewer vCPUs"),
    "memory": Remedy(("memory_gib",), "ask for less memory"),
}


def no_feasible_fault(name: str, workload: OnInstances, error: NoFeasibleInstanceError) -> PlanFault:
    """Return the fault of a workload that nothing fits, at the key that the nearest type missed."""
    remedies = _remedies(workload)
    pinned = workload.instances.instance_type
    if pinned is not None:
        # All others were turned down for not being the pinned one: only its own reason matters.
        own = next(rejection for rejection in error.nearest if rejection.instance_type == pinned)
        advice = _of_named_image(remedies[own.filter], workload).advice
        return PlanFault(
            ("workloads", name, *_PIN),
            f"{pinned} cannot be used: {_miss(own)}",
            f"{advice}; or leave instance_type out, and the needs decide",
        )
    remedy = _of_named_image(remedies[error.nearest[0].filter], workload)
    advice = _with_reachable_bound(remedy, workload, error)
    lines = [f"none of {error.considered} instance types meets all requirements; the nearest:"]
    lines += [f"  {rejection.instance_type}: {_miss(rejection)}" for rejection in error.nearest]
    lines.append(f"turned down: {_counts(error.rejected)}")
    if scarcity := _scarcity(workload, error.rejected):
        lines.append(scarcity)
        region_advice = remedies["region"].advice
        advice = region_advice if advice == region_advice else f"{region_advice}; or {advice}"
    return PlanFault(("workloads", name, *remedy.key_path), "\n".join(lines), advice)


def _of_named_image(remedy: Remedy, workload: OnInstances) -> Remedy:
    """Return the remedy; for images that a name or a model package stands for, that of the name or the package."""
    if remedy.key_path != _IMAGES:
        return remedy
    one = models_of(workload).get(())
    if one is not None and getattr(one.container, "model_package", None) is not None:
        return Remedy(
            ("container", "model_package", "hardware"),
            "register a version for other hardware, or allow the families of this one",
        )
    if all(one.container.image is None for one in models_of(workload).values()):
        return remedy
    return Remedy(
        _IMAGE,
        "name another framework or version, allow the families that it has images for, or write account, repository and "
        "tag for each kind of hardware under images",
    )


def _remedies(workload: OnInstances) -> Mapping[str, Remedy]:
    if isinstance(workload, AsynchronousEndpoint):
        ended = workload.latency.max_wait_minutes * 60 >= MAX_PROCESSING_S
        return {**QUEUE_REMEDIES, **({"latency": _ENDED} if ended else {})}
    if isinstance(workload, BatchTransform):
        return TRANSFORM_REMEDIES
    if isinstance(workload, InferenceComponentEndpoint):
        return COMPONENT_REMEDIES
    if isinstance(workload, ProcessingJob):
        return PROCESSING_REMEDIES
    if isinstance(workload, Notebook):
        return NOTEBOOK_REMEDIES
    if not isinstance(workload, TrainedModel):
        return ENDPOINT_REMEDIES
    derived = {} if workload.batch_size_per_accelerator else DERIVED_BATCH_REMEDIES
    tuning = _tuning_remedies(workload) if isinstance(workload, TuningJob) else {}
    return {**TRAINING_REMEDIES, **derived, **tuning}


def _tuning_remedies(job: TuningJob) -> Mapping[str, Remedy]:
    """Return those of a training, at the keys that bound all of them; the reasons tell of one."""
    search, hours = job.search, time_per_training_hours(job)
    budget = (
        f"each of {search.job_count} trainings has an equal part of it: raise it, or have fewer trainings"
    )
    found = {"budget": Remedy(("max_usd_per_run",), budget)}
    if hours < job.deadline_hours:
        key = "search" if job.total_deadline_hours is None else "total_deadline_hours"
        each = f"each of {search.waves} trainings one after another may take {hours:.3g} h"
        found["deadline"] = Remedy(
            (key,), f"{each}: allow more hours, or raise search.max_parallel_jobs or max_instances"
        )
    return found


def _with_reachable_bound(remedy: Remedy, workload: OnInstances, error: NoFeasibleInstanceError) -> str:
    """Return the advice, after the best bound that any type reaches, where the key is a number that all of them miss."""
    filter_ = error.nearest[0].filter
    bound: object = workload
    for key in remedy.key_path if filter_ in _BOUNDS else ():
        bound = getattr(bound, key)
    shortfalls = [r.shortfall for r in error.rejected if r.filter == filter_ and r.shortfall]
    if not isinstance(bound, int | float) or not shortfalls or min(shortfalls) <= 1:
        return remedy.advice
    reachable = _THREE_DIGITS_UP.create_decimal(f"{bound * min(shortfalls):.9g}")
    return f"{remedy.key_path[-1]}: {reachable:f} is the least that any type reaches; {remedy.advice}"


def unknown_type_fault(name: str, error: UnknownInstanceTypeError, known: frozenset[str]) -> PlanFault:
    """Return the fault of a workload that names a type which SageMaker does not have."""
    matches = (f"ml.{error.name}",) if f"ml.{error.name}" in known else error.near_matches
    hint = "some types of EC2 do not exist in SageMaker; without the key, the needs decide"
    if matches:
        hint = f"did you mean {' or '.join(matches)}? {hint}"
    return PlanFault(
        ("workloads", name, *_PIN), f'SageMaker has no instance type "{error.name}", in any region', hint
    )


def _miss(rejection: Rejection) -> str:
    text = f"{rejection.filter}: {rejection.reason}"
    if rejection.shortfall is None:
        return text
    # Rounded up: a miss by a hair must not read "1.00 times".
    return f"{text} ({math.ceil(rejection.shortfall * 100) / 100:,.2f} times)"


def _by_filter(rejected: Iterable[Rejection]) -> list[tuple[str, int]]:
    """Return the filters with how many types each turned down, the most first."""
    return sorted(Counter(r.filter for r in rejected).items(), key=lambda item: (-item[1], item[0]))


def _counts(rejected: tuple[Rejection, ...]) -> str:
    return ", ".join(f"{count:,} by {name}" for name, count in _by_filter(rejected))


def _scarcity(workload: OnInstances, rejected: tuple[Rejection, ...]) -> str | None:
    """Say so when the region is what turns down most of the types that an image of the workload runs on.

    The nearest types have passed the filter of the region, and so never name it.
    """
    if isinstance(workload, Notebook):
        return None
    images = set.intersection(*(set(one.container.runs_on) for one in models_of(workload).values()))
    # Hardware is the same in every region.
    with_image = {
        one.name
        for one in load_catalog(regions()[0]).instance_types
        if (kind := hardware_kind(one)) and kind.value in images
    }
    fitting = _by_filter(r for r in rejected if r.filter != "use" and r.instance_type in with_image)
    if not fitting or fitting[0][0] != "region":
        return None
    total = sum(count for _, count in fitting)
    offered = total - fitting[0][1]
    return f"the region is the main reason: it offers {offered} of the {total} types that the images run on"

"""Models and needs in the words of the seeds, and short questions to the selection.

What a seed leaves open (traffic, length of a text, size of the data) is filled in here, once, and the same for all.
"""

from dataclasses import replace
from functools import cache
from typing import Any

from sizewell.instance_selection import (
    Architecture,
    Candidate,
    Catalog,
    EndpointEstimate,
    EndpointRequirements,
    Engine,
    HardwareKind,
    InstanceLimits,
    ModelSpec,
    NoFeasibleInstanceError,
    Precision,
    Rejection,
    Selection,
    SpotRequirements,
    TrainingEstimate,
    TrainingRequirements,
    Usage,
    load_catalog,
    select_endpoint_instance,
    select_training_instance,
)
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.presets import find_preset
from tests.instance_selection.builders import BERT_BASE, BERT_LARGE, RESNET_50

__all__ = ["BERT_BASE", "BERT_LARGE", "RESNET_50"]

ANY = frozenset(HardwareKind)
CPU = frozenset({HardwareKind.CPU_X86_64, HardwareKind.CPU_ARM64})
CUDA, NEURON = frozenset({HardwareKind.CUDA}), frozenset({HardwareKind.NEURON})

#: A table of 50 columns: boosted trees in the library's default size, and a regression.
TREES = ModelSpec(
    architecture=Architecture.GRADIENT_BOOSTING,
    parameters=100e3,
    layers=1,
    precision=Precision.FP32,
    framework="xgboost",
    features=50,
)
LINEAR = replace(TREES, architecture=Architecture.LINEAR, parameters=51, framework="scikit-learn")


@cache
def catalog() -> Catalog:
    """Return the catalog of us-east-1, where the seeds take their prices from."""
    return load_catalog("us-east-1")


@cache
def llama(name: str) -> ModelSpec:
    """Return a public decoder in bf16."""
    preset = find_preset(name)
    return ModelSpec(
        architecture=Architecture.DECODER,
        parameters=preset.parameters,
        layers=preset.layers or 0,
        precision=Precision.BF16,
        hidden_size=preset.hidden_size or 0,
        kv_hidden_size=preset.kv_hidden_size or 0,
        embedding_parameters=preset.embedding_parameters or 0,
    )


LLAMA_1B, LLAMA_7B, LLAMA_13B, LLAMA_70B = (
    llama(name) for name in ("llama-3.2-1b", "llama-2-7b", "llama-2-13b", "llama-2-70b")
)


@cache
def serve(
    model: ModelSpec,
    *,
    max_p95_ms: float,
    peak: float,
    tokens: int = 0,
    output_tokens: int = 0,
    images: frozenset[HardwareKind] = ANY,
    engine: Engine = Engine.EAGER,
    instance_type: str | None = None,
    families: frozenset[str] | None = None,
    burstable: bool = False,
) -> Selection[EndpointEstimate]:
    """Return the selection for an endpoint whose average load is half of its peak, in requests per second."""
    needs = EndpointRequirements(
        model=model,
        engine=Engine.LLM_ENGINE if output_tokens else engine,
        limits=InstanceLimits(
            images=images, instance_type=instance_type, allowed_families=families, allow_burstable=burstable
        ),
        max_p95_latency_ms=max_p95_ms,
        input_tokens=tokens,
        output_tokens=output_tokens,
        images_per_request=0 if tokens else 1,
        peak_requests_per_second=peak,
        average_requests_per_second=peak / 2,
        max_instances=100,
    )
    return select_endpoint_instance(needs, catalog())


@cache
def train(
    model: ModelSpec,
    *,
    units: float = 100e6,
    hours: float = 7 * 24,
    images: frozenset[HardwareKind] = ANY,
    method: str = "full",
    instance_type: str | None = None,
    families: frozenset[str] | None = None,
    instances: int = 8,
    spot: bool = False,
) -> Selection[TrainingEstimate]:
    """Return the selection for a job: 100 million tokens (or that many images or rows) within a week, unless stated."""
    text = model.architecture in (Architecture.ENCODER, Architecture.DECODER)
    decoder = model.architecture is Architecture.DECODER
    needs = TrainingRequirements(
        model=model,
        limits=InstanceLimits(images=images, instance_type=instance_type, allowed_families=families),
        method="lora" if method == "lora" else "full",
        optimizer="adamw",
        units=units,
        sequence_length=2048 if decoder else 512 if text else 0,
        batch_size_per_accelerator=1 if text else 32,
        deadline_hours=hours,
        max_instances=instances,
        lora_parameters=model.parameters * 0.005,
        spot=SpotRequirements(checkpoint_interval_hours=0.5, on_demand_fallback=False) if spot else None,
    )
    return select_training_instance(needs, catalog())


def kind(candidate: Candidate[Any]) -> HardwareKind:
    """Return the kind of hardware of a candidate."""
    found = hardware_kind(catalog().get(candidate.instance_type))
    assert found is not None
    return found


def family(candidate: Candidate[Any]) -> str:
    """Return the family of a candidate, for example g5."""
    return catalog().get(candidate.instance_type).family


def chip(candidate: Candidate[Any]) -> str:
    """Return the accelerator of a candidate; an empty text for a CPU."""
    accelerator = catalog().get(candidate.instance_type).accelerator
    return accelerator.name if accelerator else ""


def cheapest(selection: Selection[Any], *families: str) -> Candidate[Any]:
    """Return the cheapest feasible candidate of some families."""
    return next(c for c in (selection.chosen, *selection.runners_up) if family(c) in families)


def feasible(selection: Selection[Any]) -> set[str]:
    """Return all families with a type that meets every need."""
    return {family(c) for c in (selection.chosen, *selection.runners_up)}


def monthly(candidate: Candidate[Any]) -> float:
    """Return the cost, which must be known."""
    assert candidate.cost.usd_per_month is not None
    return candidate.cost.usd_per_month


def per_run(candidate: Candidate[TrainingEstimate]) -> float:
    """Return the cost of one run, which must be known."""
    assert candidate.estimate.usd_per_run is not None
    return candidate.estimate.usd_per_run


def rejected(selection: Selection[Any], instance_type: str) -> Rejection:
    """Return why a type was rejected."""
    return next(r for r in selection.rejected if r.instance_type == instance_type)


def refusal(error: NoFeasibleInstanceError, instance_type: str) -> Rejection:
    """Return why a type was rejected where all are."""
    return next(r for r in error.rejected if r.instance_type == instance_type)


def price(instance_type: str, usage: Usage = Usage.HOSTING) -> float:
    """Return USD per hour, which must be known."""
    found = catalog().price(instance_type, usage).usd_per_hour
    assert found is not None
    return found


def with_precision(model: ModelSpec, precision: Precision) -> ModelSpec:
    """Return a model in another format."""
    return replace(model, precision=precision)

"""A recommendation from three answers: number of parameters, training or inference, and cost or time first.

A front for people who know nothing else yet. Everything else is a default that the answer states; the selection is
the same one that the plan uses.
"""

import math
from enum import StrEnum

from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.endpoint_selection import select_endpoint_instance
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.pareto import time_of
from sizewell.instance_selection.requirements import (
    Architecture,
    EndpointRequirements,
    Engine,
    HardwareKind,
    InstanceLimits,
    ModelSpec,
    Precision,
    TrainingRequirements,
)
from sizewell.instance_selection.results import (
    Candidate,
    EndpointEstimate,
    Result,
    Selection,
    TrainingEstimate,
)
from sizewell.instance_selection.training_selection import select_training_instance

#: From here on a model is taken for a decoder that writes text, below for an encoder that reads it.
DECODER_PARAMETERS = 1e9
#: Width of a transformer divided by its number of layers: 128 for Llama 2 7B and 13B (Touvron et al. 2023, section
#: 2.2), 64 for BERT-base and 43 for BERT-large (Devlin et al. 2018, section 3). Accuracy hardly depends on it
#: (Kaplan et al. 2020, Scaling Laws, figure 5).
ASPECT_RATIO = {Architecture.ENCODER: 64, Architecture.DECODER: 128}
#: A transformer layer has this many times the square of its width in weights (Kaplan et al. 2020, table 1).
WEIGHTS_PER_LAYER = 12
MAX_PARAMETERS = 1e13


class Task(StrEnum):
    """What the hardware is for."""

    TRAINING = "training"
    INFERENCE = "inference"


class Budget(StrEnum):
    """Which type is best. ``BALANCED`` multiplies cost and time, so it needs no exchange rate."""

    COST_OPTIMIZED = "cost-optimized"
    """The least cost."""
    BALANCED = "balanced"
    """The least product of cost and time: twice the cost must be half the time."""
    PERFORMANCE = "performance"
    """The least time."""


AnyCandidate = Candidate[EndpointEstimate] | Candidate[TrainingEstimate]


class Recommendation(Result):
    """The best type for a budget, the next ones in order, and everything that was assumed."""

    parameters: float
    task: Task
    budget: Budget
    hardware: HardwareKind
    """The kind of image that the chosen type runs."""
    chosen: AnyCandidate
    runners_up: tuple[AnyCandidate, ...]
    assumptions: tuple[str, ...]


def recommend(parameters: float, task: Task, budget: Budget, catalog: Catalog) -> Recommendation:
    """Return the best type for a model of which nothing but its size is known.

    ``parameters`` are weights, not millions of them. Types without a known price are not recommended. Raises
    ``ValueError`` for a size that no model has, and ``NoFeasibleInstanceError`` where nothing holds the model.
    """
    if not 0 < parameters <= MAX_PARAMETERS:
        raise ValueError(f"{parameters:g} parameters: a model has more than 0 and at most {MAX_PARAMETERS:g}")
    model = _model(parameters)
    selection, defaults = _train(model, catalog) if task is Task.TRAINING else _serve(model, catalog)
    candidates: tuple[AnyCandidate, ...] = (selection.chosen, *selection.runners_up)
    ranked = sorted(candidates, key=lambda c: _order(c, budget))
    kind = hardware_kind(catalog.get(ranked[0].instance_type))
    assert kind is not None, "what is selected has an image"
    return Recommendation(
        parameters=parameters,
        task=task,
        budget=budget,
        hardware=kind,
        chosen=ranked[0],
        runners_up=tuple(ranked[1:]),
        assumptions=(_describe(model), *defaults, *selection.assumptions),
    )


def _model(parameters: float) -> ModelSpec:
    """Return a transformer of the usual proportions."""
    decoder = parameters >= DECODER_PARAMETERS
    architecture = Architecture.DECODER if decoder else Architecture.ENCODER
    ratio = ASPECT_RATIO[architecture]
    layers = max(1, round(math.cbrt(parameters / WEIGHTS_PER_LAYER / ratio**2)))
    return ModelSpec(
        architecture=architecture,
        parameters=parameters,
        layers=layers,
        hidden_size=ratio * layers,
        kv_hidden_size=ratio * layers if decoder else 0,
        precision=Precision.BF16 if decoder else Precision.FP16,
    )


def _describe(model: ModelSpec) -> str:
    return (
        f"a {model.architecture} of {model.layers} layers, {model.hidden_size} wide, in {model.precision}; "
        "an image for every kind of hardware"
    )


def _serve(model: ModelSpec, catalog: Catalog) -> tuple[Selection[EndpointEstimate], tuple[str, ...]]:
    limits = InstanceLimits(images=frozenset(HardwareKind))
    if model.architecture is Architecture.DECODER:
        needs = EndpointRequirements(
            model=model,
            engine=Engine.LLM_ENGINE,
            limits=limits,
            max_p95_latency_ms=30_000,
            input_tokens=512,
            output_tokens=256,
            peak_concurrent_users=8,
            average_concurrent_users=4,
        )
        text = "8 users at peak, 4 on average; 512 tokens in, 256 out, within 30 s, from an LLM engine"
        return select_endpoint_instance(needs, catalog), (text,)
    needs = EndpointRequirements(
        model=model,
        engine=Engine.EAGER,
        limits=limits,
        max_p95_latency_ms=200,
        input_tokens=128,
        peak_requests_per_second=10,
        average_requests_per_second=5,
    )
    text = "10 requests per second at peak, 5 on average; 128 tokens each, within 200 ms, from an eager framework"
    return select_endpoint_instance(needs, catalog), (text,)


def _train(model: ModelSpec, catalog: Catalog) -> tuple[Selection[TrainingEstimate], tuple[str, ...]]:
    decoder = model.architecture is Architecture.DECODER
    needs = TrainingRequirements(
        model=model,
        limits=InstanceLimits(images=frozenset(HardwareKind)),
        method="full",
        optimizer="adamw",
        units=100e6,
        sequence_length=2048 if decoder else 128,
        batch_size_per_accelerator=1 if decoder else 32,
        deadline_hours=7 * 24,
        max_instances=8,
    )
    text = (
        f"all weights are trained on 100 million tokens in sequences of {needs.sequence_length}, within 7 days, on at "
        "most 8 instances; each type with the number of instances at which it is cheapest"
    )
    return select_training_instance(needs, catalog), (text,)


def _order(candidate: AnyCandidate, budget: Budget) -> tuple[bool, float, float, str]:
    cost, time = candidate.cost.usd_per_month, time_of(candidate.estimate)
    weighed = {
        Budget.COST_OPTIMIZED: cost or 0.0,
        Budget.BALANCED: (cost or 0.0) * time,
        Budget.PERFORMANCE: time,
    }[budget]
    # Ties: the cheaper one, then the name.
    return cost is None, weighed, cost or 0.0, candidate.instance_type

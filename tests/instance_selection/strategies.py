"""Random needs of the kind that a configuration may state, over families that the catalog knows."""

from dataclasses import replace

from hypothesis import strategies as st

from sizewell.instance_selection import (
    Architecture,
    EndpointRequirements,
    Engine,
    HardwareKind,
    InstanceLimits,
    ModelSpec,
    Precision,
    SpotRequirements,
    TrainingRequirements,
)
from tests.instance_selection.builders import (
    BERT_BASE,
    BERT_LARGE,
    DIFFUSION,
    LLAMA_2_7B,
    LLAMA_3_8B,
    MIXTRAL_8X7B,
    RECOMMENDER,
    RESNET_50,
    TREES,
    endpoint,
    limits,
    training,
)

MODELS = (
    BERT_BASE,
    BERT_LARGE,
    RESNET_50,
    LLAMA_2_7B,
    LLAMA_3_8B,
    MIXTRAL_8X7B,
    DIFFUSION,
    RECOMMENDER,
    TREES,
)
FAMILIES = ("c5", "c6i", "c7g", "c7i", "m5", "t2", "g4dn", "g5", "g6", "g6e", "inf2", "p4d", "p5", "trn1")


@st.composite
def models(draw: st.DrawFn) -> ModelSpec:
    """Return one of the models at another size and precision."""
    known = draw(st.sampled_from(MODELS))
    size = draw(st.sampled_from([0.1, 0.5, 1.0, 4.0, 10.0]))
    return replace(
        known,
        parameters=known.parameters * size,
        active_parameters=known.active_parameters and known.active_parameters * size,
        embedding_parameters=known.embedding_parameters * size,
        forward_flops_per_image=known.forward_flops_per_image * size,
        precision=draw(st.sampled_from(Precision)),
        framework=draw(st.sampled_from(["pytorch", "pytorch", "tensorflow"])),
    )


@st.composite
def instance_limits(draw: st.DrawFn) -> InstanceLimits:
    return limits(
        images=draw(st.frozensets(st.sampled_from(HardwareKind), min_size=1)),
        denied_families=draw(st.frozensets(st.sampled_from(FAMILIES), max_size=4)),
        allow_burstable=draw(st.booleans()),
    )


@st.composite
def endpoint_needs(draw: st.DrawFn) -> EndpointRequirements:
    model = draw(models())
    decoder = model.architecture is Architecture.DECODER
    engines = Engine if decoder else (Engine.EAGER, Engine.OPTIMIZED_RUNTIME)
    peak = draw(st.sampled_from([0.5, 3.0, 20.0, 150.0]))
    average = peak * draw(st.sampled_from([0.1, 0.5, 1.0]))
    by_users = draw(st.booleans())
    users = float(max(1, round(peak)))
    max_p95_ms = draw(st.sampled_from([20.0, 100.0, 800.0, 5_000.0, 60_000.0]))
    return endpoint(
        model=model,
        engine=draw(st.sampled_from(list(engines))),
        limits=draw(instance_limits()),
        max_p95_latency_ms=max_p95_ms,
        max_p99_latency_ms=draw(st.sampled_from([None, None, max_p95_ms, 2 * max_p95_ms])),
        max_time_to_first_token_ms=draw(st.sampled_from([None, 0.5 * max_p95_ms])) if decoder else None,
        max_inter_token_ms=draw(st.sampled_from([None, 40.0])) if decoder else None,
        input_tokens=0 if model.forward_flops_per_image else draw(st.sampled_from([1, 128, 2000])),
        output_tokens=draw(st.sampled_from([1, 60, 500])) if decoder else 0,
        images_per_request=draw(st.sampled_from([1, 16])) if model.forward_flops_per_image else 0,
        peak_requests_per_second=None if by_users else peak,
        average_requests_per_second=None if by_users else average,
        peak_concurrent_users=users if by_users else None,
        average_concurrent_users=min(users, average) if by_users else None,
        headroom=draw(st.sampled_from([0.0, 0.3, 0.6])),
        margin=draw(st.sampled_from([0.0, 0.0, 0.2])),
        min_instances=draw(st.sampled_from([1, 2])),
        max_instances=draw(st.sampled_from([2, 5, 20])),
    )


@st.composite
def training_needs(draw: st.DrawFn) -> TrainingRequirements:
    model = draw(models())
    images = bool(model.forward_flops_per_image)
    checkpoints = SpotRequirements(
        checkpoint_interval_hours=draw(st.sampled_from([0.25, 2.0])), on_demand_fallback=False
    )
    return training(
        model=model,
        limits=draw(instance_limits()),
        method="full" if images else draw(st.sampled_from(["full", "lora"])),
        optimizer=draw(st.sampled_from(["adamw", "sgd"])),
        units=draw(st.sampled_from([1e5, 1e7])) if images else draw(st.sampled_from([1e6, 1e8, 3e9])),
        sequence_length=0 if images else draw(st.sampled_from([128, 2048])),
        batch_size_per_accelerator=draw(st.sampled_from([1, 8, 64])),
        margin=draw(st.sampled_from([0.0, 0.0, 0.2])),
        deadline_hours=draw(st.sampled_from([1.0, 6.0, 48.0, 500.0])),
        lora_parameters=model.parameters * 0.005,
        min_accelerators=draw(st.sampled_from([1, 1, 8, 16])),
        max_instances=draw(st.sampled_from([1, 2, 4])),
        spot=draw(st.sampled_from([None, checkpoints])),
        runs_per_month=draw(st.sampled_from([None, 4.0])),
    )

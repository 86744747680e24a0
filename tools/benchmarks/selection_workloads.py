"""A thousand different workloads for the benchmark of the selection: the same ones in every run."""

from sizewell.instance_selection import (
    Architecture,
    Catalog,
    EndpointRequirements,
    Engine,
    HardwareKind,
    InstanceLimits,
    ModelSpec,
    NoFeasibleInstanceError,
    Precision,
    SpotRequirements,
    TrainingRequirements,
    select_endpoint_instance,
    select_training_instance,
)

ANY_IMAGE = InstanceLimits(images=frozenset(HardwareKind))
GPU_IMAGES = InstanceLimits(images=frozenset({HardwareKind.CUDA, HardwareKind.NEURON}))


def workload(position: int) -> EndpointRequirements | TrainingRequirements:
    """Return one of several kinds in turn, each time with other numbers."""
    kinds = (_encoder, _decoder, _image, _training)
    return kinds[position % len(kinds)](position)


def select(needs: EndpointRequirements | TrainingRequirements, catalog: Catalog) -> str | None:
    """Return the picked type, None where there is none."""
    try:
        if isinstance(needs, EndpointRequirements):
            return select_endpoint_instance(needs, catalog).chosen.instance_type
        return select_training_instance(needs, catalog).chosen.instance_type
    except NoFeasibleInstanceError:
        return None


def _encoder(n: int) -> EndpointRequirements:
    size = 66e6 + 1e6 * (n % 300)
    return EndpointRequirements(
        model=ModelSpec(
            architecture=Architecture.ENCODER,
            parameters=size,
            layers=12,
            hidden_size=768,
            precision=Precision.FP16,
        ),
        engine=Engine.OPTIMIZED_RUNTIME,
        limits=ANY_IMAGE,
        max_p95_latency_ms=30.0 + n % 270,
        input_tokens=32 + n % 480,
        peak_requests_per_second=1.0 + n % 200,
        average_requests_per_second=1.0,
        max_instances=50,
    )


def _decoder(n: int) -> EndpointRequirements:
    return EndpointRequirements(
        model=ModelSpec(
            architecture=Architecture.DECODER,
            parameters=(1e9, 3e9, 7e9, 8e9, 13e9, 34e9, 70e9)[n % 7] * (1 + n % 10 / 100),
            layers=0,
            precision=(Precision.BF16, Precision.FP8, Precision.INT4)[n % 3],
        ),
        engine=Engine.LLM_ENGINE,
        limits=GPU_IMAGES,
        max_p95_latency_ms=60_000.0,
        input_tokens=100 + n % 1900,
        output_tokens=50 + n % 450,
        peak_concurrent_users=1.0 + n % 50,
        max_instances=50,
    )


def _image(n: int) -> EndpointRequirements:
    return EndpointRequirements(
        model=ModelSpec(
            architecture=Architecture.CNN,
            parameters=25.6e6,
            layers=54,
            precision=Precision.FP16,
            forward_flops_per_image=4e9 + 1e8 * (n % 100),
            activations_per_image=11e6,
        ),
        engine=Engine.EAGER,
        limits=ANY_IMAGE,
        max_p95_latency_ms=50.0 + n % 450,
        images_per_request=1,
        peak_requests_per_second=1.0 + n % 100,
        average_requests_per_second=1.0,
        max_instances=50,
    )


def _training(n: int) -> TrainingRequirements:
    return TrainingRequirements(
        model=ModelSpec(
            architecture=Architecture.DECODER,
            parameters=(1e9, 3e9, 8e9, 13e9)[n % 4] * (1 + n % 10 / 100),
            layers=0,
            precision=Precision.BF16,
        ),
        limits=GPU_IMAGES,
        method="lora" if n % 2 else "full",
        optimizer="adamw",
        units=1e7 + 1e5 * n,
        sequence_length=2048,
        batch_size_per_accelerator=1 + n % 4,
        deadline_hours=12.0 + n % 100,
        lora_parameters=1e7,
        max_instances=1 + n % 4,
        spot=SpotRequirements(checkpoint_interval_hours=0.5, on_demand_fallback=False),
    )

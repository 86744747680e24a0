"""Models, needs, instance types and catalogs with sensible values: a test states only what it is about.

The hand-made hardware has round figures, so that expectations can be worked out on paper.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

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
    Rejection,
    TrainingRequirements,
    Usage,
    select_endpoint_instance,
    select_training_instance,
)
from sizewell.instance_selection.catalog import Accelerator, Cpu, InstanceType, PriceRow, SpotHistory
from sizewell.instance_selection.eligibility import eligible_types
from sizewell.instance_selection.endpoint_evaluation import EndpointColumns
from sizewell.instance_selection.estimation.machines import Machines, arithmetic_of, machines_of
from sizewell.instance_selection.training_evaluation import TrainingColumns

#: Devlin et al. 2018, section 3: layers and hidden size; 30,522 word pieces and 512 positions are looked up.
BERT_BASE = ModelSpec(
    architecture=Architecture.ENCODER,
    parameters=110e6,
    layers=12,
    precision=Precision.FP16,
    hidden_size=768,
    embedding_parameters=23.8e6,
)
BERT_LARGE = replace(BERT_BASE, parameters=335e6, layers=24, hidden_size=1024, embedding_parameters=31.8e6)
#: He et al. 2015 and Radosavovic et al. 2020 (Designing Network Design Spaces, table of ResNets): 4.1 x 10^9
#: multiply-adds and 11.1 million activations per image of 224 x 224.
RESNET_50 = ModelSpec(
    architecture=Architecture.CNN,
    parameters=25.6e6,
    layers=54,
    precision=Precision.FP16,
    forward_flops_per_image=8.2e9,
    activations_per_image=11.1e6,
)
#: Grattafiori et al. 2024 (The Llama 3 Herd of Models, table 3): 32 layers, 8 key/value heads of 128; the table of
#: 128,256 tokens is not shared with the output layer.
LLAMA_3_8B = ModelSpec(
    architecture=Architecture.DECODER,
    parameters=8.03e9,
    layers=32,
    precision=Precision.BF16,
    hidden_size=4096,
    kv_hidden_size=1024,
    embedding_parameters=525.3e6,
)
#: Touvron et al. 2023 (Llama 2): 32 layers, every head with its own keys and values, 32,000 tokens.
LLAMA_2_7B = replace(
    LLAMA_3_8B, parameters=6.738e9, precision=Precision.FP16, kv_hidden_size=4096, embedding_parameters=131e6
)
#: Mistral AI 2024 (Mixtral of Experts, section 2.1): two of eight experts for each token.
MIXTRAL_8X7B = replace(
    LLAMA_3_8B,
    parameters=46.7e9,
    active_parameters=12.9e9,
    embedding_parameters=131e6,
)
#: A latent diffusion model like Stable Diffusion 1.5 (Rombach et al. 2022): 0.86 x 10^9 weights in each step.
DIFFUSION = ModelSpec(
    architecture=Architecture.DIFFUSION,
    parameters=1.07e9,
    active_parameters=860e6,
    layers=50,
    precision=Precision.FP16,
    forward_flops_per_image=8e11,
    activations_per_image=2e8,
)
#: A recommender: 10^8 weights are multiplied, 10^10 are looked up.
RECOMMENDER = ModelSpec(
    architecture=Architecture.RECOMMENDER,
    parameters=10.1e9,
    embedding_parameters=10e9,
    layers=8,
    precision=Precision.FP32,
    forward_flops_per_image=2e8,
)
TREES = ModelSpec(
    architecture=Architecture.GRADIENT_BOOSTING,
    parameters=1e6,
    layers=0,
    precision=Precision.FP32,
    framework="xgboost",
    trees=500,
    tree_depth=8,
    features=50,
)

#: 10^10 operations per image: 2 ms at half the peak of ``GPU``, 50 ms at half the peak of four vCPUs of ``CPU``.
ROUND_CNN = ModelSpec(
    architecture=Architecture.CNN,
    parameters=1e6,
    layers=10,
    precision=Precision.FP16,
    forward_flops_per_image=1e10,
    activations_per_image=1e6,
)
#: 2 x 10^9 bytes of weights: 4 ms per token at half the bandwidth of ``GPU``, where the arithmetic is 0.4 ms.
ROUND_DECODER = ModelSpec(
    architecture=Architecture.DECODER,
    parameters=1e9,
    layers=10,
    precision=Precision.BF16,
    hidden_size=1000,
    kv_hidden_size=1000,
)

GPU = Accelerator(
    name="Round GPU",
    vendor="NVIDIA",
    kind="cuda",
    memory_gib=20,
    memory_bandwidth_gb_s=1000,
    fp32_tflops=5,
    fp16_dense_tflops=10,
    bf16_dense_tflops=10,
    interconnect="nvswitch",
    interconnect_gb_s=300,
)
NEURON = replace(GPU, name="Round Neuron", vendor="AWS", kind="neuron", interconnect="neuronlink")
CPU = Cpu(name="c9", threads_per_core=1, peak_fp32_gflops_per_vcpu=100, memory_bandwidth_gb_s_per_vcpu=10)

ALL_IMAGES = frozenset(HardwareKind)


def cpu_instance(name: str = "ml.c9.xlarge", **changes: Any) -> InstanceType:
    _, family, size = name.split(".")
    default = InstanceType(
        name=name,
        family=family,
        size=size,
        vcpus=4,
        memory_gib=16,
        cpu_architecture="x86_64",
        usages=frozenset({Usage.HOSTING, Usage.TRAINING}),
        cpu=CPU,
        network_baseline_gbps=10,
    )
    return replace(default, **changes)


def gpu_instance(name: str = "ml.g9.xlarge", **changes: Any) -> InstanceType:
    values = {"accelerator": GPU, "accelerator_count": 1, "accelerator_memory_gib": 20.0, "memory_gib": 64.0}
    return cpu_instance(name, **(values | changes))


def neuron_instance(name: str = "ml.inf9.xlarge", **changes: Any) -> InstanceType:
    return gpu_instance(name, **({"accelerator": NEURON} | changes))


def catalog(
    *instance_types: InstanceType,
    usd_per_hour: Mapping[str, float] | None = None,
    listed: Mapping[str, frozenset[str]] | None = None,
    spot: Mapping[str, SpotHistory] | None = None,
) -> Catalog:
    """Return a catalog that offers every type for every use; prices that are not given are unknown."""
    everywhere = {one.name: frozenset(one.usages) for one in instance_types}
    return Catalog(
        "us-east-1",
        instance_types,
        prices=[
            PriceRow(name, usage, price, "price-list", "2026-01-31")
            for name, price in (usd_per_hour or {}).items()
            for usage in (Usage.HOSTING, Usage.TRAINING)
        ],
        listed=everywhere if listed is None else listed,
        spot=spot,
    )


def limits(**changes: Any) -> InstanceLimits:
    return replace(InstanceLimits(images=ALL_IMAGES), **changes)


def endpoint(**changes: Any) -> EndpointRequirements:
    """Return the needs of a CNN that answers 10 requests per second at peak within a second."""
    default = EndpointRequirements(
        model=ROUND_CNN,
        engine=Engine.EAGER,
        limits=limits(),
        max_p95_latency_ms=1000,
        images_per_request=1,
        peak_requests_per_second=10,
        average_requests_per_second=5,
    )
    return replace(default, **changes)


def decoder_endpoint(**changes: Any) -> EndpointRequirements:
    """Return the needs of a decoder in an LLM engine: 100 tokens in, 100 tokens out."""
    values = {
        "model": ROUND_DECODER,
        "engine": Engine.LLM_ENGINE,
        "images_per_request": 0,
        "input_tokens": 100,
        "output_tokens": 100,
        "peak_requests_per_second": 1.0,
        "average_requests_per_second": 1.0,
    }
    return endpoint(**(values | changes))


def training(**changes: Any) -> TrainingRequirements:
    """Return the needs of a CNN: one hour of work at half the peak of one ``GPU``."""
    default = TrainingRequirements(
        model=ROUND_CNN,
        limits=limits(),
        method="full",
        optimizer="adamw",
        units=600_000,
        sequence_length=0,
        batch_size_per_accelerator=8,
        deadline_hours=24,
    )
    return replace(default, **changes)


def decoder_training(**changes: Any) -> TrainingRequirements:
    """Return the needs of a decoder: ten million tokens in sequences of 1,000."""
    values = {
        "model": ROUND_DECODER,
        "units": 10e6,
        "sequence_length": 1000,
        "batch_size_per_accelerator": 1,
    }
    return training(**(values | changes))


def endpoint_columns(needs: EndpointRequirements, *instance_types: InstanceType) -> EndpointColumns:
    """Return what each type would do for an endpoint, whether or not it meets the requirements."""
    known = catalog(*instance_types)
    model = needs.model
    eligible = eligible_types(known, Usage.HOSTING, needs.limits, model.architecture, model.framework)
    return EndpointColumns(needs, eligible)


def training_columns(needs: TrainingRequirements, *instance_types: InstanceType) -> TrainingColumns:
    """Return what each type would do for a job, whether or not it meets the requirements."""
    known = catalog(*instance_types)
    eligible = eligible_types(
        known, Usage.TRAINING, needs.limits, needs.model.architecture, needs.model.framework
    )
    return TrainingColumns(needs, eligible, known)


def machines(
    *instance_types: InstanceType,
    precision: Precision = Precision.BF16,
    architecture: Architecture = Architecture.CNN,
) -> Machines:
    """Return the processors of types, at a precision."""
    return machines_of(
        instance_types, arithmetic_of(precision, architecture), bf16=precision is not Precision.FP16
    )


def rejection(
    needs: EndpointRequirements | TrainingRequirements, known: Catalog, name: str = ""
) -> Rejection:
    """Return why a type (the only one, when no name is given) was rejected, whatever else was picked."""
    try:
        if isinstance(needs, EndpointRequirements):
            rejected = select_endpoint_instance(needs, known).rejected
        else:
            rejected = select_training_instance(needs, known).rejected
    except NoFeasibleInstanceError as error:
        rejected = error.rejected
    (found,) = (one for one in rejected if name in ("", one.instance_type))
    return found

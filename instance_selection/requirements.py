"""What a workload needs, in the units of the domain: the input of a selection."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal


class Architecture(StrEnum):
    """The family of a model: it decides which arithmetic dominates."""

    ENCODER = "encoder"
    DECODER = "decoder"
    CNN = "cnn"


class Precision(StrEnum):
    """A number format of weights and arithmetic."""

    FP32 = "fp32"
    FP16 = "fp16"
    BF16 = "bf16"
    FP8 = "fp8"
    INT8 = "int8"

    @property
    def bytes(self) -> int:
        """Bytes of one value."""
        return {"fp32": 4, "fp16": 2, "bf16": 2}.get(self.value, 1)


class Engine(StrEnum):
    """What executes a model for inference."""

    EAGER = "eager"
    OPTIMIZED_RUNTIME = "optimized-runtime"
    LLM_ENGINE = "llm-engine"


class HardwareKind(StrEnum):
    """What a container image must be built for."""

    CUDA = "cuda"
    NEURON = "neuron"
    CPU_X86_64 = "cpu_x86_64"
    CPU_ARM64 = "cpu_arm64"


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """A model, in the terms that decide its memory and its arithmetic.

    Transformers give ``layers``, ``hidden_size`` and ``kv_hidden_size`` (key/value heads x head dimension);
    convolutional networks give ``layers``, ``forward_flops_per_image`` and ``activations_per_image`` (values).
    """

    architecture: Architecture
    parameters: float
    layers: int
    precision: Precision
    framework: str = "pytorch"
    embedding_parameters: float = 0.0
    hidden_size: int = 0
    kv_hidden_size: int = 0
    forward_flops_per_image: float = 0.0
    activations_per_image: float = 0.0

    @property
    def active_parameters(self) -> float:
        """Weights that every token is multiplied with: all but the look-up tables."""
        return self.parameters - self.embedding_parameters


@dataclass(frozen=True, kw_only=True)
class InstanceLimits:
    """Which types may be picked at all, whatever they can do."""

    images: frozenset[HardwareKind]
    instance_type: str | None = None
    allowed_families: frozenset[str] | None = None
    denied_families: frozenset[str] = frozenset()
    allow_burstable: bool = False


@dataclass(frozen=True, kw_only=True)
class EndpointRequirements:
    """What a real-time endpoint must serve.

    Load is either ``*_requests_per_second`` (arrives by itself) or ``*_concurrent_users`` (each waits for an answer
    before the next request); the other pair is None. An average that
    is None is the peak. ``headroom`` is the share of capacity that stays free.
    """

    model: ModelSpec
    engine: Engine
    limits: InstanceLimits
    max_p95_latency_ms: float
    input_tokens: int = 0
    output_tokens: int = 0
    images_per_request: int = 0
    peak_requests_per_second: float | None = None
    average_requests_per_second: float | None = None
    peak_concurrent_users: float | None = None
    average_concurrent_users: float | None = None
    headroom: float = 0.3
    min_instances: int = 1
    max_instances: int = 10
    max_instances_is_stated: bool = False
    """Whether max_instances was asked for by the workload, rather than being a ceiling."""


@dataclass(frozen=True, kw_only=True)
class SpotRequirements:
    """Managed Spot, with the checkpoint interval that bounds what an interruption costs."""

    checkpoint_interval_hours: float
    max_wait_hours: float


@dataclass(frozen=True, kw_only=True)
class TrainingRequirements:
    """What a training job must do, and by when."""

    model: ModelSpec
    limits: InstanceLimits
    method: Literal["full", "lora"]
    optimizer: Literal["adamw", "sgd"]
    units: float
    """Images or tokens of the whole job: examples or tokens of one epoch x epochs."""
    sequence_length: int
    batch_size_per_accelerator: int
    deadline_hours: float
    lora_parameters: float = 0.0
    min_accelerators: int = 1
    max_instances: int = 1
    spot: SpotRequirements | None = None
    runs_per_month: float | None = None
    """None: nobody has said how often, so the monthly cost is that of one run."""
    assumptions: tuple[str, ...] = field(default=())

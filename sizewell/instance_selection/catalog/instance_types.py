"""What an instance type is made of: the vocabulary of the catalog."""

from dataclasses import dataclass
from enum import StrEnum


class Usage(StrEnum):
    """What runs instances: a part of SageMaker, whose API has one enum of instance types for each, or EC2 itself."""

    HOSTING = "hosting"
    TRAINING = "training"
    PROCESSING = "processing"
    TRANSFORM = "transform"
    NOTEBOOK = "notebook"
    EC2 = "ec2"
    """A node of a cluster: an instance of the account's own, under the name and at the price of EC2."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Accelerator:
    """A GPU or Neuron chip; every figure is per chip and a peak, and None where no source states it.

    ``kind`` is what an image must be built for: ``cuda``, ``neuron`` or ``other``. ``generation`` is the CUDA
    compute capability (``8.6``) or the NeuronCore version. ``memory_gib`` is what the EC2 API reports, less than
    the marketing figure. Tera-operations per second are dense, never with sparsity. ``interconnect`` is
    ``pcie``, ``nvlink``, ``nvswitch`` or ``neuronlink``; ``interconnect_gb_s`` is what one chip can send to the
    others of its instance, in one direction. ``cores`` are multiprocessors or physical NeuronCores, ``cache_mib`` is the
    last cache of a GPU, ``tdp_watts`` the power limit.
    """

    name: str
    vendor: str
    kind: str
    generation: str | None = None
    memory_gib: float | None = None
    memory_bandwidth_gb_s: float | None = None
    fp32_tflops: float | None = None
    fp16_dense_tflops: float | None = None
    bf16_dense_tflops: float | None = None
    fp8_dense_tflops: float | None = None
    int8_dense_tops: float | None = None
    interconnect: str | None = None
    interconnect_gb_s: float | None = None
    tf32_tflops: float | None = None
    cores: float | None = None
    tdp_watts: float | None = None
    launch_year: float | None = None
    fp4_dense_tflops: float | None = None
    cache_mib: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Cpu:
    """The processor of an instance family, or one by its name; figures are None where no source states their parts.

    Peaks are upper bounds: clock x operations per cycle of a core / threads of a core. Wide vector and matrix
    units run at lower clocks than the sustained one. Where a family runs on several processors, the slowest counts.
    ``memory_bandwidth_gb_s_per_vcpu`` is the share of one vCPU in the peak bandwidth of its socket. A vCPU is a
    hardware thread: ``threads_per_core`` of them are one physical core. ``instructions_per_clock`` is relative to a core of
    a Skylake server.
    """

    name: str
    threads_per_core: int = 2
    vcpus_per_socket: int | None = None
    sustained_clock_ghz: float | None = None
    instructions_per_clock: float | None = None
    peak_fp32_gflops_per_vcpu: float | None = None
    peak_bf16_gflops_per_vcpu: float | None = None
    peak_int8_gops_per_vcpu: float | None = None
    memory_bandwidth_gb_s_per_vcpu: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class InstanceType:
    """An instance type of SageMaker (``ml.g5.xlarge``) or of EC2 (``g5.xlarge``).

    ``accelerator_memory_gib`` is per chip. ``local_storage_gb`` is the instance store, 0 without one.
    ``usages`` are the enums of the SageMaker API that hold the type, which is less than an offer in a region.
    ``max_pods`` are the pods that a node of Kubernetes runs at most; None where no source says so.
    """

    name: str
    family: str
    size: str
    vcpus: int
    memory_gib: float
    cpu_architecture: str
    usages: frozenset[Usage]
    cpu: Cpu | None = None
    accelerator: Accelerator | None = None
    accelerator_count: int = 0
    accelerator_memory_gib: float | None = None
    local_storage_gb: float = 0.0
    local_storage_nvme: bool = False
    network_baseline_gbps: float | None = None
    network_peak_gbps: float | None = None
    efa_supported: bool = False
    burstable: bool = False
    current_generation: bool | None = None
    max_pods: int | None = None

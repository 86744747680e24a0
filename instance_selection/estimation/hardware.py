"""One processor of an instance type as a roofline sees it: peak arithmetic, bandwidth, memory."""

from dataclasses import dataclass

from instance_selection.catalog import InstanceType
from instance_selection.requirements import HardwareKind, Precision

GIB = 2**30

#: The share of a card that an application gets after the driver's and the framework's own allocations.
USABLE_ACCELERATOR_SHARE = 0.92
#: The share of host memory that an application gets after the operating system and the SageMaker agents.
USABLE_HOST_SHARE = 0.85
#: One request at batch 1 does not keep more vCPUs busy than this; larger instances run several workers.
MAX_VCPUS_PER_WORKER = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class Processor:
    """An accelerator, or the share of a CPU instance that serves one request.

    ``count`` of them work in the instance. ``bandwidth_bytes_s`` is None where no source states it.
    """

    kind: HardwareKind
    table_name: str
    precision: Precision
    peak_flops: float
    bandwidth_bytes_s: float | None
    usable_memory_bytes: float
    count: int
    interconnect_bytes_s: float | None


def hardware_kind(instance_type: InstanceType) -> HardwareKind | None:
    """Return the kind of image that the type runs; None for accelerators that no image here is built for."""
    if instance_type.accelerator_count:
        kind = instance_type.accelerator.kind if instance_type.accelerator else ""
        return {"cuda": HardwareKind.CUDA, "neuron": HardwareKind.NEURON}.get(kind)
    return HardwareKind.CPU_ARM64 if instance_type.cpu_architecture == "arm64" else HardwareKind.CPU_X86_64


def processor(instance_type: InstanceType, precision: Precision) -> Processor | str:
    """Return the processor at a precision, or the reason why it cannot be described."""
    kind = hardware_kind(instance_type)
    if kind is None:
        name = instance_type.accelerator.name if instance_type.accelerator else "its accelerator"
        return f"{name} is neither CUDA nor Neuron"
    if kind in (HardwareKind.CUDA, HardwareKind.NEURON):
        return _accelerator(instance_type, kind, precision)
    return _cpu(instance_type, kind, precision)


def _accelerator(instance_type: InstanceType, kind: HardwareKind, precision: Precision) -> Processor | str:
    chip = instance_type.accelerator
    if chip is None:
        return "nothing is known about its accelerator"
    tflops = {
        Precision.FP32: chip.fp32_tflops,
        Precision.FP16: chip.fp16_dense_tflops,
        Precision.BF16: chip.bf16_dense_tflops,
        Precision.FP8: chip.fp8_dense_tflops,
        Precision.INT8: chip.int8_dense_tops,
    }[precision]
    if tflops is None:
        return f"{chip.name} has no {precision} arithmetic, or its rate is not published"
    if chip.memory_bandwidth_gb_s is None:
        return f"the memory bandwidth of {chip.name} is not published"
    return Processor(
        kind=kind,
        table_name=kind.value,
        precision=precision,
        peak_flops=tflops * 1e12,
        bandwidth_bytes_s=chip.memory_bandwidth_gb_s * 1e9,
        usable_memory_bytes=(instance_type.accelerator_memory_gib or 0) * GIB * USABLE_ACCELERATOR_SHARE,
        count=instance_type.accelerator_count,
        interconnect_bytes_s=chip.interconnect_gb_s * 1e9 if chip.interconnect_gb_s else None,
    )


def _cpu(instance_type: InstanceType, kind: HardwareKind, precision: Precision) -> Processor | str:
    cpu = instance_type.cpu
    if cpu is None or cpu.peak_fp32_gflops_per_vcpu is None:
        return f"the arithmetic rate of the CPU of {instance_type.family} is not known"
    # Half precision falls back to fp32 where the CPU has no matrix unit for it; fp8 and int8 do not.
    used, gflops = Precision.FP32, cpu.peak_fp32_gflops_per_vcpu
    if precision is Precision.BF16 and cpu.peak_bf16_gflops_per_vcpu:
        used, gflops = precision, cpu.peak_bf16_gflops_per_vcpu
    elif precision in (Precision.INT8, Precision.FP8):
        if precision is Precision.FP8 or not cpu.peak_int8_gops_per_vcpu:
            return (
                f"the CPU of {instance_type.family} has no {precision} arithmetic, or its rate is not known"
            )
        used, gflops = precision, cpu.peak_int8_gops_per_vcpu
    bandwidth = cpu.memory_bandwidth_gb_s_per_vcpu
    vcpus = min(instance_type.vcpus, MAX_VCPUS_PER_WORKER)
    workers = max(1, instance_type.vcpus // MAX_VCPUS_PER_WORKER)
    return Processor(
        kind=kind,
        table_name="cpu",
        precision=used,
        peak_flops=gflops * 1e9 * vcpus,
        bandwidth_bytes_s=bandwidth * 1e9 * vcpus if bandwidth else None,
        usable_memory_bytes=instance_type.memory_gib * GIB * USABLE_HOST_SHARE / workers,
        count=workers,
        interconnect_bytes_s=None,
    )

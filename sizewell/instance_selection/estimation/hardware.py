"""The kind of hardware of an instance type, and the share of its memory that is usable."""

from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.requirements import HardwareKind

GIB = 2**30

#: The share of a card that an application gets after the driver's and the framework's own allocations.
USABLE_ACCELERATOR_SHARE = 0.92
#: The share of host memory that an application gets after the operating system and the SageMaker agents.
USABLE_HOST_SHARE = 0.85

#: What the container image, the framework and the logs take of a volume.
BASE_VOLUME_GIB = 30


def hardware_kind(instance_type: InstanceType) -> HardwareKind | None:
    """Return the kind of image that the type runs; None for accelerators that no image here is built for."""
    if instance_type.accelerator_count:
        kind = instance_type.accelerator.kind if instance_type.accelerator else ""
        return {"cuda": HardwareKind.CUDA, "neuron": HardwareKind.NEURON}.get(kind)
    return HardwareKind.CPU_ARM64 if instance_type.cpu_architecture == "arm64" else HardwareKind.CPU_X86_64

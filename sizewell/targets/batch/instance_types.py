"""The instance types that AWS Batch launches, and what a container gets that has one to itself."""

import math
from functools import lru_cache

from sizewell.instance_selection import HardwareKind
from sizewell.instance_selection.catalog import (
    PACKAGED,
    Catalog,
    InstanceType,
    RefreshedTables,
    load_ec2_catalog,
)
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.targets.ec2_types import with_room

#: Of the memory of an instance, the agent of ECS registers what its operating system has: how much that is, no page says. What
#: public projects saw of 24 types is this or more, from 1,800 MiB of a t2.small to 507,821 of a trn1.32xlarge; not on the machine
#: images of 2026. Batch advises a reserve of 5 %: https://docs.aws.amazon.com/batch/latest/userguide/memory-management.html
_REGISTERED_SHARE, _NOT_REGISTERED_MIB = 0.925, 100
_LEAST_MEMORY_MIB = 512
#: Families that the machine image with GPUs does not run: https://docs.aws.amazon.com/batch/latest/APIReference/API_Ec2Configuration.html
_NOT_LAUNCHED = frozenset({"a1", "g3", "g3s", "p3", "p3dn"})


def container_memory_mib(instance_type: InstanceType) -> int | None:
    """Return the memory of a container that has an instance to itself; None where Batch does not launch the type.

    It has no machine image for Neuron or Gaudi, nor for GPUs of NVIDIA beside a processor of another architecture than x86.
    """
    has_gpus = hardware_kind(instance_type) is HardwareKind.CUDA
    is_launched = instance_type.family not in _NOT_LAUNCHED and (
        not instance_type.accelerator_count or (has_gpus and instance_type.cpu_architecture == "x86_64")
    )
    memory_mib = math.floor(instance_type.memory_gib * 1024 * _REGISTERED_SHARE) - _NOT_REGISTERED_MIB
    return memory_mib if is_launched and memory_mib >= _LEAST_MEMORY_MIB else None


@lru_cache(maxsize=4)
def batch_catalog(region: str, refreshed: RefreshedTables = PACKAGED, *, beside_mib: int = 0) -> Catalog:
    """Return the types of EC2 whose host memory is what a container gets, without what works in it beside the user's own.

    Batch itself has no price.

    Raises ``UnknownRegionError``.
    """

    def memory_mib(instance_type: InstanceType) -> int | None:
        room_mib = (container_memory_mib(instance_type) or 0) - beside_mib
        return room_mib if room_mib >= _LEAST_MEMORY_MIB else None

    return with_room(load_ec2_catalog(region, refreshed=refreshed), memory_mib)

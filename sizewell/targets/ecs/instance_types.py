"""The instance types that ECS Managed Instances launches, and what a task gets that has the instance to itself."""

from functools import lru_cache

from sizewell.instance_selection.catalog import (
    PACKAGED,
    Catalog,
    InstanceType,
    RefreshedTables,
    load_ec2_catalog,
)
from sizewell.targets.ec2_types import with_room

#: As ``sizewell.facts.node_fees`` calls it.
MANAGED_INSTANCES = "ecs-managed-instances"
#: CPU units of one vCPU: https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task_definition_parameters-managed-instances.html
CPU_UNITS_PER_VCPU = 1024
#: What the proxy beside a model takes.
PROXY_MEMORY_MIB = 256
#: What ECS keeps of an instance is published nowhere. Two tasks that run (a public project, measured in September 2026) leave
#: an eighth and 1 GiB: 14,336 of the 16,384 MiB of a g6.xlarge, 3,072 of the 4,096 of a c6a.large. That all types are content
#: with that is unproven.
_TASK_SHARE = 7 / 8
_LEAST_KEPT_MIB = 1024
_LEAST_MEMORY_MIB = 512
#: Families that ECS does not launch, as its list was in 2026:
#: https://docs.aws.amazon.com/AmazonECS/latest/developerguide/managed-instances-instance-types.html
_NOT_LAUNCHED = frozenset(
    {"c4", "g7", "m4", "p2", "p3", "p5e", "p6e-gb200", "r8i", "r8i-flex", "t2", "trn1n", "trn2"}
)


def task_memory_mib(instance_type: InstanceType) -> int | None:
    """Return the memory of a task that has an instance to itself; None where ECS does not launch the type, or nothing is left."""
    is_launched = instance_type.family not in _NOT_LAUNCHED and instance_type.vcpus > 1
    memory_mib = int(instance_type.memory_gib * 1024)
    task_mib = min(int(memory_mib * _TASK_SHARE), memory_mib - _LEAST_KEPT_MIB)
    return task_mib if is_launched and task_mib - PROXY_MEMORY_MIB >= _LEAST_MEMORY_MIB else None


@lru_cache(maxsize=4)
def managed_instances_catalog(region: str, refreshed: RefreshedTables = PACKAGED) -> Catalog:
    """Return the types of EC2 whose host memory is what a model gets, with the fee in their prices.

    Raises ``UnknownRegionError``.
    """

    def model_memory_mib(instance_type: InstanceType) -> int | None:
        task_mib = task_memory_mib(instance_type)
        return None if task_mib is None else task_mib - PROXY_MEMORY_MIB

    return with_room(load_ec2_catalog(region, MANAGED_INSTANCES, refreshed), model_memory_mib)

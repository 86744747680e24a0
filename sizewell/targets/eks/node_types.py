"""The instance types of EC2 as nodes of a cluster: what a pod gets that has the node to itself."""

from dataclasses import dataclass, replace
from functools import lru_cache

from sizewell.instance_selection.catalog import (
    PACKAGED,
    Catalog,
    InstanceType,
    RefreshedTables,
    load_ec2_catalog,
)
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.requirements import HardwareKind
from sizewell.targets.ec2_types import with_room
from sizewell.targets.eks.allocatable import Allocatable, allocatable
from sizewell.targets.eks.efa import efa_interfaces, efa_of
from sizewell.targets.eks.scheduling import NodeType, Overhead

#: What a device plugin calls an accelerator, and which taint its own pods tolerate:
#: https://github.com/NVIDIA/k8s-device-plugin, https://awsdocs-neuron.readthedocs-hosted.com (Kubernetes environment setup).
DEVICES = {HardwareKind.CUDA: "nvidia.com/gpu", HardwareKind.NEURON: "aws.amazon.com/neuron"}
#: Ours. What Envoy takes beside a model: it holds each request until it is whole, and computes nothing.
PROXY = Overhead(cpu_millicores=100, memory_mib=256, pods=0)
#: Beside a script that trains there is nothing.
NOTHING = Overhead(cpu_millicores=0, memory_mib=0, pods=0)
#: Of small types, the virtual machine takes up to 100 MiB more than the formula says (``allocatable``).
_SLACK_MIB = 128
#: A node without room for this is no node.
_LEAST_MEMORY_MIB = 256
#: As ``sizewell.facts.node_fees`` calls it.
EKS_AUTO_MODE = "eks-auto-mode"
_ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}


#: Families that EKS Auto Mode does not launch, as its list was on 2026-11-28:
#: https://docs.aws.amazon.com/eks/latest/userguide/automode-learn-instances.html
_NOT_IN_AUTO_MODE = {"dl1", "g6f", "g7", "p2", "p3", "p6e-gb200"}
#: A node of EKS Auto Mode has 110 pods at most, and prefixes of addresses for all of them (same page). That its kubelet keeps as
#: much for itself as elsewhere with so many pods is unproven: no page says so.
_PODS_OF_AUTO_MODE = 110


@dataclass(frozen=True, slots=True)
class Room:
    """What the container that does the work gets of a node."""

    cpu_millicores: int
    memory_mib: int


def most_pods(instance_type: InstanceType, manager: str) -> int | None:
    """Return how many pods a node runs at most; None where nobody knows, or where ``manager`` does not launch the type."""
    if manager != EKS_AUTO_MODE:
        return instance_type.max_pods
    return None if instance_type.family in _NOT_IN_AUTO_MODE else _PODS_OF_AUTO_MODE


def node_room(instance_type: InstanceType, manager: str) -> Allocatable | None:
    """Return what all pods of a node may ask for; None where ``manager`` does not launch the type, or nobody knows."""
    pods = most_pods(instance_type, manager)
    if pods is None:
        return None
    return allocatable(instance_type.vcpus, instance_type.memory_gib, instance_type.cpu_architecture, pods)


def room_of(instance_type: InstanceType, manager: str, others: Overhead) -> Room | None:
    """Return what a node leaves to the work; None where that is nothing, or nobody knows.

    ``others`` are the DaemonSets, and what works beside it in its pod.
    """
    node = node_room(instance_type, manager)
    if node is None:
        return None
    room = Room(
        node.cpu_millicores - others.cpu_millicores,
        node.memory_mib - others.memory_mib - _SLACK_MIB,
    )
    is_enough = room.cpu_millicores > 0 and room.memory_mib >= _LEAST_MEMORY_MIB
    return room if is_enough and node.pods > others.pods else None


@lru_cache(maxsize=16)
def node_catalog(
    region: str, manager: str, others: Overhead, refreshed: RefreshedTables = PACKAGED
) -> Catalog:
    """Return the types of EC2 whose host memory is what the work gets; those of which nothing is left are not there.

    ``manager`` is what launches the nodes: a fee of it is in their prices. ``others`` are as of ``room_of``.

    Raises ``UnknownRegionError``.
    """

    def memory_mib(instance_type: InstanceType) -> int | None:
        room = room_of(instance_type, manager, others)
        return room.memory_mib if room else None

    nodes = with_room(load_ec2_catalog(region, manager, refreshed), memory_mib)
    return nodes.with_types(
        lambda instance_type: replace(instance_type, efa_supported=efa_interfaces(instance_type) > 0)
    )


def devices_of(instance_type: InstanceType) -> dict[str, int]:
    """Return what a pod asks for to have all accelerators, by the name of the resource."""
    kind = hardware_kind(instance_type)
    return {DEVICES[kind]: instance_type.accelerator_count} if kind in DEVICES else {}


def architecture_of(instance_type: InstanceType) -> str:
    """Return what Kubernetes calls the architecture of a type."""
    return _ARCHITECTURES[instance_type.cpu_architecture]


def node_type(instance_type: InstanceType, manager: str, volume_size_gib: int) -> NodeType:
    """Return a type of ``load_ec2_catalog`` as a scheduler sees it."""
    node = node_room(instance_type, manager)
    assert node is not None, "the selection takes none else"
    return NodeType(
        name=instance_type.name,
        cpu_architecture=architecture_of(instance_type),
        allocatable=node,
        devices=devices_of(instance_type) | efa_of(instance_type),
        vcpus=instance_type.vcpus,
        memory_gib=instance_type.memory_gib,
        ephemeral_storage_gib=volume_size_gib,
    )

"""Prove, before ``kubectl apply``, that every pod fits every instance type that its pool may launch.

Simulated, of kube-scheduler and Karpenter: requests of pods against what a type can give less the daemon sets; places for pods;
devices; nodeSelector and required node affinity; taints; and the ``limits`` of a pool, which count the whole capacity of its
nodes (https://karpenter.sh/docs/concepts/nodepools/#speclimits). A pod must fit every type of every pool that it selects and
whose taints it tolerates. Limits must hold all replicas and their surge on nodes of any one type, where a workload shares nodes
with no other and fills its own.

Not simulated: affinity and spread between pods, host ports, volumes and their zones, priority and preemption, claims of devices,
MIG and time slicing, minValues, weights of pools, nodes of several types in one pool, nodes that Karpenter starts to replace
others, pods that still terminate, quotas, and whether EC2 has capacity. Manifests are taken to be legal.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass

from sizewell.targets.eks.allocatable import Allocatable
from sizewell.targets.eks.node_selection import (
    INSTANCE_TYPE,
    listed_types,
    may_launch,
    selection_words,
    untolerated_taints,
)
from sizewell.targets.eks.pod_requests import amount, pod_requests, written
from sizewell.targets.eks.workloads import Manifest, Workload, workloads

#: Category and generation in the name of a type (aws/karpenter-provider-aws pkg/providers/instancetype/types.go).
_FAMILY = re.compile(r"([a-z]*)(?:-[0-9]+tb)?([0-9]*)")


@dataclass(frozen=True, kw_only=True)
class Overhead:
    """What the daemon sets of a cluster take of each node."""

    cpu_millicores: int
    memory_mib: int
    pods: int


@dataclass(frozen=True, kw_only=True)
class NodeType:
    """An instance type as a node: ``devices`` by resource name; ``ephemeral_storage_gib`` is the size of its disk."""

    name: str
    cpu_architecture: str
    allocatable: Allocatable
    devices: Mapping[str, int]
    vcpus: int
    memory_gib: float
    ephemeral_storage_gib: int

    @property
    def labels(self) -> dict[str, str | None]:
        """Return the labels that these figures decide: none of devices, of which Karpenter's tables may differ (p5.4xlarge)."""
        family, _, size = self.name.partition(".")
        category, generation = _FAMILY.findall(family)[0]
        of_instance = {"category": category, "generation": generation, "family": family, "size": size}
        of_instance |= {"cpu": str(self.vcpus), "memory": str(round(self.memory_gib * 1024))}
        labels = {f"karpenter.k8s.aws/instance-{name}": value for name, value in of_instance.items()}
        labels |= {"kubernetes.io/arch": self.cpu_architecture, "kubernetes.io/os": "linux"}
        return labels | {INSTANCE_TYPE: self.name}

    def capacity(self) -> dict[str, int]:
        """Return what a node counts for in the limits of its pool; of memory that is a little less than this."""
        memory, disk = round(self.memory_gib * 1024) * 2**20, self.ephemeral_storage_gib * 2**30
        counts = {"nodes": 1, "pods": self.allocatable.pods, "cpu": self.vcpus * 1000}
        return {**counts, "memory": memory, "ephemeral-storage": disk, **self.devices}

    def free(self, daemonsets: Overhead) -> dict[str, int]:
        """Return what other pods may ask for; of the disk, a node reserves 1 GiB and keeps 10 % free (types.go)."""
        disk = self.ephemeral_storage_gib * 2**30
        return {
            "pods": self.allocatable.pods - daemonsets.pods,
            "cpu": self.allocatable.cpu_millicores - daemonsets.cpu_millicores,
            "memory": (self.allocatable.memory_mib - daemonsets.memory_mib) * 2**20,
            "ephemeral-storage": disk - 2**30 - math.ceil(disk / 10),
            **self.devices,
        }


@dataclass(frozen=True, kw_only=True)
class Unschedulable:
    """Why pods stay pending, or may; None is what the reason is not about, such as the workload if a pool itself is wrong."""

    workload: str | None = None
    pool: str | None = None
    instance_type: str | None = None
    reason: str


def pods_per_node(pod: Manifest, node_type: NodeType, daemonsets: Overhead) -> int:
    """Return how many pods of a template (with its ``spec``) one node takes."""
    free = node_type.free(daemonsets)
    return max(0, min(free.get(resource, 0) // asked for resource, asked in pod_requests(pod).items()))


def unschedulable(
    manifests: Sequence[Manifest], node_types: Mapping[str, NodeType], daemonsets: Overhead
) -> tuple[Unschedulable, ...]:
    """Return every reason why a pod of the manifests may stay pending, sorted; no reason is the proof that all fit."""
    running = list(workloads(manifests))
    found: list[Unschedulable] = []
    # Of each pool that a workload selects: the taints that keep it away.
    taints: dict[Workload, dict[str, list[str]]] = {workload: {} for workload in running}
    for pool in (manifest for manifest in manifests if manifest["kind"] == "NodePool"):
        name, listed = pool["metadata"]["name"], listed_types(pool)
        known = [node_types[type_name] for type_name in listed if type_name in node_types]
        launchable = [node_type for node_type in known if may_launch(pool, node_type.labels)]
        for type_name in (type_name for type_name in listed if type_name not in node_types):
            found += _faults(["Nothing is known of this type, which the pool lists."], None, name, type_name)
        if not listed:
            found += _faults(["The pool lists no instance types: it may launch any."], None, name)
        elif known and not launchable:
            reason = f"Other requirements exclude all types of the list that are known: {', '.join(listed)}."
            found += _faults([reason], None, name)
        for node_type in launchable:
            selecting = [
                workload for workload in running if may_launch(pool, node_type.labels, workload.template)
            ]
            for workload in selecting:
                taints[workload][name] = untolerated_taints(pool, workload.template)
            users = [workload for workload in selecting if not taints[workload][name]]
            for workload in users:
                misfits = _misfits(workload.template, node_type, daemonsets)
                found += _faults(misfits, workload.name, name, node_type.name)
            found += _over_limits(pool, node_type, users, daemonsets)
    for workload in running:
        if not taints[workload]:
            reason = f"No pool launches what a pod selects: {selection_words(workload.template)}."
            found += _faults([reason], workload.name)
        elif all(taints[workload].values()):
            for name, barring in taints[workload].items():
                found += _faults([f"A pod does not tolerate {', '.join(barring)}."], workload.name, name)
    return tuple(sorted(found, key=lambda fault: [part or "" for part in astuple(fault)]))


def _faults(
    reasons: Iterable[str], workload: str | None = None, pool: str | None = None, type_name: str | None = None
) -> list[Unschedulable]:
    return [
        Unschedulable(workload=workload, pool=pool, instance_type=type_name, reason=reason)
        for reason in reasons
    ]


def _misfits(pod: Manifest, node_type: NodeType, daemonsets: Overhead) -> Iterator[str]:
    free = node_type.free(daemonsets)
    for resource, units in pod_requests(pod).items():
        asked, left = written(resource, units), written(resource, free.get(resource, 0))
        if units > free.get(resource, 0):
            yield f"A pod asks for {asked} of {resource}; a node of {node_type.name} has {left} beside the daemon sets."


def _over_limits(
    pool: Manifest, node_type: NodeType, users: Sequence[Workload], daemonsets: Overhead
) -> Iterator[Unschedulable]:
    """Yield the limits that are too low for the nodes of the workloads that fit this type."""
    fits = {workload: pods_per_node(workload.template, node_type, daemonsets) for workload in users}
    nodes = {workload: math.ceil(workload.pods / fit) for workload, fit in fits.items() if fit}
    words = ", ".join(
        f"{number} for {workload.pods} pods of {workload.name}" for workload, number in nodes.items()
    )
    for resource, quantity in (pool["spec"].get("limits") or {}).items():
        limit = amount(resource, quantity)
        needed = sum(nodes.values()) * node_type.capacity().get(resource, 0)
        if needed > limit:
            asked, offered = written(resource, needed), written(resource, limit)
            reason = f"Nodes of {node_type.name} ({words}) have {asked} of {resource}; the limit of the pool is {offered}."
            names = ", ".join(workload.name for workload in nodes)
            yield from _faults([reason], names, pool["metadata"]["name"], node_type.name)

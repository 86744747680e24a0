"""The decisions for pods in a cluster: their nodes, and what the cluster must have for them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sizewell.facts.eks_amis import too_old
from sizewell.facts.image_registries import accounts_of_aws
from sizewell.facts.inference_amis import cuda_of
from sizewell.facts.model_servers import image_server
from sizewell.instance_selection.catalog import Catalog, InstanceType, load_ec2_catalog
from sizewell.instance_selection.requirements import HardwareKind
from sizewell.planning.errors import PlanFault
from sizewell.planning.kind import Stated
from sizewell.planning.name_limits import NameLimit
from sizewell.planning.volumes import endpoint_volume_size_gib
from sizewell.targets.eks.cluster import NAMESPACES_OF_KUBERNETES, Component, EksCluster, Nodes
from sizewell.targets.eks.node_group import plan_node_group
from sizewell.targets.eks.node_types import (
    DEVICES,
    PROXY,
    architecture_of,
    devices_of,
    node_catalog,
    room_of,
)
from sizewell.targets.eks.pods_plan_model import (
    DaemonSetsPlan,
    EksClusterPlan,
    EksModelPlan,
    EksPlan,
    EksPodsPlan,
    NodePoolPlan,
    PodPlan,
    PrometheusPlan,
    manager_of,
)
from sizewell.targets.eks.pods_spot import plan_spot, spot_faults
from sizewell.targets.eks.quantity import cpu_millicores, size_bytes
from sizewell.targets.eks.scheduling import Overhead
from sizewell.targets.serving.on_ec2 import Replicas, ServedOnEc2

#: A label of DNS, as of a Service: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
NAME = NameLimit("the node pool", 63)
#: What keeps other pods from nodes without a device that others would tolerate.
_WORKLOAD_TAINT = "sizewell/workload"
_MIB = 2**20
#: Ours. What the system of a node takes of its volume, and what the kubelet keeps free.
SYSTEM_VOLUME_GIB = 20
#: What EKS Auto Mode brings: https://docs.aws.amazon.com/eks/latest/userguide/automode.html. It brings network policies, too, but
#: enforces none until somebody enables them: https://docs.aws.amazon.com/eks/latest/userguide/auto-net-pol.html
_BROUGHT = {
    Nodes.KARPENTER: set[Component](),
    Nodes.AUTO_MODE: {
        Component.POD_IDENTITY_AGENT,
        Component.NVIDIA_DEVICE_PLUGIN,
        Component.NEURON_DEVICE_PLUGIN,
        Component.INTERRUPTION_QUEUE,
    },
    # A node group drains a Spot Instance that EC2 is about to take back:
    # https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html#managed-node-group-capacity-types-spot
    Nodes.NODE_GROUPS: {Component.INTERRUPTION_QUEUE},
}


def daemonsets_of(cluster: EksCluster) -> Overhead:
    """Return what the DaemonSets of a cluster take of each node."""
    stated = cluster.daemonsets
    return Overhead(
        cpu_millicores=cpu_millicores(stated.cpu),
        memory_mib=-(-size_bytes(stated.memory) // _MIB),
        pods=stated.pods,
    )


def catalog_of(cluster: EksCluster, catalog: Catalog, beside: Overhead = PROXY) -> Catalog:
    """Return the types of EC2 that a cluster may launch, as nodes; ``beside`` is what works there beside the container.

    ``catalog`` is that of SageMaker in the region.
    """
    others = _with(daemonsets_of(cluster), beside)
    return node_catalog(catalog.region, manager_of(cluster.nodes), others, catalog.refreshed)


def catalog_of_plan(plan: EksPlan, catalog: Catalog, beside: Overhead = PROXY) -> Catalog:
    """Return the catalog that the type of a plan is chosen from; ``catalog`` is that of SageMaker in its region."""
    daemonsets = Overhead(**plan.cluster.daemonsets.model_dump())
    others = _with(daemonsets, beside)
    return node_catalog(catalog.region, manager_of(plan.cluster.nodes), others, catalog.refreshed)


def _with(daemonsets: Overhead, beside: Overhead) -> Overhead:
    return Overhead(
        cpu_millicores=daemonsets.cpu_millicores + beside.cpu_millicores,
        memory_mib=daemonsets.memory_mib + beside.memory_mib,
        pods=daemonsets.pods + beside.pods,
    )


def pod_fields(
    stated: Stated, served: ServedOnEc2, replicas: Replicas, *, spot_share: float
) -> dict[str, Any]:
    """Return what the plan says of the cluster, the pods of a model and their nodes; with Spot, it gets a share of the pods."""
    spot = plan_spot(stated, served.types[0], spot_share) if stated.workload.spot.enabled else None
    pool = plan_node_pool(
        stated,
        served.types,
        served.kind,
        capacity_types=("spot", "on-demand") if spot else ("on-demand",),
        volume_size_gib=SYSTEM_VOLUME_GIB + endpoint_volume_size_gib(served.artifact_gib),
        max_nodes=replicas.most + 1,
    )
    pod = PodPlan(
        **pod_room(stated, served.types),
        startup_s=served.hosted.startup_timeout_s,
        longest_answer_s=replicas.longest_answer_s,
    )
    return {
        "cluster": plan_cluster(stated),
        "on_spot": spot,
        "node_pool": pool,
        "node_group": plan_node_group(
            stated,
            pool,
            pod.devices,
            min_nodes=replicas.scaling.min_instance_count if replicas.scaling else replicas.most,
            desired_nodes=replicas.initial_count,
            max_nodes=pool.max_nodes,
        ),
        "pod": pod,
        "zones": stated.policy.min_availability_zones,
    }


def plan_node_pool(
    stated: Stated, types: Sequence[InstanceType], kind: HardwareKind, **fields: Any
) -> NodePoolPlan:
    """Return the nodes of a workload, which may be of any of some types of one kind of hardware."""
    return NodePoolPlan(
        name=stated.names.workload(stated.name),
        instance_types=tuple(instance_type.name for instance_type in types),
        architecture=architecture_of(types[0]),
        taint=DEVICES.get(kind, _WORKLOAD_TAINT),
        vcpus=max(instance_type.vcpus for instance_type in types),
        **fields,
    )


def pod_room(stated: Stated, types: Sequence[InstanceType], beside: Overhead = PROXY) -> dict[str, Any]:
    """Return what the container asks for that does the work: the least that any type of the pool leaves."""
    # With the memory of the hardware.
    nodes = load_ec2_catalog(stated.policy.region, refreshed=stated.catalog.refreshed)
    manager = manager_of(stated.cluster.nodes)
    others = _with(daemonsets_of(stated.cluster), beside)
    rooms = [room_of(nodes.get(instance_type.name), manager, others) for instance_type in types]
    return {
        "cpu_millicores": min(room.cpu_millicores for room in rooms if room),
        "memory_mib": min(room.memory_mib for room in rooms if room),
        "devices": devices_of(types[0]),
    }


def cluster_faults(
    stated: Stated, plan: EksPodsPlan, needed: Mapping[Component, str]
) -> tuple[PlanFault, ...]:
    """Return why pods of a model would not run in the cluster; what they need of it is told with the reason."""
    role = "to read the model" if plan.artifact_key is not None else None
    return (*pod_faults(stated, plan, role, needed), *spot_faults(plan))


def pod_faults(
    stated: Stated, plan: EksPlan, role: str | None, needed: Mapping[Component, str]
) -> tuple[PlanFault, ...]:
    """Return why pods of a plan would not run in the cluster; ``role`` is what they have one for, None where they have none."""
    identity = {Component.POD_IDENTITY_AGENT: f"gives the pod its role, {role}"} if role else {}
    return (
        *_namespace_of_kubernetes(plan),
        *_lacking_components(stated, plan, {**identity, **_needed_by_pods(plan), **needed}),
        *_old_machine_image(plan),
        *_too_few_zones(plan, stated),
        *_two_ways_to_buy(plan),
        *_image_of_root(plan),
    )


def plan_cluster(stated: Stated) -> EksClusterPlan:
    """Return the cluster of a workload, as the configuration describes it."""
    cluster: EksCluster = stated.cluster
    prometheus = cluster.prometheus
    return EksClusterPlan(
        key=stated.workload.target,
        name=cluster.name,
        version=cluster.version,
        nodes=cluster.nodes.value,
        node_role=cluster.node_role,
        discovery_tags=cluster.discovery_tags or {"karpenter.sh/discovery": cluster.name},
        ami=cluster.ami,
        subnet_ids=cluster.subnet_ids,
        release_version=cluster.release_version,
        has=tuple(component.value for component in cluster.has),
        daemonsets=DaemonSetsPlan(**asdict(daemonsets_of(cluster))),
        namespace=cluster.namespace or stated.names.prefix,
        pod_security=cluster.pod_security,
        proxy_image=cluster.proxy_image,
        prometheus=PrometheusPlan(**prometheus.model_dump()) if prometheus else None,
        local_queue=cluster.local_queue,
    )


def _namespace_of_kubernetes(plan: EksPlan) -> Iterator[PlanFault]:
    """Yield that a platform and an environment together are called as a namespace of Kubernetes is."""
    if plan.cluster.namespace in NAMESPACES_OF_KUBERNETES:
        yield PlanFault(
            ("clusters", plan.cluster.key, "namespace"),
            f"is missing, and would be {plan.cluster.namespace}, which belongs to Kubernetes: Sizewell denies all traffic in its "
            "namespace",
            "name one of its own",
        )


def _needed_by_pods(plan: EksPlan) -> dict[Component, str]:
    needed: dict[Component, str] = {}
    if "spot" in plan.node_pool.capacity_types:
        needed[Component.INTERRUPTION_QUEUE] = (
            "tells Karpenter two minutes before EC2 takes a Spot Instance back, so that its pod ends in order"
        )
    if "nvidia.com/gpu" in plan.pod.devices:
        needed[Component.NVIDIA_DEVICE_PLUGIN] = f"offers the GPUs of {plan.instance_type}"
    if "aws.amazon.com/neuron" in plan.pod.devices:
        needed[Component.NEURON_DEVICE_PLUGIN] = f"offers the accelerators of {plan.instance_type}"
    if plan.node_group is not None:
        needed[Component.CLUSTER_AUTOSCALER] = (
            "launches nodes for its pods, and the one that a rollout needs more"
        )
    if plan.network_isolation:
        needed[Component.NETWORK_POLICIES] = (
            "enforces container.network_isolation, which is true unless stated"
        )
    return needed


def _lacking_components(
    stated: Stated, plan: EksPlan, needed: Mapping[Component, str]
) -> Iterator[PlanFault]:
    """Yield what the cluster would need that it is not said to have."""
    cluster: EksCluster = stated.cluster
    has = {*cluster.has, *_BROUGHT[cluster.nodes]}
    for component, why in needed.items():
        if component not in has:
            yield PlanFault(
                ("clusters", plan.cluster.key, "has"),
                f"lacks {component}, which {plan.name} needs: it {why}",
                f"install it, and write {component}",
            )


def _old_machine_image(plan: EksPlan) -> Iterator[PlanFault]:
    key, release = "ami", plan.cluster.ami
    if plan.cluster.release_version is not None:
        key, release = "release_version", f"al2023@v{plan.cluster.release_version.partition('-')[2]}"
    if release is None or "nvidia.com/gpu" not in plan.pod.devices:
        return
    cuda = cuda_of(plan.image.uri)
    families = frozenset(name.partition(".")[0] for name in plan.node_pool.instance_types)
    for reason in too_old(release, cuda and cuda[0], families):
        yield PlanFault(
            ("clusters", plan.cluster.key, key),
            f"is {getattr(plan.cluster, key)}, too old for {plan.name}: {reason}",
            "raise it",
        )


def _too_few_zones(plan: EksPlan, stated: Stated) -> Iterator[PlanFault]:
    subnets, zones = len(plan.cluster.subnet_ids), stated.policy.min_availability_zones
    if plan.node_group is not None and subnets < zones:
        yield PlanFault(
            ("clusters", plan.cluster.key, "subnet_ids"),
            f"has {subnets}, and policy.min_availability_zones is {zones}",
            "name a subnet in each of so many Availability Zones",
        )


def _two_ways_to_buy(plan: EksPlan) -> Iterator[PlanFault]:
    if plan.node_group is not None and len(plan.node_pool.capacity_types) > 1:
        serves = isinstance(plan, EksPodsPlan)
        yield PlanFault(
            ("workloads", plan.name, "spot"),
            "falls back to instances on demand, and a node group launches either those or Spot Instances",
            "leave spot out" if serves else "write spot.on_demand_fallback: false, or leave spot out",
        )


def _image_of_root(plan: EksPlan) -> Iterator[PlanFault]:
    """Yield that the server in an image of AWS ends at its start as any other user than root."""
    if not isinstance(plan, EksModelPlan) or plan.cluster.pod_security != "restricted":
        return
    registry, _, name = plan.image.uri.partition("/")
    repository, _, tag = name.partition(":")
    known = image_server(repository, tag) if registry.partition(".")[0] in accounts_of_aws() else None
    if known and known.server.root_file:
        yield PlanFault(
            ("clusters", plan.cluster.key, "pod_security"),
            f"is restricted, and runs no container as root; but {known.server.name}, in the image of {plan.name}, writes "
            f"{known.server.root_file} at its start, which only root may",
            "write baseline, or take an image whose server starts as user 1000",
        )


def assumptions_of(cluster: EksCluster) -> tuple[str, ...]:
    """Return what nobody can look up of a cluster."""
    stated = cluster.daemonsets
    autoscaler = (
        "the Cluster Autoscaler runs with --scale-down-unneeded-time=5m: by default it ends an empty node after 10 minutes",
    )
    return (
        *(autoscaler if cluster.nodes is Nodes.NODE_GROUPS else ()),
        f"DaemonSets of the cluster request {stated.cpu} CPU and {stated.memory} of each node, and a pod takes all that is left",
    )

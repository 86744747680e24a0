"""The decisions for a model that pods of a Deployment serve: its nodes, its pods, and what the cluster must have for them."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from sizewell.facts.eks_amis import too_old
from sizewell.facts.inference_amis import cuda_of
from sizewell.instance_selection.catalog import InstanceType, load_ec2_catalog
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.name_limits import NameLimit
from sizewell.planning.remedies import ENDPOINT_REMEDIES
from sizewell.planning.volumes import endpoint_volume_size_gib
from sizewell.targets.eks.cluster import NAMESPACES_OF_KUBERNETES, Component, EksCluster, Nodes
from sizewell.targets.eks.deployment.plan_model import (
    DaemonSetsPlan,
    EksClusterPlan,
    EksDeploymentPlan,
    NodePoolPlan,
    PodPlan,
    PrometheusPlan,
    manager_of,
)
from sizewell.targets.eks.node_types import DEVICES, architecture_of, devices_of, node_catalog, room_of
from sizewell.targets.eks.proof import unsound
from sizewell.targets.eks.quantity import cpu_millicores, size_bytes
from sizewell.targets.eks.scheduling import Overhead
from sizewell.targets.served_on_ec2 import ec2_requirements, serve_on_ec2

#: What keeps other pods from nodes without a device that others would tolerate.
_WORKLOAD_TAINT = "sizewell/workload"
_MIB = 2**20
#: Ours. What the system of a node takes of its volume, and what the kubelet keeps free.
_SYSTEM_VOLUME_GIB = 20
#: A label of DNS, as of a Service: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
_NAME = NameLimit("the node pool", 63)
#: What EKS Auto Mode brings: https://docs.aws.amazon.com/eks/latest/userguide/automode.html. It brings network policies, too, but
#: enforces none until somebody enables them: https://docs.aws.amazon.com/eks/latest/userguide/auto-net-pol.html
_OF_AUTO_MODE = {
    Component.POD_IDENTITY_AGENT,
    Component.NVIDIA_DEVICE_PLUGIN,
    Component.NEURON_DEVICE_PLUGIN,
}


def daemonsets_of(cluster: EksCluster) -> Overhead:
    """Return what the DaemonSets of a cluster take of each node."""
    stated = cluster.daemonsets
    return Overhead(
        cpu_millicores=cpu_millicores(stated.cpu),
        memory_mib=-(-size_bytes(stated.memory) // _MIB),
        pods=stated.pods,
    )


def _plan(stated: Stated) -> Planned:
    plan = plan_deployment(stated)
    if found := (
        *_namespace_of_kubernetes(plan),
        *_lacking_components(stated, plan),
        *_old_machine_image(plan),
    ):
        raise PlanError(found)  # no manifest is written of what the cluster has not
    return plan, ()


def plan_deployment(stated: Stated) -> EksDeploymentPlan:
    """Return the plan of a workload whose cluster is ``stated.cluster``; raises what ``serve_on_ec2`` does."""
    cluster, policy, names = stated.cluster, stated.policy, stated.names
    catalog = node_catalog(policy.region, manager_of(cluster.nodes), daemonsets_of(cluster))
    served = serve_on_ec2(stated, catalog, *_assumptions(cluster))
    fields = dict(served.fields)
    if cluster.prometheus is None:
        fields["alarms"] = {}
    return EksDeploymentPlan(
        **fields,
        cluster=_plan_cluster(stated.workload.target, cluster, names.prefix),
        node_pool=NodePoolPlan(
            name=names.workload(stated.name),
            instance_types=tuple(instance_type.name for instance_type in served.types),
            architecture=architecture_of(served.types[0]),
            taint=DEVICES.get(served.kind, _WORKLOAD_TAINT),
            volume_size_gib=_SYSTEM_VOLUME_GIB + endpoint_volume_size_gib(served.artifact_gib),
            max_nodes=served.most_containers + 1,
            vcpus=max(instance_type.vcpus for instance_type in served.types),
        ),
        pod=_plan_pod(
            served.types,
            cluster,
            policy.region,
            startup_s=served.hosted.startup_timeout_s,
            longest_answer_s=served.longest_answer_s,
        ),
        zones=policy.min_availability_zones,
    )


def _plan_pod(
    types: Sequence[InstanceType], cluster: EksCluster, region: str, *, startup_s: int, longest_answer_s: int
) -> PodPlan:
    """Return what a pod asks for: the least that any type of the pool leaves."""
    nodes = load_ec2_catalog(region)  # with the memory of the hardware
    manager, daemonsets = manager_of(cluster.nodes), daemonsets_of(cluster)
    rooms = [room_of(nodes.get(instance_type.name), manager, daemonsets) for instance_type in types]
    return PodPlan(
        cpu_millicores=min(room.cpu_millicores for room in rooms if room),
        memory_mib=min(room.memory_mib for room in rooms if room),
        devices=devices_of(types[0]),
        startup_s=startup_s,
        longest_answer_s=longest_answer_s,
    )


def _plan_cluster(key: str, cluster: EksCluster, namespace: str) -> EksClusterPlan:
    stated = cluster.prometheus
    return EksClusterPlan(
        key=key,
        name=cluster.name,
        version=cluster.version,
        nodes=cluster.nodes.value,
        node_role=cluster.node_role,
        discovery_tags=cluster.discovery_tags or {"karpenter.sh/discovery": cluster.name},
        ami=cluster.ami,
        has=tuple(component.value for component in cluster.has),
        daemonsets=DaemonSetsPlan(**asdict(daemonsets_of(cluster))),
        namespace=cluster.namespace or namespace,
        pod_security=cluster.pod_security,
        proxy_image=cluster.proxy_image,
        prometheus=PrometheusPlan(url=stated.url, namespace=stated.namespace, labels=stated.labels)
        if stated
        else None,
    )


def _namespace_of_kubernetes(plan: EksDeploymentPlan) -> Iterator[PlanFault]:
    """Yield that a platform and an environment together are called as a namespace of Kubernetes is."""
    if plan.cluster.namespace in NAMESPACES_OF_KUBERNETES:
        yield PlanFault(
            ("clusters", plan.cluster.key, "namespace"),
            f"is missing, and would be {plan.cluster.namespace}, which belongs to Kubernetes: Sizewell denies all traffic in its "
            "namespace",
            "name one of its own",
        )


def _lacking_components(stated: Stated, plan: EksDeploymentPlan) -> Iterator[PlanFault]:
    """Yield what the cluster would need that it is not said to have."""
    cluster: EksCluster = stated.cluster
    has = {*cluster.has, *(_OF_AUTO_MODE if cluster.nodes is Nodes.AUTO_MODE else ())}
    needed: dict[Component, str] = {}
    if plan.artifact_key is not None:
        needed[Component.POD_IDENTITY_AGENT] = "gives the pod its role, to read the model"
    if "nvidia.com/gpu" in plan.pod.devices:
        needed[Component.NVIDIA_DEVICE_PLUGIN] = f"offers the GPUs of {plan.instance_type}"
    if "aws.amazon.com/neuron" in plan.pod.devices:
        needed[Component.NEURON_DEVICE_PLUGIN] = f"offers the accelerators of {plan.instance_type}"
    if plan.scaling is not None:
        needed[Component.KEDA] = "scales the pods; or write equal min_instances and max_instances"
        needed[Component.PROMETHEUS] = "counts the requests that pods scale by"
    elif stated.policy.production:
        needed[Component.PROMETHEUS] = "watches the requests: in production somebody must hear of errors"
    if plan.network_isolation:
        needed[Component.NETWORK_POLICIES] = (
            "enforces container.network_isolation, which is true unless stated"
        )
    for component, why in needed.items():
        if component not in has:
            yield PlanFault(
                ("clusters", plan.cluster.key, "has"),
                f"lacks {component}, which {plan.name} needs: it {why}",
                f"install it, and write {component}",
            )


def _old_machine_image(plan: EksDeploymentPlan) -> Iterator[PlanFault]:
    if plan.cluster.ami is None or "nvidia.com/gpu" not in plan.pod.devices:
        return
    cuda = cuda_of(plan.image.uri)
    families = frozenset(name.partition(".")[0] for name in plan.node_pool.instance_types)
    for reason in too_old(plan.cluster.ami, cuda and cuda[0], families):
        yield PlanFault(
            ("clusters", plan.cluster.key, "ami"),
            f"is {plan.cluster.ami}, too old for {plan.name}: {reason}",
            "raise it",
        )


def _assumptions(cluster: EksCluster) -> Iterator[str]:
    stated = cluster.daemonsets
    yield (
        f"DaemonSets of the cluster request {stated.cpu} CPU and {stated.memory} of each node, and a pod of the model takes all "
        "that is left"
    )
    yield "a Service of Kubernetes spreads requests at random: the tail of latency is longer than behind a router that counts"
    if cluster.prometheus is None:
        yield "nothing watches the requests: the cluster has no prometheus, and there is no alarm"


FACET = PlanKind(
    plan=_plan,
    name=_NAME,
    remedies=lambda _: ENDPOINT_REMEDIES,
    needs=ec2_requirements,
    foundation_faults=unsound,
    catalog=lambda plan, catalog: node_catalog(
        catalog.region,
        manager_of(plan.cluster.nodes),
        Overhead(**plan.cluster.daemonsets.model_dump()),
    ),
)

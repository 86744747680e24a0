"""What all plans in a cluster of Amazon EKS have in common: pods, one on each node of a pool of their own."""

from collections.abc import Iterator
from typing import Literal

from sizewell.facts.quotas import Quota, ec2_quotas
from sizewell.planning.workload_plan import ImagePlan, InstanceWorkloadPlan, PlanModel
from sizewell.targets.plan_model import ClusterPlan
from sizewell.targets.serving.plan_model import ServedOnEc2Plan


class PrometheusPlan(PlanModel):
    """The Prometheus of a cluster."""

    url: str
    namespace: str
    labels: dict[str, str]


class DaemonSetsPlan(PlanModel):
    """What the DaemonSets of a cluster request of each node."""

    cpu_millicores: int
    memory_mib: int
    pods: int


class EksClusterPlan(ClusterPlan):
    """The cluster, as the configuration describes it."""

    version: str
    nodes: Literal["karpenter", "auto-mode", "node-groups"]
    node_role: str
    discovery_tags: dict[str, str]
    ami: str | None
    """None where EKS Auto Mode chooses it, and of node groups."""
    subnet_ids: tuple[str, ...]
    release_version: str | None
    """None where there are no node groups."""
    has: tuple[str, ...]
    daemonsets: DaemonSetsPlan
    namespace: str
    pod_security: Literal["restricted", "baseline"]
    proxy_image: str
    prometheus: PrometheusPlan | None = None
    """None where it has none."""
    local_queue: str | None = None
    """Of Kueue; None where runs wait in no queue."""


class NodePoolPlan(PlanModel):
    """The nodes of one workload: whatever its cluster launches of these types, one pod fills."""

    name: str
    instance_types: tuple[str, ...]
    """The chosen one first."""
    architecture: Literal["amd64", "arm64"]
    capacity_types: tuple[Literal["spot", "on-demand"], ...] = ("on-demand",)
    """Of several, Spot is launched first: https://karpenter.sh/docs/concepts/nodepools/#capacity-type."""
    taint: str
    """The key that keeps other pods away."""
    volume_size_gib: int
    max_nodes: int
    """For a model with one for a new pod while the old one still answers."""
    vcpus: int
    """Of the largest type."""


class NodeGroupPlan(PlanModel):
    """The managed node group that launches the nodes of one workload."""

    name: str
    ami_type: str
    capacity_type: Literal["SPOT", "ON_DEMAND"]
    labels: dict[str, str]
    """Of its nodes."""
    group_tags: dict[str, str]
    """What the Cluster Autoscaler reads of the group."""
    instance_tags: dict[str, str]
    min_nodes: int
    desired_nodes: int
    """When it is created: afterwards the Cluster Autoscaler changes it."""
    max_nodes: int
    update_strategy: Literal["DEFAULT", "MINIMAL"]
    """Of nodes that get another release: a new one is there first, or the old one ends first."""


class SpotPlan(PlanModel):
    """The nodes that are on Spot while Spot has capacity; figures are those of the chosen type, as published for its region."""

    share: float
    """Of all pods."""
    savings_percent: float | None
    """Of the on-demand price, without a fee; None where nobody publishes it, and no saving is counted."""
    interruption_band: str | None
    """The share of instances that EC2 took back in a month."""
    as_of: str | None

    @property
    def paid_share(self) -> float:
        """What is paid of the on-demand price, without a fee."""
        return 1 - (self.savings_percent or 0.0) / 100


class PodRoomPlan(PlanModel):
    """What the container that does the work asks of its node: what all types of the pool have left."""

    cpu_millicores: int
    memory_mib: int
    devices: dict[str, int]
    """By the name of the resource, such as nvidia.com/gpu."""


class PodPlan(PodRoomPlan):
    """What the container of a model asks of its node, and how long it takes."""

    startup_s: int
    """What it may take to start."""
    longest_answer_s: int
    """After what an answer is ended."""


class EksPlan(InstanceWorkloadPlan):
    """What runs in a cluster: pods, each of which has a node to itself."""

    instance_type: str
    image: ImagePlan
    cluster: EksClusterPlan
    node_pool: NodePoolPlan
    node_group: NodeGroupPlan | None
    """None where Karpenter or EKS Auto Mode launches the nodes."""
    pod: PodRoomPlan

    @property
    def kubectl_logs(self) -> str:
        """By the labels of its pods, of all their containers."""
        namespace = self.cluster.namespace
        labels = f"app.kubernetes.io/name={self.name},app.kubernetes.io/instance={namespace}"
        return f"kubectl logs --namespace {namespace} --selector {labels} --all-containers --prefix --tail=-1"

    @property
    def quotas(self) -> Iterator[Quota]:
        """The vCPUs of all nodes while pods are replaced."""
        pool = self.node_pool
        for capacity_type in pool.capacity_types:
            is_spot = capacity_type == "spot"
            yield from ec2_quotas(pool.instance_types, pool.max_nodes * pool.vcpus, spot=is_spot)


class EksModelPlan(EksPlan):
    """What runs in a cluster, of which each pod has the server of a model."""

    artifact_key: str | None
    """None where the model is in the image."""
    artifact_compression: Literal["gzip", "none"]
    pod: PodPlan


class EksPodsPlan(EksModelPlan, ServedOnEc2Plan):
    """One model in pods of a Deployment."""

    cluster: EksClusterPlan
    zones: int
    """In how many zones pods are spread, where there is capacity."""
    on_spot: SpotPlan | None = None
    """None where all nodes are on demand."""

    @property
    def least_pods(self) -> int:
        """How many pods run at least."""
        return self.scaling.min_instance_count if self.scaling else self.initial_instance_count


def manager_of(nodes: str) -> str:
    """Return what ``sizewell.facts.node_fees`` calls what launches nodes."""
    return f"eks-{nodes}"

"""The plan of a model that pods of a Deployment serve, one on each node."""

from collections.abc import Iterator
from typing import Literal

from sizewell.facts.quotas import Quota, ec2_quotas
from sizewell.planning.workload_plan import (
    PlanModel,
    PlanModelKind,
)
from sizewell.targets.served_plan_model import ClusterPlan, ServedOnEc2Plan


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
    nodes: Literal["karpenter", "auto-mode"]
    node_role: str
    discovery_tags: dict[str, str]
    ami: str | None
    """None where EKS Auto Mode chooses it."""
    has: tuple[str, ...]
    daemonsets: DaemonSetsPlan
    namespace: str
    pod_security: Literal["restricted", "baseline"]
    proxy_image: str
    prometheus: PrometheusPlan | None = None
    """None where it has none."""


class NodePoolPlan(PlanModel):
    """The nodes of one workload: whatever its cluster launches of these types, one pod fills."""

    name: str
    instance_types: tuple[str, ...]
    """The chosen one first."""
    architecture: Literal["amd64", "arm64"]
    taint: str
    """The key that keeps other pods away."""
    volume_size_gib: int
    max_nodes: int
    """With one for a new pod while the old one still answers."""
    vcpus: int
    """Of the largest type."""


class PodPlan(PlanModel):
    """What the container of the model asks of its node: what all types of the pool have left."""

    cpu_millicores: int
    memory_mib: int
    devices: dict[str, int]
    """By the name of the resource, such as nvidia.com/gpu."""
    startup_s: int
    """What it may take to start."""
    longest_answer_s: int
    """After what the proxy ends an answer; a stream may take longer."""


class EksDeploymentPlan(ServedOnEc2Plan):
    """One model that pods serve."""

    kind: str = "eks-deployment"
    cluster: EksClusterPlan
    node_pool: NodePoolPlan
    pod: PodPlan
    zones: int
    """In how many zones pods are spread, where there is capacity."""

    @property
    def quotas(self) -> Iterator[Quota]:
        """The vCPUs of all nodes while pods are replaced."""
        yield from ec2_quotas(self.node_pool.instance_types, self.node_pool.max_nodes * self.node_pool.vcpus)


def manager_of(nodes: str) -> str:
    """Return what ``sizewell.facts.node_fees`` calls what launches nodes."""
    return f"eks-{nodes}"


FACET = PlanModelKind(model=EksDeploymentPlan)

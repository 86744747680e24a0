"""How a cluster of Amazon EKS is described: what it has cannot be looked up while a plan is made."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, fault
from sizewell.config.cluster import Cluster, Runs, TargetKind
from sizewell.config.effects import OnChange
from sizewell.config.network import SubnetId
from sizewell.config.place import PlaceName
from sizewell.config.tags import TagKey, TagValue
from sizewell.facts.regions import MAX_AVAILABILITY_ZONES
from sizewell.targets.training.lacks import TRAINING_LACKS
from sizewell.targets.transforming.lacks import TRANSFORM_LACKS

#: A quantity of Kubernetes: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
Cpu = Annotated[str, Field(pattern=r"^[0-9]{1,6}(\.[0-9]{1,3})?m?$", max_length=12, examples=["300m"])]
Memory = Annotated[str, Field(pattern=r"^[0-9]{1,9}(Ki|Mi|Gi)$", max_length=12, examples=["800Mi"])]
#: A label of DNS (RFC 1123), as the name of a namespace is.
NamespaceName = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", max_length=63, examples=["ml-prod"]),
]
#: The first minor version of Kubernetes that has both by default: SidecarContainers (1.29) and PodLifecycleSleepAction (1.30).
#: https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/
_OLDEST_MINOR = 30
#: What every cluster has: to deny all traffic there, and to demand a pod security standard, would end the cluster.
#: https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/#initial-namespaces
NAMESPACES_OF_KUBERNETES = ("default", "kube-node-lease", "kube-public", "kube-system")
#: Where an image is, with a tag or a digest.
ImageAddress = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9][a-zA-Z0-9._:/-]*(:[A-Za-z0-9._-]+|@sha256:[0-9a-f]{64})$",
        max_length=300,
        examples=["111122223333.dkr.ecr.us-east-1.amazonaws.com/envoyproxy/envoy:distroless-v1.36.2"],
    ),
]


class Nodes(StrEnum):
    """What launches the instances of a cluster."""

    KARPENTER = "karpenter"
    AUTO_MODE = "auto-mode"
    NODE_GROUPS = "node-groups"


class Component(StrEnum):
    """What a cluster may have, and somebody else looks after."""

    KEDA = "keda"
    PROMETHEUS = "prometheus"
    POD_IDENTITY_AGENT = "pod-identity-agent"
    NVIDIA_DEVICE_PLUGIN = "nvidia-device-plugin"
    NEURON_DEVICE_PLUGIN = "neuron-device-plugin"
    NETWORK_POLICIES = "network-policies"
    KUBE_STATE_METRICS = "kube-state-metrics"
    DCGM_EXPORTER = "dcgm-exporter"
    INTERRUPTION_QUEUE = "interruption-queue"
    CLUSTER_AUTOSCALER = "cluster-autoscaler"
    JOBSET = "jobset"
    EFA_DEVICE_PLUGIN = "efa-device-plugin"
    KUEUE = "kueue"


class DaemonSets(ConfigModel):
    """What the pods of all DaemonSets together request of a node."""

    cpu: Cpu
    """Their CPU: 300m is three tenths of a vCPU."""
    memory: Memory
    """Their memory: 800Mi is 800 mebibytes."""
    pods: Annotated[int, Field(ge=0, le=100)] = 8
    """How many pods they are."""


class Prometheus(ConfigModel):
    """A Prometheus with its operator, which reads PodMonitor and PrometheusRule."""

    url: Annotated[
        str,
        Field(
            pattern=r"^https?://[a-z0-9.-]{1,253}(:[0-9]{1,5})?(/[A-Za-z0-9._/-]*)?$",
            max_length=300,
            examples=["http://prometheus-operated.monitoring.svc:9090"],
        ),
    ]
    """Where KEDA asks it."""
    namespace: NamespaceName = "monitoring"
    """The namespace that it runs in."""
    labels: Annotated[dict[TagKey, TagValue], Field(max_length=10)] = {}
    """Labels by which it finds PodMonitors and PrometheusRules, for example {release: prometheus}; by default it takes all."""


class EksCluster(Cluster):
    """A cluster of Amazon EKS that exists."""

    type: Literal["eks"]
    """Amazon EKS."""
    name: Annotated[str, Field(pattern=r"^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$", examples=["company-ml"])]
    """The name of the cluster."""
    place: Annotated[PlaceName | None, OnChange("what runs in the cluster is created anew elsewhere")] = None
    """Which of the places it is in; by default policy.account and policy.region."""
    version: Annotated[str, Field(pattern=r"^1\.[0-9]{2}$", examples=["1.35"])]
    """Its version of Kubernetes, in quotes."""
    nodes: Nodes
    """What launches its instances: karpenter, installed by you, auto-mode, which AWS runs and bills, or node-groups, a managed
    node group for each workload."""
    node_role: Annotated[str, Field(pattern=r"^[A-Za-z0-9+=,.@_-]{1,64}$", examples=["company-ml-node"])]
    """The name of the IAM role of nodes, which may join the cluster and pull the images."""
    discovery_tags: Annotated[dict[TagKey, TagValue], Field(max_length=10)] = {}
    """Tags of the subnets and security groups of nodes; by default {karpenter.sh/discovery: NAME OF THE CLUSTER}."""
    subnet_ids: Annotated[tuple[SubnetId, ...], Field(max_length=MAX_AVAILABILITY_ZONES)] = ()
    """The subnets of node groups, in the VPC of the cluster."""
    ami: Annotated[str, Field(pattern=r"^al2023@v[0-9]{8}$", examples=["al2023@v20261107"])] | None = None
    """The release of the machine image of nodes that Karpenter launches; auto-mode chooses it itself."""
    release_version: (
        Annotated[str, Field(pattern=r"^1\.[0-9]{2}\.[0-9]{1,2}-[0-9]{8}$", examples=["1.35.2-20261107"])]
        | None
    ) = None
    """The release of the machine image of node groups: version of Kubernetes and date."""
    has: Annotated[tuple[Component, ...], Field(max_length=len(Component))] = ()
    """What is installed in it: keda, prometheus (with its operator), pod-identity-agent, nvidia-device-plugin,
    neuron-device-plugin, network-policies, kube-state-metrics, dcgm-exporter, interruption-queue (of Karpenter),
    cluster-autoscaler (for node groups), jobset, efa-device-plugin, kueue."""
    daemonsets: DaemonSets
    """What is left of a node begins after this: kubectl describe node shows it."""
    prometheus: Prometheus | None = None
    """Where Prometheus is, where the cluster has it."""
    namespace: NamespaceName | None = None
    """The namespace of the workloads; by default PLATFORM-ENVIRONMENT."""
    local_queue: NamespaceName | None = None
    """The LocalQueue of Kueue in that namespace, in which trainings on several nodes wait until all of them may run."""
    pod_security: Literal["restricted", "baseline"] = "restricted"
    """The pod security standard of the namespace: restricted runs no container as root, baseline does."""
    proxy_image: ImageAddress
    """An image of Envoy 1.30 or later, which counts requests and ends those that take too long, beside each container of a
    model."""

    @model_validator(mode="after")
    def _image_of_nodes(self) -> Self:
        if self.nodes is Nodes.KARPENTER and self.ami is None:
            raise fault(
                "ami",
                "is missing: state the release that the nodes run, such as al2023@v20261107; a release that moves by itself "
                "changes the driver below a running model",
            )
        if self.nodes is Nodes.AUTO_MODE and self.ami is not None:
            raise fault("ami", "has no effect: EKS Auto Mode chooses the machine image; remove it")
        if self.nodes is Nodes.NODE_GROUPS and self.ami is not None:
            raise fault("ami", "has no effect with nodes: node-groups; write release_version instead")
        return self

    @model_validator(mode="after")
    def _node_groups(self) -> Self:
        keys = {
            "subnet_ids": "subnets of the VPC of the cluster",
            "release_version": "one such as 1.35.2-20261107",
        }
        for key, what_to_write in keys.items():
            if self.nodes is Nodes.NODE_GROUPS and not getattr(self, key):
                raise fault(key, f"is missing: a node group has it; write {what_to_write}")
            if self.nodes is not Nodes.NODE_GROUPS and getattr(self, key):
                raise fault(key, f"has no effect with nodes: {self.nodes}; remove it")
        if self.nodes is Nodes.NODE_GROUPS and self.discovery_tags:
            raise fault("discovery_tags", "has no effect with nodes: node-groups; write subnet_ids instead")
        if self.release_version and not self.release_version.startswith(f"{self.version}."):
            raise fault(
                "release_version",
                f"is {self.release_version}, and version is {self.version}: name a release of that version of Kubernetes",
            )
        return self

    @model_validator(mode="after")
    def _knows_our_pods(self) -> Self:
        if int(self.version.partition(".")[2]) < _OLDEST_MINOR:
            raise fault(
                "version",
                f"is {self.version}, and pods need 1.{_OLDEST_MINOR} or later: 1.29 starts the proxy as a sidecar, and 1.30 lets "
                "a pod that ends sleep until its requests have ended; upgrade the cluster",
            )
        return self

    @model_validator(mode="after")
    def _own_namespace(self) -> Self:
        if self.namespace in NAMESPACES_OF_KUBERNETES:
            raise fault(
                "namespace",
                f"is {self.namespace}, which belongs to Kubernetes: Sizewell denies all traffic in its namespace; name one of "
                "its own",
            )
        return self

    @model_validator(mode="after")
    def _where_prometheus_is(self) -> Self:
        if (Component.PROMETHEUS in self.has) != (self.prometheus is not None):
            if self.prometheus is None:
                raise fault("prometheus", "is missing: has says prometheus; state its url")
            raise fault(
                "has", "lacks prometheus, but the key prometheus says where it is: write it in has, too"
            )
        return self

    @model_validator(mode="after")
    def _whose_gpus(self) -> Self:
        needed = (Component.PROMETHEUS, Component.KUBE_STATE_METRICS)
        if Component.DCGM_EXPORTER in self.has and (
            lacks := [part for part in needed if part not in self.has]
        ):
            raise fault(
                "has",
                f"lacks {' and '.join(lacks)}, without which dcgm-exporter has no effect: Prometheus alerts on GPUs that are "
                "broken, and kube-state-metrics tells whose pods have them; write it in has, too, or remove dcgm-exporter",
            )
        return self

    @model_validator(mode="after")
    def _queue_of_kueue(self) -> Self:
        if self.local_queue is not None and Component.KUEUE not in self.has:
            raise fault(
                "local_queue",
                f"is {self.local_queue}, but has lacks kueue, which runs the queue: install it, and write kueue in has",
            )
        return self


_OF_SAGEMAKER = "it is a feature of endpoints of SageMaker"
_POOLS = "its node pool always has all types that fit"
_OWN_ROLE = "its role is made, for EKS Pod Identity"
_PACKAGE = "state image and artifact, which every target can read"
_CALLERS = "callers are pods with the label that the guide to clusters names"

FACET = TargetKind(
    words="cluster of Amazon EKS",
    model=EksCluster,
    alike={"version": "an API may be gone, or behave differently, in the other version of Kubernetes"},
    runs={
        "real-time-endpoint": Runs(
            planned_as="eks-deployment",
            lacks={
                "pipeline": "one container answers; put the steps before and after the model into its image",
                "data_capture": f"{_OF_SAGEMAKER}; log requests in the container",
                "instance_pools": _POOLS,
                "capacity_reservation_arn": "it is of SageMaker's own capacity",
                "variants": f"{_OF_SAGEMAKER}; make each variant a workload of its own",
                "shadow": _OF_SAGEMAKER,
                "rollout": "one pod after the other is replaced, and a new one that is not ready stops that",
                "access": _CALLERS,
                "execution_role_arn": _OWN_ROLE,
                "container.model_package": _PACKAGE,
                "scaling.schedules": "its scaler follows the load alone",
                "scaling.steps": "its scaler follows what it tracks",
                "detailed_metrics": "Prometheus has them",
            },
        ),
        "asynchronous-endpoint": Runs(
            planned_as="eks-queue-worker",
            lacks={
                "routing": "a pod takes what it has room for",
                "instance_pools": _POOLS,
                "access.api_gateway": "callers send to the queue",
                "execution_role_arn": _OWN_ROLE,
                "container.model_package": _PACKAGE,
                "scaling.schedules": "its scaler follows the queue alone",
                "detailed_metrics": "the queue has metrics of its own",
            },
        ),
        "training-job": Runs(
            planned_as="eks-job",
            lacks={
                **TRAINING_LACKS,
                "encrypt_inter_container_traffic": "EC2 encrypts it where the type can, whatever is stated",
                "starts_on": "a schedule or people start its runs: let what writes the data call kubectl create job",
                "report_success": "kubectl get jobs lists the runs; Prometheus tells of those that fail",
                "spot.max_wait_hours": "each start is tried on Spot, and on demand at once where Spot has no capacity",
            },
        ),
        "batch-transform": Runs(
            planned_as="eks-transform-job",
            lacks={
                **TRANSFORM_LACKS,
                "starts_on": "a schedule or people start its runs: let what writes the data call kubectl create job",
                "execution_role_arn": _OWN_ROLE,
            },
        ),
    },
)

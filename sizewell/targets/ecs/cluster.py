"""How a cluster of Amazon ECS is described: what it has cannot be looked up while a plan is made."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from sizewell.config.cluster import Cluster, Runs, TargetKind
from sizewell.config.effects import OnChange, OnToggle
from sizewell.config.place import PlaceName

#: https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_CreateCluster.html
ClusterName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,255}$", examples=["company-web"])]
#: An image in Amazon ECR, with a tag or a digest: instances may have no way to other registries.
ImageInEcr = Annotated[
    str,
    Field(
        pattern=r"^[0-9]{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(\.cn)?/"
        r"[a-z0-9][a-z0-9._/-]*(:[A-Za-z0-9._-]+|@sha256:[0-9a-f]{64})$",
        max_length=300,
        examples=["111122223333.dkr.ecr.us-east-1.amazonaws.com/envoyproxy/envoy:v1.36.2"],
    ),
]


class Capacity(StrEnum):
    """What launches the instances of a cluster."""

    MANAGED_INSTANCES = "managed-instances"


class EcsCluster(Cluster):
    """A cluster of Amazon ECS that exists."""

    type: Literal["ecs"]
    """Amazon ECS."""
    name: ClusterName
    """The name of the cluster."""
    place: Annotated[PlaceName | None, OnChange("what runs in the cluster is created anew elsewhere")] = None
    """Which of the places it is in; by default policy.account and policy.region."""
    capacity: Literal[Capacity.MANAGED_INSTANCES]
    """What launches instances: managed-instances are launched, patched and replaced by ECS, for a fee."""
    certificate_arn: Annotated[
        str,
        Field(
            pattern=r"^arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/[0-9a-f-]{36}$",
            examples=["arn:aws:acm:us-east-1:111122223333:certificate/12345678-1234-1234-1234-123456789012"],
        ),
    ]
    """The certificate of the load balancers, in AWS Certificate Manager: callers use a name that it covers."""
    caller_security_groups: Annotated[
        tuple[Annotated[str, Field(pattern=r"^sg-[0-9a-f]{8,17}$")], ...], Field(min_length=1, max_length=20)
    ]
    """The security groups of whoever may call the models."""
    container_insights: Annotated[
        bool,
        OnToggle(
            on="asynchronous endpoints can scale there",
            off="nobody counts the tasks by which asynchronous endpoints scale",
        ),
    ] = False
    """Whether Container Insights is on in it, which counts tasks: asynchronous endpoints scale by their number."""
    proxy_image: ImageInEcr
    """An image of Envoy 1.30 or later in Amazon ECR, which bounds requests and ends those that take too long, beside each
    container of a model."""


_OF_SAGEMAKER = "it is a feature of endpoints of SageMaker"
_POOLS = "its capacity provider always has all types that fit"
_OWN_ROLES = "its roles are made"
_ON_DEMAND = "its capacity provider launches on demand; a cluster of Amazon EKS has Spot"
_PACKAGE = "state image and artifact, which every target can read"

FACET = TargetKind(
    words="cluster of Amazon ECS",
    model=EcsCluster,
    runs={
        "real-time-endpoint": Runs(
            planned_as="ecs-service",
            lacks={
                "pipeline": "one container answers; put the steps before and after the model into its image",
                "data_capture": f"{_OF_SAGEMAKER}; log requests in the container",
                "instance_pools": _POOLS,
                "spot": _ON_DEMAND,
                "capacity_reservation_arn": "it is of SageMaker's own capacity",
                "variants": f"{_OF_SAGEMAKER}; make each variant a workload of its own",
                "shadow": _OF_SAGEMAKER,
                "rollout": "one task after the other is replaced, and alarms bring the old ones back",
                "access": "callers are the cluster's caller_security_groups",
                "execution_role_arn": _OWN_ROLES,
                "container.model_package": _PACKAGE,
                "scaling.schedules": "its scaling follows the load alone",
                "scaling.steps": "its scaling follows what it tracks",
                "detailed_metrics": "the load balancer has them",
            },
        ),
        "asynchronous-endpoint": Runs(
            planned_as="ecs-queue-worker",
            lacks={
                "routing": "a task takes what it has room for",
                "instance_pools": _POOLS,
                "spot": _ON_DEMAND,
                "access.api_gateway": "callers send to the queue",
                "execution_role_arn": _OWN_ROLES,
                "container.model_package": _PACKAGE,
                "scaling.schedules": "its scaling follows the queue alone",
                "detailed_metrics": "the queue has metrics of its own",
            },
        ),
    },
)

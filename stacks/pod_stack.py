"""The stack of what runs in a cluster of Amazon EKS: what its pods may do in the account. All else are manifests."""

from typing import Any

from constructs import Construct

from constructs_lib.clusters.pod_role import PodRole, PodRoleProps
from sizewell.stacks.workload_stack import WorkloadStack
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.pods_plan_model import EksPlan


class PodStack(WorkloadStack):
    """The role of the pods of one workload."""

    role: PodRole

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: EksDeploymentPlan, **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.role = add_pod_role(self, plan, plan.artifact_key)


def add_pod_role(
    stack: WorkloadStack, plan: EksPlan, artifact_key: str | None = None, **given: Any
) -> PodRole:
    """Add the role of the pods of a workload, which reads its model where it has one, and may do what is ``given`` beside."""
    bucket = stack.foundation.artifact_bucket_name
    return PodRole(
        stack,
        "PodRole",
        props=stack.props(
            PodRoleProps,
            plan,
            cluster_name=plan.cluster.name,
            namespace=plan.cluster.namespace,
            service_account=plan.name,
            reads=((bucket, artifact_key),) if artifact_key else (),
            **given,
        ),
    )

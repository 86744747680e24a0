"""The stack of what runs in a cluster of Amazon EKS: what its pods may do in the account. All else are manifests."""

from typing import Any

from constructs import Construct

from constructs_lib.clusters.pod_role import PodRole, PodRoleProps
from sizewell.stacks.workload_stack import WorkloadStack
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan


class PodStack(WorkloadStack):
    """The role of the pods of one workload."""

    role: PodRole

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: EksDeploymentPlan, **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        assert plan.artifact_key is not None, "a container of a model has an artifact"
        self.role = PodRole(
            self,
            "PodRole",
            props=self.props(
                PodRoleProps,
                plan,
                cluster_name=plan.cluster.name,
                namespace=plan.cluster.namespace,
                service_account=plan.name,
                reads=((self.foundation.artifact_bucket_name, plan.artifact_key),),
            ),
        )

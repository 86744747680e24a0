"""The stack of a training in a cluster of Amazon EKS: what its pods may do in the account. All else are manifests."""

from typing import Any

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.clusters.pod_role import PodRole
from constructs_lib.jobs.run_access import RunAccess
from sizewell.stacks.pod_stack import add_pod_role
from sizewell.stacks.workload_stack import WorkloadStack
from sizewell.targets.eks.job.plan_model import EksJobPlan


class JobPodStack(WorkloadStack):
    """The role of the pods of one training."""

    role: PodRole

    def __init__(self, scope: Construct, construct_id: str, *, plan: EksJobPlan, **kwargs: Any) -> None:
        super().__init__(scope, construct_id, **kwargs)
        access = RunAccess(
            self.foundation,
            reads=plan.downloads.values(),
            output_key_prefix=plan.output_prefix,
            checkpoint_key_prefix=plan.checkpoint.prefix if plan.checkpoint else None,
            partition=Stack.of(self).partition,
        )
        self.role = add_pod_role(
            self, plan, statements=access.statements(), wildcards=tuple(access.wildcards())
        )

"""The stacks of what runs in a cluster of Amazon EKS: what its pods may do in the account, and their node group, if any.

All else are manifests.
"""

from collections.abc import Iterable
from typing import Any

from constructs import Construct

from constructs_lib.clusters.node_group import NodeGroup, NodeGroupProps
from constructs_lib.clusters.pod_role import PodRole, PodRoleProps
from constructs_lib.jobs.run_access import RunAccess
from sizewell.stacks.workload_stack import WorkloadStack
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.job.plan_model import EksJobPlan
from sizewell.targets.eks.pods_plan_model import EksPlan
from sizewell.targets.eks.runs_plan_model import EksRunsPlan
from sizewell.targets.eks.transform_job.plan_model import EksTransformJobPlan


class PodStack(WorkloadStack):
    """The role of the pods of a model, which read it, and their node group."""

    role: PodRole

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: EksDeploymentPlan, **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        add_node_group(self, plan)
        self.role = add_pod_role(self, plan, plan.artifact_key)


class JobPodStack(WorkloadStack):
    """The role of the pods of a training, which keep their checkpoints beside its output."""

    role: PodRole

    def __init__(self, scope: Construct, construct_id: str, *, plan: EksJobPlan, **kwargs: Any) -> None:
        super().__init__(scope, construct_id, **kwargs)
        add_node_group(self, plan)
        checkpoints = plan.checkpoint.prefix if plan.checkpoint else None
        given = _access_of_run(self, plan, reads=plan.downloads.values(), checkpoints=checkpoints)
        self.role = add_pod_role(self, plan, **given)


class TransformPodStack(WorkloadStack):
    """The role of the pods of a batch transform, which read the model as well."""

    role: PodRole

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: EksTransformJobPlan, **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        add_node_group(self, plan)
        given = _access_of_run(self, plan, reads=(plan.data.prefix,), checkpoints=None)
        self.role = add_pod_role(self, plan, plan.artifact_key, **given)


def _access_of_run(
    stack: WorkloadStack, plan: EksRunsPlan, *, reads: Iterable[str], checkpoints: str | None
) -> dict[str, Any]:
    access = RunAccess(
        stack.foundation,
        reads=reads,
        output_key_prefix=plan.output_prefix,
        checkpoint_key_prefix=checkpoints,
        partition=stack.partition,
    )
    return {"statements": access.statements(), "wildcards": tuple(access.wildcards())}


def add_node_group(stack: WorkloadStack, plan: EksPlan) -> None:
    """Add the nodes of a workload, where neither Karpenter nor EKS Auto Mode launches them."""
    if (group := plan.node_group) is None:
        return
    cluster, pool = plan.cluster, plan.node_pool
    assert cluster.release_version is not None, "a cluster with node groups has it"
    NodeGroup(
        stack,
        "NodeGroup",
        props=stack.props(
            NodeGroupProps,
            group,
            cluster_name=cluster.name,
            version=cluster.version,
            release_version=cluster.release_version,
            node_role=cluster.node_role,
            subnet_ids=cluster.subnet_ids,
            instance_types=pool.instance_types,
            volume_size_gib=pool.volume_size_gib,
            taint=pool.taint,
        ),
    )


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

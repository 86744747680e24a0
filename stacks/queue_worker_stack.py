"""The stack of a model whose pods work off a queue: the queue, and what its pods may do in the account."""

from typing import Any

from constructs import Construct

from constructs_lib.clusters.pod_role import PodRole
from sizewell.stacks.pod_stack import add_node_group, add_pod_role
from sizewell.stacks.queue_stack import QueueStack
from sizewell.targets.eks.queue_worker.plan_model import EksQueueWorkerPlan


class QueueWorkerStack(QueueStack):
    """Queue, role and alarms of one workload. All else are manifests."""

    role: PodRole

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: EksQueueWorkerPlan, **kwargs: Any
    ) -> None:
        first_look = f"the pods, and at the ScaledObject: kubectl -n {plan.cluster.namespace} describe scaledobject {plan.name}"
        super().__init__(scope, construct_id, plan=plan, first_look=first_look, **kwargs)
        add_node_group(self, plan)
        self.role = add_pod_role(
            self,
            plan,
            plan.artifact_key,
            statements=self.worker_statements(),
            wildcards=self.worker_wildcards(),
        )

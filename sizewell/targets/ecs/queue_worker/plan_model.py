"""The plan of a model whose tasks work off a queue, one on each instance."""

from sizewell.planning.scaling_policies import ScalingPolicyPlan
from sizewell.planning.workload_plan import PlanModelKind
from sizewell.targets.ecs.tasks_plan_model import EcsTasksPlan
from sizewell.targets.serving.plan_model import QueueWorkerPlan


class EcsQueueWorkerPlan(EcsTasksPlan, QueueWorkerPlan):
    """One model that answers later."""

    kind: str = "ecs-queue-worker"
    policies: tuple[ScalingPolicyPlan, ...]
    """By what tasks scale; none where their number is fixed."""


FACET = PlanModelKind(model=EcsQueueWorkerPlan)

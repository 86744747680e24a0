"""The plan of a model whose pods work off a queue, one on each node."""

from sizewell.planning.workload_plan import PlanModelKind
from sizewell.targets.eks.pods_plan_model import EksPodsPlan
from sizewell.targets.serving.plan_model import QueueWorkerPlan


class EksQueueWorkerPlan(EksPodsPlan, QueueWorkerPlan):
    """One model that answers later."""

    kind: str = "eks-queue-worker"


FACET = PlanModelKind(model=EksQueueWorkerPlan)

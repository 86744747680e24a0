"""The plan of a model that pods of a Deployment serve, one on each node."""

from sizewell.planning.workload_plan import PlanModelKind
from sizewell.targets.eks.pods_plan_model import EksPodsPlan


class EksDeploymentPlan(EksPodsPlan):
    """One model that pods serve to those who wait."""

    kind: str = "eks-deployment"


FACET = PlanModelKind(model=EksDeploymentPlan)

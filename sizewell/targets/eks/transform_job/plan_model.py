"""The plan of a batch transform in a cluster of Amazon EKS: each run is a Job, whose pods share the objects by their index."""

from sizewell.planning.workload_plan import PlanModelKind
from sizewell.targets.eks.pods_plan_model import EksModelPlan, PodPlan
from sizewell.targets.eks.runs_plan_model import EksRunsPlan
from sizewell.targets.transforming.plan_model import TransformedOnEc2Plan


class EksTransformJobPlan(EksRunsPlan, EksModelPlan, TransformedOnEc2Plan):
    """One batch transform in a cluster."""

    kind: str = "eks-transform-job"
    pod: PodPlan


FACET = PlanModelKind(model=EksTransformJobPlan)

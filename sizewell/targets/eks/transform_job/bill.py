"""What AWS bills for a batch transform in a cluster."""

from sizewell.planning.bill_plan import BillLine
from sizewell.planning.kind import BillKind
from sizewell.targets.eks.runs_bill import runs_line
from sizewell.targets.eks.transform_job.plan_model import EksTransformJobPlan


def _line(plan: EksTransformJobPlan, region: str) -> BillLine:
    return runs_line(plan, region, "transform", instances=plan.instance_count, spot=False)


FACET = BillKind(line=_line)

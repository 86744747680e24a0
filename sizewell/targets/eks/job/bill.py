"""What AWS bills for a training in a cluster."""

from sizewell.planning.bill_plan import BillLine
from sizewell.planning.kind import BillKind
from sizewell.targets.eks.job.plan_model import EksJobPlan
from sizewell.targets.eks.runs_bill import runs_line


def _line(plan: EksJobPlan, region: str) -> BillLine:
    return runs_line(plan, region, "training", instances=plan.instance_count, spot=plan.spot)


FACET = BillKind(line=_line)

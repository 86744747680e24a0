"""What AWS bills for a model that pods serve: nodes of its own, and what comes with them."""

from sizewell.planning.bill_items import bill_line
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.kind import BillKind
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.pods_bill import node_items
from sizewell.targets.serving.bill import BY_USE


def _line(plan: EksDeploymentPlan, region: str) -> BillLine:
    """Return a month of a workload at average load. The fee of the cluster itself is paid whatever runs there."""
    return bill_line(plan.name, list(node_items(plan, region)), BY_USE)


FACET = BillKind(line=_line)

"""What AWS bills for a model that pods serve: nodes of its own, and what comes with them."""

from sizewell.planning.bill_items import bill_line
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.kind import BillKind
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan, manager_of
from sizewell.targets.served_bill import BY_USE, instance_items


def _line(plan: EksDeploymentPlan, region: str) -> BillLine:
    """Return a month of a workload at average load. The fee of the cluster itself is paid whatever runs there."""
    items = instance_items(
        plan,
        region,
        manager=manager_of(plan.cluster.nodes),
        fee=("EKS", "Auto Mode fee"),
        volume_size_gib=plan.node_pool.volume_size_gib,
    )
    return bill_line(plan.name, list(items), BY_USE)


FACET = BillKind(line=_line)

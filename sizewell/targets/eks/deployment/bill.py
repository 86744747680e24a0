"""What AWS bills for a model that pods serve: nodes of its own, and what comes with them."""

from sizewell.facts.node_fees import fee_share
from sizewell.planning.bill_items import bill_line, priced_item
from sizewell.planning.bill_plan import BillItem, BillLine
from sizewell.planning.kind import BillKind
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan, manager_of

_EC2 = "EC2"
#: What depends on a use that nothing states: https://aws.amazon.com/ec2/pricing/on-demand/, "Data transfer".
_BY_USE = ("EC2 data transfer between zones",)


def _line(plan: EksDeploymentPlan, region: str) -> BillLine:
    """Return a month of a workload at average load. The fee of the cluster itself is paid whatever runs there."""
    chosen = plan.selection.chosen
    usd = chosen.cost.usd_per_month
    share = fee_share(manager_of(plan.cluster.nodes), plan.instance_type.partition(".")[0])
    nodes_usd = None if usd is None else usd / (1 + share)
    parts = {(_EC2, f"{plan.instance_type} instances"): nodes_usd}
    if share:
        parts["EKS", "Auto Mode fee"] = None if usd is None or nodes_usd is None else usd - nodes_usd
    items = [
        BillItem(service=service, name=name, usd_per_month=amount, basis=chosen.cost.basis, is_fixed=False)
        for (service, name), amount in parts.items()
    ]
    size_gib = chosen.estimate.instances_paid * plan.node_pool.volume_size_gib
    items.append(priced_item(region, _EC2, "volumes of nodes", "gp3_gb_month", size_gib))
    return bill_line(plan.name, items, _BY_USE)


FACET = BillKind(line=_line)

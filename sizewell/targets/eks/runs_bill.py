"""What AWS bills for runs in a cluster: the instances of each run, the fee of their manager, and their volumes."""

from collections.abc import Iterator
from typing import Any

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.facts.node_fees import fee_share
from sizewell.planning.bill_items import bill_line, priced_item
from sizewell.planning.bill_plan import BillItem, BillLine
from sizewell.targets.eks.pods_plan_model import manager_of
from sizewell.targets.serving.bill import BY_USE, EC2


def runs_line(plan: Any, region: str, noun: str, *, instances: int, spot: bool) -> BillLine:
    """Return a month of runs while they last; ``plan`` is an ``EksRunsPlan``, and ``noun`` says what runs.

    The fee of the cluster itself is paid whatever runs there.
    """
    return bill_line(plan.name, list(_items(plan, region, noun, instances, spot)), BY_USE)


def _items(plan: Any, region: str, noun: str, instances: int, spot: bool) -> Iterator[BillItem]:
    cost, estimate = plan.selection.chosen.cost, plan.selection.chosen.estimate
    hours = estimate.duration_hours * instances * (plan.runs_per_month or 1.0)
    share = fee_share(manager_of(plan.cluster.nodes), plan.instance_type.partition(".")[0])
    usd, fee_usd = cost.usd_per_month, None
    if usd is not None and cost.usd_per_hour is not None:
        fee_usd = hours * cost.usd_per_hour * share / (1 + share)  # whatever the discount of Spot
        usd -= fee_usd
    parts = {(EC2, f"{plan.instance_type} {noun}{' on Spot' if spot else ''}"): usd}
    if share:
        parts["EKS", "Auto Mode fee"] = fee_usd
    for (service, name), amount in parts.items():
        yield BillItem(service=service, name=name, usd_per_month=amount, basis=cost.basis, is_fixed=False)
    gb_months = plan.node_pool.volume_size_gib * hours / HOURS_PER_MONTH
    yield priced_item(region, EC2, f"{noun} volumes", "gp3_gb_month", gb_months)

"""What instances of EC2 cost that serve a model, whatever launches them."""

from collections.abc import Iterator

from sizewell.facts.node_fees import fee_share
from sizewell.planning.bill_items import priced_item
from sizewell.planning.bill_plan import BillItem
from sizewell.targets.serving.plan_model import ServedOnEc2Plan

EC2 = "EC2"
#: What depends on a use that nothing states: https://aws.amazon.com/ec2/pricing/on-demand/, "Data transfer".
BY_USE = ("EC2 data transfer between zones",)


def instance_items(
    plan: ServedOnEc2Plan, region: str, *, manager: str, fee: tuple[str, str], volume_size_gib: int
) -> Iterator[BillItem]:
    """Yield a month of the instances at average load, the ``fee`` (service and name) of their manager, and their volumes."""
    chosen = plan.selection.chosen
    usd, share = chosen.cost.usd_per_month, fee_share(manager, plan.instance_type.partition(".")[0])
    own_usd = None if usd is None else usd / (1 + share)
    parts = {(EC2, f"{plan.instance_type} instances"): own_usd}
    if share:
        parts[fee] = None if usd is None or own_usd is None else usd - own_usd
    for (service, name), amount in parts.items():
        yield BillItem(
            service=service, name=name, usd_per_month=amount, basis=chosen.cost.basis, is_fixed=False
        )
    size_gib = chosen.estimate.instances_paid * volume_size_gib
    yield priced_item(region, EC2, "volumes of nodes", "gp3_gb_month", size_gib)

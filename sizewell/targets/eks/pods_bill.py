"""What AWS bills for the nodes of a workload in a cluster."""

from collections.abc import Iterator

from sizewell.instance_selection.catalog import PriceBasis
from sizewell.planning.bill_plan import BillItem
from sizewell.targets.eks.pods_plan_model import EksPodsPlan, SpotPlan, manager_of
from sizewell.targets.serving.bill import instance_items


def node_items(plan: EksPodsPlan, region: str) -> Iterator[BillItem]:
    """Yield a month of the nodes at average load."""
    instances, *others = instance_items(
        plan,
        region,
        manager=manager_of(plan.cluster.nodes),
        fee=("EKS", "Auto Mode fee"),
        volume_size_gib=plan.node_pool.volume_size_gib,
    )
    yield from (instances,) if plan.on_spot is None else _by_capacity_type(instances, plan.on_spot)
    yield from others


def _by_capacity_type(instances: BillItem, spot: SpotPlan) -> Iterator[BillItem]:
    """Yield the instances that are on Spot, whose saving is history and no price, and those on demand."""
    usd = instances.usd_per_month
    on_spot = {
        "name": f"{instances.name} on Spot",
        "usd_per_month": usd and usd * spot.share * spot.paid_share,
    }
    if spot.savings_percent and usd is not None:
        on_spot["basis"] = PriceBasis.ESTIMATED
    yield instances.model_copy(update=on_spot)
    if spot.share < 1:
        yield instances.model_copy(update={"usd_per_month": usd and usd * (1 - spot.share)})

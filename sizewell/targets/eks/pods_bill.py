"""What AWS bills for the nodes of a workload in a cluster."""

from collections.abc import Iterator

from sizewell.planning.bill_plan import BillItem
from sizewell.targets.eks.pods_plan_model import EksPodsPlan, manager_of
from sizewell.targets.serving.bill import instance_items


def node_items(plan: EksPodsPlan, region: str) -> Iterator[BillItem]:
    """Yield a month of the nodes at average load."""
    yield from instance_items(
        plan,
        region,
        manager=manager_of(plan.cluster.nodes),
        fee=("EKS", "Auto Mode fee"),
        volume_size_gib=plan.node_pool.volume_size_gib,
    )

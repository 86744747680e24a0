"""What AWS bills for the instances of tasks."""

from collections.abc import Iterator

from sizewell.planning.bill_plan import BillItem
from sizewell.targets.ecs.instance_types import MANAGED_INSTANCES
from sizewell.targets.ecs.tasks_plan_model import EcsTasksPlan
from sizewell.targets.serving.bill import instance_items


def task_instance_items(plan: EcsTasksPlan, region: str) -> Iterator[BillItem]:
    """Yield a month of the instances at average load."""
    yield from instance_items(
        plan,
        region,
        manager=MANAGED_INSTANCES,
        fee=("ECS", "Managed Instances fee"),
        volume_size_gib=plan.task.volume_size_gib,
    )

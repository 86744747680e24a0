"""What AWS bills for a model that tasks serve: managed instances, their load balancer and its alarms."""

from sizewell.facts.alarms import METRICS_OF_ROLLBACK_ALARM
from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.facts.scaling import ALARMS_OF_TARGET_TRACKING
from sizewell.planning.bill_items import BY_USE_OF_LOG_GROUP, alarm_item, bill_line, priced_item
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.endpoint_bill import alarm_items
from sizewell.planning.kind import BillKind
from sizewell.targets.ecs.service.plan_model import EcsServicePlan
from sizewell.targets.ecs.tasks_bill import task_instance_items
from sizewell.targets.serving.bill import BY_USE

#: Of an alarm on a share of the requests.
_METRICS_OF_SHARE = 2


def _line(plan: EcsServicePlan, region: str) -> BillLine:
    """Return a month of a workload at average load."""
    metrics = [
        1,  # of healthy targets
        *(_METRICS_OF_SHARE for _ in plan.alarms),
        *(METRICS_OF_ROLLBACK_ALARM.get(name, 1) for name in plan.rollback_alarms),
    ]
    items = [
        *task_instance_items(plan, region),
        priced_item(region, "ELB", "load balancer", "application_hour", HOURS_PER_MONTH, is_fixed=True),
        *alarm_items(region, metrics, ()),
    ]
    if plan.scaling is not None:
        items.append(alarm_item(region, "alarm of target tracking", ALARMS_OF_TARGET_TRACKING))
    return bill_line(plan.name, items, (*BY_USE, *BY_USE_OF_LOG_GROUP, "ELB capacity units"))


FACET = BillKind(line=_line)

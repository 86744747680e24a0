"""What AWS bills for a batch transform."""

from sizewell.kinds.batch_transform.plan_model import BatchTransformPlan
from sizewell.planning.bill_items import bill_line, instance_item
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.job_bill import machine_alarm_item, paid_by_use_of_machine
from sizewell.planning.kind import BillKind


def transform_line(transform: BatchTransformPlan, region: str) -> BillLine:
    """Return a month of a batch transform: its runs, and the alarms of its machine."""
    chosen = transform.selection.chosen
    items = [instance_item(f"{chosen.instance_type} transform", chosen.cost)]
    return bill_line(
        transform.name, [*items, machine_alarm_item(transform, region)], paid_by_use_of_machine(transform)
    )


FACET = BillKind(line=transform_line)

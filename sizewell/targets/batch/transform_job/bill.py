"""What AWS bills for a batch transform that AWS Batch runs: instances of EC2, their volumes, and the alarms of its machine."""

from sizewell.planning.bill_items import bill_line, instance_item, priced_item
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.job_bill import machine_alarm_item, paid_by_use_of_machine, volume_gb_months
from sizewell.planning.kind import BillKind
from sizewell.targets.batch.transform_job.plan_model import BatchTransformJobPlan
from sizewell.targets.serving.bill import EC2


def _line(plan: BatchTransformJobPlan, region: str) -> BillLine:
    items = [
        instance_item(f"{plan.instance_type} transform", plan.selection.chosen.cost, EC2),
        priced_item(region, EC2, "transform volumes", "gp3_gb_month", volume_gb_months(plan)),
        machine_alarm_item(plan, region),
    ]
    return bill_line(plan.name, items, paid_by_use_of_machine(plan))


FACET = BillKind(line=_line)

"""What AWS bills for a processing job."""

from sizewell.kinds.processing_job.plan_model import ProcessingJobPlan
from sizewell.planning.bill_items import SAGEMAKER, bill_line, instance_item, priced_item
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.job_bill import machine_alarm_item, paid_by_use_of_machine, volume_gb_months
from sizewell.planning.kind import BillKind


def processing_line(job: ProcessingJobPlan, region: str) -> BillLine:
    """Return a month of a processing job: its runs, their volumes, and the alarms of its machine."""
    chosen = job.selection.chosen
    items = [
        instance_item(f"{chosen.instance_type} processing", chosen.cost),
        priced_item(
            region, SAGEMAKER, "processing volumes", "processing_volume_gb_month", volume_gb_months(job)
        ),
    ]
    return bill_line(job.name, [*items, machine_alarm_item(job, region)], paid_by_use_of_machine(job))


FACET = BillKind(line=processing_line)

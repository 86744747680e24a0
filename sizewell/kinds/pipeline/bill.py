"""What AWS bills for a pipeline."""

from sizewell.kinds.pipeline.plan_model import PipelinePlan
from sizewell.planning.bill_items import bill_line
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.job_bill import machine_alarm_item, paid_by_use_of_machine
from sizewell.planning.kind import BillKind


def pipeline_line(pipeline: PipelinePlan, region: str) -> BillLine:
    """Return a month of a pipeline: the alarms of its machine. Its runs are counted where they are paid, by its jobs."""
    return bill_line(pipeline.name, [machine_alarm_item(pipeline, region)], paid_by_use_of_machine(pipeline))


FACET = BillKind(line=pipeline_line)

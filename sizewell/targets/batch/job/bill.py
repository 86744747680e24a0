"""What AWS bills for a training that AWS Batch runs: instances of EC2, their volumes, and the alarms of its state machine."""

from sizewell.planning.bill_plan import BillLine
from sizewell.planning.job_bill import training_line
from sizewell.planning.kind import BillKind
from sizewell.targets.batch.job.plan_model import BatchJobPlan
from sizewell.targets.serving.bill import EC2


def _line(job: BatchJobPlan, region: str) -> BillLine:
    return training_line(job, region, service=EC2, volume_price="gp3_gb_month")


FACET = BillKind(line=_line)

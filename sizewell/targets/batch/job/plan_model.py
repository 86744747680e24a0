"""The plan of a training that AWS Batch runs."""

from sizewell.planning.workload_plan import PlanModelKind
from sizewell.targets.batch.jobs_plan_model import BatchJobsPlan
from sizewell.targets.training.plan_model import TrainedOnEc2Plan


class BatchJobPlan(BatchJobsPlan, TrainedOnEc2Plan):
    """One training that AWS Batch runs."""

    kind: str = "batch-job"
    report_success: bool
    """Whether the alarm topic hears of runs that succeeded, too."""


FACET = PlanModelKind(model=BatchJobPlan)

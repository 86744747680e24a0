"""The plan of a batch transform that AWS Batch runs: the jobs of an array share the objects by their index."""

from sizewell.planning.workload_plan import PlanModelKind
from sizewell.targets.batch.jobs_plan_model import BatchJobsPlan
from sizewell.targets.transforming.plan_model import TransformedOnEc2Plan

#: The program of the contract that runs in the container.
PROGRAM = "transform_with_model"


class BatchTransformJobPlan(BatchJobsPlan, TransformedOnEc2Plan):
    """One batch transform that AWS Batch runs."""

    kind: str = "batch-transform-job"


FACET = PlanModelKind(model=BatchTransformJobPlan)

"""The plan of a training in a cluster of Amazon EKS: each run is a Job of one pod, made of a CronJob, or a JobSet of several."""

from sizewell.planning.workload_plan import PlanModelKind
from sizewell.targets.eks.runs_plan_model import EksRunsPlan
from sizewell.targets.training.plan_model import TrainedOnEc2Plan


class EksJobPlan(EksRunsPlan, TrainedOnEc2Plan):
    """One training in a cluster."""

    kind: str = "eks-job"

    @property
    def in_job_sets(self) -> bool:
        """Whether a run has several hosts."""
        return self.instance_count > 1


FACET = PlanModelKind(model=EksJobPlan)

"""What all plans of runs in a cluster of Amazon EKS have in common."""

from sizewell.targets.eks.pods_plan_model import EksPlan
from sizewell.targets.plan_model import RunOnEc2Plan


class EksRunsPlan(EksPlan, RunOnEc2Plan):
    """What runs in pods, and ends."""

    @property
    def in_job_sets(self) -> bool:
        """Whether each run is a JobSet that people create, in place of a Job that is made of a CronJob."""
        return False

"""What all plans of runs in a cluster of Amazon EKS have in common."""

from sizewell.planning.workload_plan import SchedulePlan
from sizewell.targets.eks.pods_plan_model import EksPlan


class EksRunsPlan(EksPlan):
    """What runs and ends."""

    deadline_s: int
    """From the start of a run to its end, waiting for capacity included."""
    schedule: SchedulePlan | None
    """None where people start the runs."""
    runs_per_month: float | None
    """None where the configuration does not say how often it runs; the bill then counts one."""

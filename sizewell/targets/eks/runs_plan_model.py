"""What all plans of runs in a cluster of Amazon EKS have in common."""

from sizewell.targets.eks.pods_plan_model import EksPlan
from sizewell.targets.plan_model import RunOnEc2Plan


class EksRunsPlan(EksPlan, RunOnEc2Plan):
    """What runs in pods, and ends."""

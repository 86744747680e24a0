"""What becomes of keys, buckets, logs and queues when their stack is deleted."""

from aws_cdk import RemovalPolicy

from sizewell.planning.foundation_plan_model import FoundationPlan


def removal_policy(plan: FoundationPlan) -> RemovalPolicy:
    """Return the policy of the environment.

    What is kept is kept from its first successful deployment on: a resource with a fixed name that outlived a failed
    first deployment would block every further one.
    """
    return RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if plan.retain_state else RemovalPolicy.DESTROY

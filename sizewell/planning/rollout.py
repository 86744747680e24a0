"""How a new fleet of several instances takes over: a canary where a second fleet is at hand, batches where instances are scarce.

SageMaker developer guide, "Use deployment guardrails": https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails.html
"""

from sizewell.instance_selection.catalog import InstanceType
from sizewell.planning.plan import RolloutPlan

#: A fleet of this size or less is exchanged in halves, a larger one in quarters.
MAX_FLEET_IN_HALVES = 4
HALF_PERCENT, QUARTER_PERCENT, CANARY_PERCENT = 50, 25, 10
#: Twice the five minutes in which the alarms on errors look.
WAIT_INTERVAL_S = 600
#: SageMaker's own limits (API reference: RollingUpdatePolicy, MaximumExecutionTimeoutInSeconds).
MAX_EXECUTION_TIMEOUT_BOUNDS_S = (600, 28_800)
#: "Exclusions" of the guardrails: such an endpoint is updated all at once.
_WITHOUT_GUARDRAILS = "inf1"


def plan_rollout(
    instance_type: InstanceType, instance_count: int, startup_timeout_s: int
) -> RolloutPlan | None:
    """Return how a fleet is exchanged; None where SageMaker offers nothing but all at once.

    Accelerators are short, and their quotas are counted in instances: they are exchanged in batches. Other fleets are made
    twice, and a canary tells first. A canary of few instances is half of them, the most that SageMaker takes.
    """
    if instance_type.family == _WITHOUT_GUARDRAILS:
        return None
    few = instance_count <= MAX_FLEET_IN_HALVES
    rolling = bool(instance_type.accelerator_count)
    share = HALF_PERCENT if few else QUARTER_PERCENT if rolling else CANARY_PERCENT
    batches = -(-100 // share) if rolling else 2
    low, high = MAX_EXECUTION_TIMEOUT_BOUNDS_S
    return RolloutPlan(
        strategy="rolling" if rolling else "canary",
        first_share_percent=share,
        wait_interval_s=WAIT_INTERVAL_S,
        # The way back takes as long as the way there.
        max_execution_timeout_s=max(low, min(high, 2 * batches * (startup_timeout_s + WAIT_INTERVAL_S))),
    )

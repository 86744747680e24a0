"""The planned scaling of provisioned concurrency, for what has it."""

from constructs_lib.scaling.concurrency_scaling import (
    ConcurrencyAction,
    ConcurrencyScalingProps,
    ConcurrencyTarget,
)
from sizewell.planning.on_demand_plan_model import ConcurrencyScalingPlan
from sizewell.stacks.workload_stack import props_of


def concurrency_scaling(target: ConcurrencyTarget, plan: ConcurrencyScalingPlan) -> ConcurrencyScalingProps:
    """Return the props of a plan."""
    return props_of(
        ConcurrencyScalingProps,
        plan,
        target=target,
        scheduled_actions=[props_of(ConcurrencyAction, action) for action in plan.scheduled_actions],
    )

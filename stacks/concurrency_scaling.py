"""The planned scaling of provisioned concurrency, for what has it."""

from constructs_lib.scaling.concurrency_scaling import (
    ConcurrencyAction,
    ConcurrencyScalingProps,
    ConcurrencyTarget,
)
from sizewell.planning.on_demand_plan_model import ConcurrencyScalingPlan


def concurrency_scaling(target: ConcurrencyTarget, plan: ConcurrencyScalingPlan) -> ConcurrencyScalingProps:
    """Return the props of a plan."""
    return ConcurrencyScalingProps(
        target=target,
        **plan.model_dump(exclude={"scheduled_actions"}),
        scheduled_actions=[
            ConcurrencyAction(**action.model_dump(exclude={"hours_per_week"}))
            for action in plan.scheduled_actions
        ],
    )

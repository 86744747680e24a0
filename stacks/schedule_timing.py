"""When a workflow starts by itself, as the constructs are told it."""

from constructs_lib.training_schedule_expression import TrainingScheduleTiming
from sizewell.planning.workload_plan import SchedulePlan


def schedule_timing(plan: SchedulePlan | None) -> TrainingScheduleTiming | None:
    """Return when it starts; None where only people start it."""
    if plan is None:
        return None
    return TrainingScheduleTiming(
        expression=plan.expression, time_zone=plan.time_zone, is_enabled=plan.enabled
    )

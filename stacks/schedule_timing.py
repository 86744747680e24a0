"""When a workflow starts by itself, and by which events, as the constructs are told it."""

from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from constructs_lib.workflows.workflow_events import StartEvents
from sizewell.planning.workload_plan import SchedulePlan, StartsOnPlan


def schedule_timing(plan: SchedulePlan | None) -> TrainingScheduleTiming | None:
    """Return when it starts; None where only people start it."""
    if plan is None:
        return None
    return TrainingScheduleTiming(
        expression=plan.expression, time_zone=plan.time_zone, is_enabled=plan.enabled
    )


def start_events(plan: StartsOnPlan | None) -> StartEvents | None:
    """Return the events that start it; None where none does."""
    return None if plan is None else StartEvents(object_key=plan.object_key, alarm_name=plan.alarm_name)

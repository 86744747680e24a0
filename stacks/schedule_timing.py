"""When a workflow starts by itself, and by which events, as the constructs are told it."""

from typing import Any

from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from constructs_lib.workflows.workflow_events import StartEvents
from sizewell.planning.workload_plan import SchedulePlan, StateMachinePlan


def schedule_timing(plan: SchedulePlan | None) -> TrainingScheduleTiming | None:
    """Return when it starts; None where only people start it."""
    if plan is None:
        return None
    return TrainingScheduleTiming(
        expression=plan.expression, time_zone=plan.time_zone, is_enabled=plan.enabled
    )


def start_props(plan: StateMachinePlan) -> dict[str, Any]:
    """Return what starts the workflow of a workload beside people: a schedule, and events."""
    events = plan.starts_on
    return {
        "schedule": schedule_timing(plan.schedule),
        "events": StartEvents(object_key=events.object_key, alarm_name=events.alarm_name) if events else None,
    }

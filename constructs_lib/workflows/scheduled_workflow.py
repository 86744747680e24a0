"""What every workflow has beside its state machine: when it starts by itself, and who hears how it ends."""

from aws_cdk import RemovalPolicy
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from constructs_lib.workflows.workflow_alarms import WorkflowAlarms, WorkflowAlarmsProps
from constructs_lib.workflows.workflow_events import StartEvents, WorkflowEvents, WorkflowEventsProps
from constructs_lib.workflows.workflow_schedule import WorkflowSchedule, WorkflowScheduleProps


def schedule_and_watch(
    scope: Construct,
    *,
    noun: str,
    workload_name: str,
    state_machine_arn: str,
    timing: TrainingScheduleTiming | None,
    removal_policy: RemovalPolicy,
    foundation: FoundationReferences,
    events: StartEvents | None = None,
) -> None:
    """Add the schedule, where there is a ``timing``, the rules of ``events``, and what the machine itself cannot tell people.

    ``noun`` says what the workflow does, such as training.
    """
    queues: dict[str, str] = {}
    if timing is not None:
        schedule = WorkflowSchedule(
            scope,
            "Schedule",
            props=WorkflowScheduleProps(
                noun=noun,
                timing=timing,
                state_machine_arn=state_machine_arn,
                removal_policy=removal_policy,
                foundation=foundation,
            ),
        )
        queues["ScheduledStartFailed"] = schedule.dead_letter_queue_name
    if events is not None:
        rules = WorkflowEvents(
            scope,
            "Events",
            props=WorkflowEventsProps(
                noun=noun,
                workload_name=workload_name,
                starts_on=events,
                state_machine_arn=state_machine_arn,
                removal_policy=removal_policy,
                foundation=foundation,
            ),
        )
        queues["StartByEventFailed"] = rules.dead_letter_queue_name
    WorkflowAlarms(
        scope,
        "Alarms",
        props=WorkflowAlarmsProps(
            noun=noun,
            workload_name=workload_name,
            state_machine_arn=state_machine_arn,
            alarm_topic_arn=foundation.alarm_topic_arn,
            dead_letter_queue_names=queues,
        ),
    )

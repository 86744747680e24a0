"""What every workflow has beside its state machine: when it starts by itself, and who hears how it ends."""

from typing import Protocol

from aws_cdk import RemovalPolicy
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from constructs_lib.workflows.workflow_alarms import WorkflowAlarms, WorkflowAlarmsProps
from constructs_lib.workflows.workflow_events import StartEvents, WorkflowEvents, WorkflowEventsProps
from constructs_lib.workflows.workflow_schedule import WorkflowSchedule, WorkflowScheduleProps


class StartedProps(Protocol):
    """What the properties of every workflow have."""

    @property
    def workload_name(self) -> str:
        """What people call it."""

    @property
    def schedule(self) -> TrainingScheduleTiming | None:
        """When it starts by itself; None is never."""

    @property
    def events(self) -> StartEvents | None:
        """What else starts it."""

    @property
    def removal_policy(self) -> RemovalPolicy:
        """Of starts that failed."""

    @property
    def foundation(self) -> FoundationReferences:
        """The shared resources."""


def schedule_and_watch(scope: Construct, noun: str, state_machine_arn: str, props: StartedProps) -> None:
    """Add the schedule, the rules of events, and what the machine itself cannot tell people.

    ``noun`` says what the workflow does, such as training.
    """
    queues: dict[str, str] = {}
    if props.schedule is not None:
        schedule = WorkflowSchedule(
            scope,
            "Schedule",
            props=WorkflowScheduleProps(
                noun=noun,
                timing=props.schedule,
                state_machine_arn=state_machine_arn,
                removal_policy=props.removal_policy,
                foundation=props.foundation,
            ),
        )
        queues["ScheduledStartFailed"] = schedule.dead_letter_queue_name
    if props.events is not None:
        rules = WorkflowEvents(
            scope,
            "Events",
            props=WorkflowEventsProps(
                noun=noun,
                workload_name=props.workload_name,
                starts_on=props.events,
                state_machine_arn=state_machine_arn,
                removal_policy=props.removal_policy,
                foundation=props.foundation,
            ),
        )
        queues["StartByEventFailed"] = rules.dead_letter_queue_name
    WorkflowAlarms(
        scope,
        "Alarms",
        props=WorkflowAlarmsProps(
            noun=noun,
            workload_name=props.workload_name,
            state_machine_arn=state_machine_arn,
            alarm_topic_arn=props.foundation.alarm_topic_arn,
            dead_letter_queue_names=queues,
        ),
    )

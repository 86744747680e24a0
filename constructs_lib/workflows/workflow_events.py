"""EventBridge rules that start a workflow: when an object has arrived, or when an alarm goes off."""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_events as events
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.notifications.dead_letters import dead_letter_queue, sent_by_rules
from constructs_lib.policies.statements import service_role
from constructs_lib.workflows.starting import start_statements
from constructs_lib.workflows.workflow_schedule import MAXIMUM_EVENT_AGE_S, MAXIMUM_RETRY_ATTEMPTS


@dataclass(frozen=True, kw_only=True)
class StartEvents:
    """``object_key`` is that of one object of the artifact bucket, which sends its events to EventBridge; ``alarm_name`` of an
    alarm of the account and region. Each event starts an execution of its own.
    """

    object_key: str | None = None
    alarm_name: str | None = None


@dataclass(frozen=True, kw_only=True)
class WorkflowEventsProps:
    """Which events start which state machine; ``noun`` says what it does, such as training.

    ``removal_policy`` says what becomes of the queue of failed starts when the stack goes.
    """

    noun: str
    workload_name: str
    starts_on: StartEvents
    state_machine_arn: str
    removal_policy: RemovalPolicy
    foundation: FoundationReferences


class WorkflowEvents(Construct):
    """A rule for each event; ``dead_letter_queue_name`` is for the alarm on starts that failed."""

    def __init__(self, scope: Construct, construct_id: str, *, props: WorkflowEventsProps) -> None:
        super().__init__(scope, construct_id)
        self._props = props
        foundation, starts_on = props.foundation, props.starts_on
        self._queue = dead_letter_queue(
            self,
            foundation.operations_key_arn,
            props.removal_policy,
            (sent_by_rules(Stack.of(self).account),),
        )
        self._role = service_role(
            self,
            "Role",
            "events.amazonaws.com",
            start_statements(props.state_machine_arn, foundation.data_key_arn),
        )
        self.dead_letter_queue_name = self._queue.attr_queue_name
        if starts_on.object_key is not None:
            # https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
            self._rule(
                "ObjectArrived",
                "an object has arrived",
                "aws.s3",
                "Object Created",
                {
                    "bucket": {"name": [foundation.artifact_bucket_name]},
                    "object": {"key": [starts_on.object_key]},
                },
            )
        if starts_on.alarm_name is not None:
            # https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-and-eventbridge.html
            self._rule(
                "AlarmWentOff",
                "an alarm goes off",
                "aws.cloudwatch",
                "CloudWatch Alarm State Change",
                {"alarmName": [starts_on.alarm_name], "state": {"value": ["ALARM"]}},
            )

    def _rule(
        self, construct_id: str, when: str, source: str, detail_type: str, detail: Mapping[str, object]
    ) -> None:
        props = self._props
        events.CfnRule(
            self,
            construct_id,
            description=f"Starts {props.noun} workflow {props.workload_name} when {when}",
            event_pattern={"source": [source], "detail-type": [detail_type], "detail": dict(detail)},
            targets=[
                events.CfnRule.TargetProperty(
                    id="Workflow",
                    arn=props.state_machine_arn,
                    role_arn=self._role.attr_arn,
                    input="{}",
                    dead_letter_config=events.CfnRule.DeadLetterConfigProperty(arn=self._queue.attr_arn),
                    retry_policy=events.CfnRule.RetryPolicyProperty(
                        maximum_retry_attempts=MAXIMUM_RETRY_ATTEMPTS,
                        maximum_event_age_in_seconds=MAXIMUM_EVENT_AGE_S,
                    ),
                )
            ],
        )

"""An EventBridge Scheduler schedule that starts a workflow, with a queue for the starts that failed."""

from dataclasses import dataclass

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.notifications.dead_letters import dead_letter_queue
from constructs_lib.policies.statements import allow, policy_document, service_trust
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from constructs_lib.workflows.starting import start_statements

# A start is tried for an hour: a run that begins later than that is better looked at by a person.
MAXIMUM_RETRY_ATTEMPTS = 5
MAXIMUM_EVENT_AGE_S = 3600


@dataclass(frozen=True, kw_only=True)
class WorkflowScheduleProps:
    """When to start which state machine; ``noun`` says what it does, such as training.

    ``removal_policy`` says what becomes of the queue when the stack goes.
    """

    noun: str
    timing: TrainingScheduleTiming
    state_machine_arn: str
    removal_policy: RemovalPolicy
    foundation: FoundationReferences


class WorkflowSchedule(Construct):
    """A schedule; ``dead_letter_queue_name`` is for the alarm on starts that failed."""

    def __init__(self, scope: Construct, construct_id: str, *, props: WorkflowScheduleProps) -> None:
        super().__init__(scope, construct_id)
        stack = Stack.of(self)
        queue = dead_letter_queue(self, props.foundation.operations_key_arn, props.removal_policy)
        queue_arn = queue.attr_arn
        policy = iam.CfnManagedPolicy(
            self,
            "Policy",
            description=f"Scheduled start of one {props.noun} workflow",
            policy_document=policy_document(
                [
                    *start_statements(props.state_machine_arn, props.foundation.data_key_arn),
                    allow(("sqs:SendMessage",), queue_arn),
                    allow(("kms:Decrypt", "kms:GenerateDataKey"), props.foundation.operations_key_arn),
                ]
            ),
        )
        role = iam.CfnRole(
            self,
            "Role",
            # A schedule assumes its role in the name of its group, here the default one:
            # https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
            assume_role_policy_document=service_trust(
                "scheduler.amazonaws.com",
                {
                    "StringEquals": {
                        "aws:SourceAccount": stack.account,
                        "aws:SourceArn": (
                            f"arn:{stack.partition}:scheduler:{stack.region}:{stack.account}"
                            ":schedule-group/default"
                        ),
                    }
                },
            ),
            managed_policy_arns=[policy.ref],
        )
        timing = props.timing
        scheduler.CfnSchedule(
            self,
            "Schedule",
            schedule_expression=timing.expression,
            schedule_expression_timezone=timing.time_zone,
            state="ENABLED" if timing.is_enabled else "DISABLED",
            flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
            target=scheduler.CfnSchedule.TargetProperty(
                arn=props.state_machine_arn,
                role_arn=role.attr_arn,
                input="{}",
                dead_letter_config=scheduler.CfnSchedule.DeadLetterConfigProperty(arn=queue_arn),
                retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                    maximum_retry_attempts=MAXIMUM_RETRY_ATTEMPTS,
                    maximum_event_age_in_seconds=MAXIMUM_EVENT_AGE_S,
                ),
            ),
        )
        self.dead_letter_queue_name = queue.attr_queue_name

"""Tells people how a workflow ended from outside its states, once, and of starts that never happened."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from constructs import Construct

from constructs_lib.workflow_messages import STEP_NAME_PREFIX

PERIOD_S = 300
#: The time limit of the machine, and a stop by hand. The machine tells of every other end:
#: https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
ENDS_FROM_OUTSIDE = ("TIMED_OUT", "ABORTED")


@dataclass(frozen=True, kw_only=True)
class WorkflowAlarmsProps:
    """``noun`` says what the workflow does, such as training.

    ``dead_letter_queue_names`` are the queues of starts that failed, by the names of their alarms.
    """

    noun: str
    workload_name: str
    state_machine_arn: str
    alarm_topic_arn: str
    dead_letter_queue_names: Mapping[str, str] = field(default_factory=dict)


class WorkflowAlarms(Construct):
    """One message for each execution that is ended from outside; an alarm while starts by themselves are lost."""

    def __init__(self, scope: Construct, construct_id: str, *, props: WorkflowAlarmsProps) -> None:
        super().__init__(scope, construct_id)
        self._tell_of_ends_from_outside(props)
        for alarm, queue_name in props.dead_letter_queue_names.items():
            self._lost_starts(alarm, props, queue_name)

    def _tell_of_ends_from_outside(self, props: WorkflowAlarmsProps) -> None:
        paths = {name: f"$.detail.{name}" for name in ("executionArn", "status")}
        values = ", ".join(f'"{name}": <{name}>' for name in paths)
        events.CfnRule(
            self,
            "EndsFromOutside",
            description=f"Tells that an execution of {props.noun} workflow {props.workload_name} was stopped, or took too long",
            event_pattern={
                "source": ["aws.states"],
                "detail-type": ["Step Functions Execution Status Change"],
                "detail": {
                    "stateMachineArn": [props.state_machine_arn],
                    "status": list(ENDS_FROM_OUTSIDE),
                    # Of a step, its pipeline tells.
                    "name": [{"anything-but": {"prefix": STEP_NAME_PREFIX}}],
                },
            },
            targets=[
                events.CfnRule.TargetProperty(
                    id="AlarmTopic",
                    arn=props.alarm_topic_arn,
                    input_transformer=events.CfnRule.InputTransformerProperty(
                        input_paths_map=paths,
                        # Values without quotes: EventBridge writes them as JSON.
                        input_template=f'{{"{props.noun}": "{props.workload_name}", {values}}}',
                    ),
                )
            ],
        )

    def _lost_starts(self, construct_id: str, props: WorkflowAlarmsProps, queue_name: str) -> None:
        cloudwatch.CfnAlarm(
            self,
            construct_id,
            alarm_description=f"A start of {props.noun} workflow {props.workload_name} did not succeed",
            namespace="AWS/SQS",
            metric_name="ApproximateNumberOfMessagesVisible",
            dimensions=[cloudwatch.CfnAlarm.DimensionProperty(name="QueueName", value=queue_name)],
            statistic="Maximum",
            period=PERIOD_S,
            evaluation_periods=1,
            threshold=1,
            comparison_operator="GreaterThanOrEqualToThreshold",
            treat_missing_data="notBreaching",
            alarm_actions=[props.alarm_topic_arn],
        )

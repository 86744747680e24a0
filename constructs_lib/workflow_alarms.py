"""Tells people how a workflow ended, once, and of starts that never happened."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from constructs import Construct

PERIOD_S = 300
#: Every end but success: https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
BAD_ENDS = ("FAILED", "TIMED_OUT", "ABORTED")


@dataclass(frozen=True, kw_only=True)
class WorkflowAlarmsProps:
    """``noun`` says what the workflow does, such as training.

    ``dead_letter_queue_names`` are the queues of starts that failed, by the names of their alarms. ``report_success`` tells of
    executions that succeeded, too, with their output.
    """

    noun: str
    workload_name: str
    state_machine_arn: str
    alarm_topic_arn: str
    dead_letter_queue_names: Mapping[str, str] = field(default_factory=dict)
    report_success: bool = False


class WorkflowAlarms(Construct):
    """One message for each execution that ends badly, with its cause, or well, with its output; an alarm while scheduled starts
    are lost."""

    def __init__(self, scope: Construct, construct_id: str, *, props: WorkflowAlarmsProps) -> None:
        super().__init__(scope, construct_id)
        self._tell("BadEnds", props, BAD_ENDS, ("error", "cause"), "did not succeed, and why")
        if props.report_success:
            self._tell("Successes", props, ("SUCCEEDED",), ("output",), "succeeded, and what it came to")
        for alarm, queue_name in props.dead_letter_queue_names.items():
            self._lost_starts(alarm, props, queue_name)

    def _tell(
        self,
        rule: str,
        props: WorkflowAlarmsProps,
        ends: tuple[str, ...],
        details: tuple[str, ...],
        what: str,
    ) -> None:
        paths = {name: f"$.detail.{name}" for name in ("executionArn", "status", *details)}
        values = ", ".join(f'"{name}": <{name}>' for name in paths)
        events.CfnRule(
            self,
            rule,
            description=f"Tells that an execution of {props.noun} workflow {props.workload_name} {what}",
            event_pattern={
                "source": ["aws.states"],
                "detail-type": ["Step Functions Execution Status Change"],
                "detail": {"stateMachineArn": [props.state_machine_arn], "status": list(ends)},
            },
            targets=[
                events.CfnRule.TargetProperty(
                    id="AlarmTopic",
                    arn=props.alarm_topic_arn,
                    input_transformer=events.CfnRule.InputTransformerProperty(
                        input_paths_map=paths,
                        # Values without quotes: EventBridge writes them as JSON, and a cause is full of quotes.
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

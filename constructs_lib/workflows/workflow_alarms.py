"""Tells people what the states of a workflow cannot: bad ends, by a rule and by alarms, and starts that never happened."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_events as events
from constructs import Construct

from constructs_lib.workflows.workflow_messages import STEP_NAME_PREFIX
from sizewell.facts.state_machines import FAILURE_METRICS

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
    """One message for each execution that is ended from outside; alarms on bad ends, and while starts by themselves are lost.

    The alarms on bad ends hear what no state can tell: ``Catch`` of ``States.ALL`` catches neither ``States.Runtime`` nor
    ``States.DataLimitExceeded`` (https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html), and a
    message may be refused. What the machine or the rule has told they tell again: Step Functions gives events and metrics to
    EventBridge and CloudWatch at best effort, so neither is enough alone
    (https://docs.aws.amazon.com/eventbridge/latest/ref/events-ref-states.html, and procedure-cw-metrics.html of its own guide).
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: WorkflowAlarmsProps) -> None:
        super().__init__(scope, construct_id)
        self._alarm_topic_arn = props.alarm_topic_arn
        self._tell_of_ends_from_outside(props)
        for metric, end in FAILURE_METRICS.items():
            self._alarm(
                metric,
                f"An execution of {props.noun} workflow {props.workload_name} {end}",
                ("AWS/States", metric, "Sum"),
                ("StateMachineArn", props.state_machine_arn),
            )
        for alarm, queue_name in props.dead_letter_queue_names.items():
            self._alarm(
                alarm,
                f"A start of {props.noun} workflow {props.workload_name} did not succeed",
                ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "Maximum"),
                ("QueueName", queue_name),
            )

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

    def _alarm(
        self, construct_id: str, description: str, metric: tuple[str, str, str], dimension: tuple[str, str]
    ) -> None:
        """Add an alarm at one: ``metric`` is a namespace, a name and a statistic, ``dimension`` a name and a value."""
        namespace, metric_name, statistic = metric
        name, value = dimension
        cloudwatch.CfnAlarm(
            self,
            construct_id,
            alarm_description=description,
            namespace=namespace,
            metric_name=metric_name,
            dimensions=[cloudwatch.CfnAlarm.DimensionProperty(name=name, value=value)],
            statistic=statistic,
            period=PERIOD_S,
            evaluation_periods=1,
            threshold=1,
            comparison_operator="GreaterThanOrEqualToThreshold",
            treat_missing_data="notBreaching",
            alarm_actions=[self._alarm_topic_arn],
        )

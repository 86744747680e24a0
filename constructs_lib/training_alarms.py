"""Alarms of a training workflow: executions that did not succeed, and scheduled starts that never happened."""

from dataclasses import dataclass

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

PERIOD_S = 300

# Construct id, metric of AWS/States, what a person reads; the dimension is the ARN of the machine:
# https://docs.aws.amazon.com/step-functions/latest/dg/procedure-cw-metrics.html
EXECUTION_ALARMS = (
    ("ExecutionsFailed", "ExecutionsFailed", "failed"),
    ("ExecutionsTimedOut", "ExecutionsTimedOut", "ran out of time"),
    ("ExecutionsAborted", "ExecutionsAborted", "was aborted"),
)


@dataclass(frozen=True, kw_only=True)
class TrainingAlarmsProps:
    """``dead_letter_queue_name`` None means that nothing is scheduled, so there is no queue to watch."""

    workload_name: str
    state_machine_arn: str
    alarm_topic_arn: str
    dead_letter_queue_name: str | None = None


class TrainingAlarms(Construct):
    """One alarm for each way in which training can fail; missing data are not an alarm."""

    def __init__(self, scope: Construct, construct_id: str, *, props: TrainingAlarmsProps) -> None:
        super().__init__(scope, construct_id)
        for alarm_id, metric_name, what_happened in EXECUTION_ALARMS:
            self._alarm(
                alarm_id,
                props,
                description=f"An execution of training workflow {props.workload_name} {what_happened}",
                namespace="AWS/States",
                metric_name=metric_name,
                dimension=("StateMachineArn", props.state_machine_arn),
                statistic="Sum",
            )
        if props.dead_letter_queue_name is not None:
            self._alarm(
                "ScheduledStartFailed",
                props,
                description=f"A scheduled start of training workflow {props.workload_name} did not succeed",
                namespace="AWS/SQS",
                metric_name="ApproximateNumberOfMessagesVisible",
                dimension=("QueueName", props.dead_letter_queue_name),
                statistic="Maximum",
            )

    def _alarm(
        self,
        alarm_id: str,
        props: TrainingAlarmsProps,
        *,
        description: str,
        namespace: str,
        metric_name: str,
        dimension: tuple[str, str],
        statistic: str,
    ) -> None:
        name, value = dimension
        cloudwatch.CfnAlarm(
            self,
            alarm_id,
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
            alarm_actions=[props.alarm_topic_arn],
        )

"""CloudWatch alarms on a queue of Amazon SQS that containers work off.

https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html. Nothing is
published of a queue that nobody has used for six hours.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from constructs_lib.alarms.alarm_limit import AlarmLimit
from constructs_lib.alarms.shares import Share, metric_queries
from sizewell.facts.metrics import SQS_NAMESPACE, sqs_dimensions

AGE = "age_of_oldest_request"
BACKLOG = "backlog_without_capacity"


@dataclass(frozen=True, kw_only=True)
class QueueAlarmsProps:
    """The queue, and the alarms by name: ``age_of_oldest_request`` in seconds, and ``backlog_without_capacity``.

    ``first_look`` is what to look at first when one goes off. Raises ValueError for another name.
    """

    queue_name: str
    alarms: Mapping[str, AlarmLimit]
    first_look: str
    alarm_topic_arn: str

    def __post_init__(self) -> None:
        """Check the names."""
        if unknown := self.alarms.keys() - {AGE, BACKLOG}:
            raise ValueError(f"there is no alarm {', '.join(sorted(unknown))}, but {AGE} and {BACKLOG}")


class QueueAlarms(Construct):
    """One alarm for each that is given."""

    def __init__(self, scope: Construct, construct_id: str, *, props: QueueAlarmsProps) -> None:
        super().__init__(scope, construct_id)
        for name, alarm in props.alarms.items():
            noun = name.title().replace("_", "")
            cloudwatch.CfnAlarm(
                self,
                noun,
                alarm_name=f"{props.queue_name}-{noun}",
                alarm_description=f"{_describe(name, alarm, props.queue_name)}. Look first at {props.first_look}.",
                **(
                    _age(props.queue_name, alarm.evaluation.period_s)
                    if name == AGE
                    else _backlog(props.queue_name, alarm.evaluation.period_s)
                ),
                comparison_operator="GreaterThanThreshold",
                threshold=alarm.threshold,
                evaluation_periods=alarm.evaluation.evaluation_periods,
                datapoints_to_alarm=alarm.evaluation.datapoints_to_alarm,
                treat_missing_data="notBreaching",
                alarm_actions=[props.alarm_topic_arn],
                ok_actions=[props.alarm_topic_arn],
            )


def _age(queue_name: str, period_s: int) -> dict[str, Any]:
    return {
        "namespace": SQS_NAMESPACE,
        "metric_name": "ApproximateAgeOfOldestMessage",
        "dimensions": _dimensions(queue_name),
        "statistic": "Maximum",
        "period": period_s,
    }


def _backlog(queue_name: str, period_s: int) -> dict[str, Any]:
    """Return 1 while requests wait and nobody works on any, as HasBacklogWithoutCapacity of SageMaker is."""
    backlog = Share(
        "IF(waiting > 0 AND FILL(in_progress, 0) < 1, 1, 0)",
        {
            "waiting": ("ApproximateNumberOfMessagesVisible", "Maximum"),
            "in_progress": ("ApproximateNumberOfMessagesNotVisible", "Maximum"),
        },
    )
    return {
        "metrics": metric_queries(
            backlog,
            label="BacklogWithoutCapacity",
            namespace=SQS_NAMESPACE,
            dimensions=_dimensions(queue_name),
            period_s=period_s,
        )
    }


def _dimensions(queue_name: str) -> list[cloudwatch.CfnAlarm.DimensionProperty]:
    return [
        cloudwatch.CfnAlarm.DimensionProperty(name=name, value=value)
        for name, value in sqs_dimensions(queue_name)
    ]


def _describe(name: str, alarm: AlarmLimit, queue_name: str) -> str:
    minutes = alarm.evaluation.period_s * alarm.evaluation.evaluation_periods // 60
    if name == AGE:
        return f"The oldest request in the queue {queue_name} waits for more than {alarm.threshold:g} s"
    return f"Requests wait in the queue {queue_name}, and nobody has worked on any for {minutes} minutes"

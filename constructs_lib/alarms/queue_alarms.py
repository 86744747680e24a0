"""CloudWatch alarms on a queue of Amazon SQS that containers work off.

https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html. Nothing is
published of a queue that nobody has used for six hours. SQS counts no requests that failed: the topics of answers and failures do
(https://docs.aws.amazon.com/sns/latest/dg/sns-monitoring-using-cloudwatch.html).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from constructs_lib.alarms.alarm_limit import AlarmLimit
from constructs_lib.alarms.shares import Share, error_share, metric_queries
from sizewell.facts.alarms import least_errors
from sizewell.facts.metrics import (
    SNS_NAMESPACE,
    SQS_NAMESPACE,
    Dimensions,
    sqs_dimensions,
    topic_dimensions,
)

AGE = "age_of_oldest_request"
BACKLOG = "backlog_without_capacity"
FAILURES = "invocation_failures"


@dataclass(frozen=True, kw_only=True)
class QueueAlarmsProps:
    """The queue, and the alarms by name: ``age_of_oldest_request`` in seconds, ``backlog_without_capacity``, and
    ``invocation_failures`` in percent of what the two topics hear of, which must hear of nothing else.

    ``first_look`` is what to look at first when requests wait, and ``failure_prefix`` is where the reasons of failures are.
    Raises ValueError for another name.
    """

    queue_name: str
    answers_topic_name: str
    failures_topic_name: str
    failure_prefix: str
    alarms: Mapping[str, AlarmLimit]
    first_look: str
    alarm_topic_arn: str

    def __post_init__(self) -> None:
        """Check the names."""
        if unknown := self.alarms.keys() - _READ.keys():
            raise ValueError(f"there is no alarm {', '.join(sorted(unknown))}, but {', '.join(_READ)}")


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
                alarm_description=_describe(name, alarm, props),
                **_READ[name](props, alarm),
                comparison_operator="GreaterThanThreshold",
                threshold=alarm.threshold,
                evaluation_periods=alarm.evaluation.evaluation_periods,
                datapoints_to_alarm=alarm.evaluation.datapoints_to_alarm,
                treat_missing_data="notBreaching",
                alarm_actions=[props.alarm_topic_arn],
                ok_actions=[props.alarm_topic_arn],
            )


def _age(props: QueueAlarmsProps, alarm: AlarmLimit) -> dict[str, Any]:
    return {
        "namespace": SQS_NAMESPACE,
        "metric_name": "ApproximateAgeOfOldestMessage",
        "dimensions": _properties(sqs_dimensions(props.queue_name)),
        "statistic": "Maximum",
        "period": alarm.evaluation.period_s,
    }


def _backlog(props: QueueAlarmsProps, alarm: AlarmLimit) -> dict[str, Any]:
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
            dimensions=_properties(sqs_dimensions(props.queue_name)),
            period_s=alarm.evaluation.period_s,
        )
    }


def _failures(props: QueueAlarmsProps, alarm: AlarmLimit) -> dict[str, Any]:
    """Return the percentage of the requests that failed: a topic hears of each, and the other one of each answer."""
    published = "NumberOfMessagesPublished"
    return {
        "metrics": metric_queries(
            error_share(published, least=least_errors(alarm.threshold), others=published),
            label="InvocationFailures",
            namespace=SNS_NAMESPACE,
            dimensions=_properties(topic_dimensions(props.failures_topic_name)),
            other_dimensions={"requests": _properties(topic_dimensions(props.answers_topic_name))},
            period_s=alarm.evaluation.period_s,
        )
    }


#: What each alarm reads.
_READ: Mapping[str, Callable[[QueueAlarmsProps, AlarmLimit], dict[str, Any]]] = {
    AGE: _age,
    BACKLOG: _backlog,
    FAILURES: _failures,
}


def _properties(dimensions: Dimensions) -> list[cloudwatch.CfnAlarm.DimensionProperty]:
    return [cloudwatch.CfnAlarm.DimensionProperty(name=name, value=value) for name, value in dimensions]


def _describe(name: str, alarm: AlarmLimit, props: QueueAlarmsProps) -> str:
    minutes, queue = alarm.evaluation.period_s // 60, f"the queue {props.queue_name}"
    first_look = f"Look first at {props.first_look}."
    if name == AGE:
        return f"The oldest request in {queue} waits for more than {alarm.threshold:g} s. {first_look}"
    if name == BACKLOG:
        minutes *= alarm.evaluation.evaluation_periods
        return f"Requests wait in {queue}, and nobody has worked on any for {minutes} minutes. {first_look}"
    return (
        f"More than {alarm.threshold:g} % of the requests of {queue} failed in {minutes} minutes. "
        f"Look first at the reasons below {props.failure_prefix} of the artifact bucket."
    )

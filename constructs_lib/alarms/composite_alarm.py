"""One alarm on the alarms of a workload: one incident is one message, which names the alarms that are on."""

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct


@dataclass(frozen=True, kw_only=True)
class CompositeAlarmProps:
    """``alarm_names`` are those of the alarms, which notify nobody themselves; ``workload`` is what people call it."""

    alarm_name: str
    workload: str
    alarm_names: Sequence[str]
    alarm_topic_arn: str


class CompositeAlarm(Construct):
    """Goes off with the first of them, and is over with the last.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutCompositeAlarm.html. That an alarm has no data is no
    part of the rule: none has any when it is made.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: CompositeAlarmProps) -> None:
        super().__init__(scope, construct_id)
        cloudwatch.CfnCompositeAlarm(
            self,
            "Alarm",
            alarm_name=props.alarm_name,
            alarm_description=f"Something is wrong with {props.workload}. Look first at its alarms that are on: they say what.",
            alarm_rule=" OR ".join(f'ALARM("{name}")' for name in props.alarm_names),
            alarm_actions=[props.alarm_topic_arn],
            ok_actions=[props.alarm_topic_arn],
        )

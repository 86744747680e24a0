"""One incident is one message: a composite alarm tells people, and the alarms in it do not."""

from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack

from constructs_lib.alarms.composite_alarm import CompositeAlarm, CompositeAlarmProps
from constructs_lib.alarms.endpoint_alarms import EndpointAlarmProps, EndpointAlarms
from constructs_lib.alarms.endpoint_thresholds import AlarmThresholds
from constructs_lib.alarms.lambda_alarms import LambdaAlarm, LambdaAlarms, LambdaAlarmsProps
from sizewell.facts.alarms import OF_REQUESTS
from tests.constructs_lib.resources import Only, Resources

pytestmark = pytest.mark.cdk

TOPIC = "arn:aws:sns:us-east-1:111122223333:demo-dev-alarms"
ENDPOINT = EndpointAlarmProps(
    endpoint_name="fraud-dev",
    variant_name="primary",
    thresholds=AlarmThresholds(max_model_error_rate_percent=1, max_memory_utilization_percent=90),
    alarm_topic_arn=TOPIC,
    in_composite=True,
)


def composite(stack: Stack, alarms: EndpointAlarms | LambdaAlarms) -> None:
    CompositeAlarm(
        stack,
        "Incident",
        props=CompositeAlarmProps(
            alarm_name="fraud-dev-Incident",
            workload="fraud",
            alarm_names=alarms.alarm_names,
            alarm_topic_arn=TOPIC,
        ),
    )


def rule(found: dict[str, Any]) -> str:
    """Return the rule with the logical ids of the alarms in it."""
    return "".join(
        part if isinstance(part, str) else part["Ref"] for part in found["AlarmRule"]["Fn::Join"][1]
    )


def test_the_composite_tells_people_and_its_alarms_do_not(
    stack: Stack, resources: Resources, only: Only
) -> None:
    composite(stack, EndpointAlarms(stack, "Alarms", props=ENDPOINT))

    alarms = resources("AWS::CloudWatch::Alarm")
    found = only("AWS::CloudWatch::CompositeAlarm")
    assert rule(found) == " OR ".join(f'ALARM("{logical_id}")' for logical_id in alarms)
    assert found["AlarmActions"] == found["OKActions"] == [TOPIC]
    for alarm in alarms.values():
        assert "AlarmActions" not in alarm
        assert "OKActions" not in alarm


def test_that_no_instance_reports_is_told_by_the_alarm_itself(stack: Stack, resources: Resources) -> None:
    # An alarm has no data when it is made: a composite of that would go off with each new endpoint.
    composite(stack, EndpointAlarms(stack, "Alarms", props=ENDPOINT))

    silent = [
        alarm["InsufficientDataActions"]
        for alarm in resources("AWS::CloudWatch::Alarm").values()
        if "InsufficientDataActions" in alarm
    ]
    assert silent == [[TOPIC]]


def test_the_shares_are_those_of_alarms_that_tell_people_themselves(
    stack: Stack, resources: Resources
) -> None:
    EndpointAlarms(stack, "Together", props=ENDPOINT)
    EndpointAlarms(stack, "Alone", props=replace(ENDPOINT, in_composite=False, name_suffix="-2"))

    together, alone = (
        [alarm["Metrics"] for alarm in resources("AWS::CloudWatch::Alarm").values() if named(alarm, suffix)]
        for suffix in ("ErrorRate", "ErrorRate-2")
    )
    assert together == alone


def named(alarm: dict[str, Any], suffix: str) -> bool:
    return str(alarm["AlarmName"]).endswith(suffix)


def test_alarms_of_a_function_are_told_together(stack: Stack, resources: Resources, only: Only) -> None:
    alarms = LambdaAlarms(
        stack,
        "Alarms",
        props=LambdaAlarmsProps(
            function_name="fraud-dev",
            max_concurrency=10,
            alarms={
                name: LambdaAlarm(threshold=1, evaluation=OF_REQUESTS) for name in ("error_rate", "throttles")
            },
            alarm_topic_arn=TOPIC,
            in_composite=True,
        ),
    )
    composite(stack, alarms)

    assert rule(only("AWS::CloudWatch::CompositeAlarm")).count("ALARM(") == 2
    assert not any("AlarmActions" in alarm for alarm in resources("AWS::CloudWatch::Alarm").values())

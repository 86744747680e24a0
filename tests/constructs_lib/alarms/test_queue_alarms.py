"""Alarms on a queue that containers work off: what they read, and when they go off."""

from typing import Any

import numpy as np
import pytest
from aws_cdk import App, Stack
from aws_cdk.assertions import Template

from constructs_lib.alarms.alarm_limit import AlarmLimit
from constructs_lib.alarms.queue_alarms import QueueAlarms, QueueAlarmsProps
from sizewell.facts.alarms import OF_REQUESTS, OF_SHARES, OF_WAKING
from tools.benchmarks.alarm_replay.expressions import value_of

pytestmark = pytest.mark.cdk
ALARMS = {
    "age_of_oldest_request": AlarmLimit(threshold=1800, evaluation=OF_REQUESTS),
    "backlog_without_capacity": AlarmLimit(threshold=0, evaluation=OF_WAKING),
    "invocation_failures": AlarmLimit(threshold=2.5, evaluation=OF_SHARES[0]),
}


def props(**alarms: AlarmLimit) -> QueueAlarmsProps:
    return QueueAlarmsProps(
        queue_name="demo",
        answers_topic_name="demo-answers",
        failures_topic_name="demo-failures",
        failure_prefix="inference/demo/failure/",
        alarms=alarms,
        first_look="the pods",
        alarm_topic_arn="arn:aws:sns:r:1:alarms",
    )


@pytest.fixture(scope="module")
def made() -> dict[str, dict[str, Any]]:
    stack = Stack(App(), "Demo")
    QueueAlarms(stack, "Alarms", props=props(**ALARMS))
    found = Template.from_stack(stack).find_resources("AWS::CloudWatch::Alarm").values()
    return {resource["Properties"]["AlarmName"]: resource["Properties"] for resource in found}


def test_each_alarm_reads_the_queue_and_says_what_to_look_at(made: dict[str, dict[str, Any]]) -> None:
    age, backlog = made["demo-AgeOfOldestRequest"], made["demo-BacklogWithoutCapacity"]
    assert (age["MetricName"], age["Statistic"]) == ("ApproximateAgeOfOldestMessage", "Maximum")
    read = [query["MetricStat"]["Metric"] for query in backlog["Metrics"] if "MetricStat" in query]
    assert len(read) == 2
    for metric in (age, *read):
        assert metric["Namespace"] == "AWS/SQS"
        assert metric["Dimensions"] == [{"Name": "QueueName", "Value": "demo"}]
    assert all(alarm["AlarmDescription"].endswith("Look first at the pods.") for alarm in (age, backlog))


def test_failures_are_counted_by_their_topic_beside_that_of_answers(made: dict[str, dict[str, Any]]) -> None:
    alarm = made["demo-InvocationFailures"]
    read = {query["Id"]: query["MetricStat"] for query in alarm["Metrics"] if "MetricStat" in query}
    assert {stat["Stat"] for stat in read.values()} == {"Sum"}
    assert {query_id: stat["Metric"] for query_id, stat in read.items()} == {
        query_id: {
            "Namespace": "AWS/SNS",
            "MetricName": "NumberOfMessagesPublished",
            "Dimensions": [{"Name": "TopicName", "Value": topic}],
        }
        for query_id, topic in (("errors", "demo-failures"), ("requests", "demo-answers"))
    }
    assert alarm["AlarmDescription"] == (
        "More than 2.5 % of the requests of the queue demo failed in 60 minutes. Look first at the reasons below "
        "inference/demo/failure/ of the artifact bucket."
    )


@pytest.mark.parametrize(
    ("failures", "answers", "goes_off"),
    [(5, 95, True), (5, None, True), (5, 500, False), (4, 4, False), (None, 100, False)],
)
def test_many_failures_are_told_and_few_are_chance(
    made: dict[str, dict[str, Any]], failures: float | None, answers: float | None, goes_off: bool
) -> None:
    assert _goes_off(made["demo-InvocationFailures"], errors=failures, requests=answers) == goes_off


@pytest.mark.parametrize(
    ("waiting", "in_progress", "goes_off"),
    [(3, 0, True), (3, 1, False), (0, 0, False), (0, 2, False), (3, None, True), (None, None, False)],
)
def test_requests_wait_only_where_nobody_works_on_any(
    made: dict[str, dict[str, Any]], waiting: float | None, in_progress: float | None, goes_off: bool
) -> None:
    alarm = made["demo-BacklogWithoutCapacity"]
    assert _goes_off(alarm, waiting=waiting, in_progress=in_progress) == goes_off


def _goes_off(alarm: dict[str, Any], **values: float | None) -> bool:
    (expression,) = (query["Expression"] for query in alarm["Metrics"] if "Expression" in query)
    series = {name: np.array([np.nan if value is None else value]) for name, value in values.items()}
    return bool(value_of(expression, series)[0] > alarm["Threshold"])


def test_an_alarm_of_another_name_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no alarm disk_utilization, but age_of_oldest_request, "):
        props(disk_utilization=ALARMS["age_of_oldest_request"])

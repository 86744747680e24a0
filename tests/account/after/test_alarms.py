"""The alarms of a stack, as CloudWatch describes them."""

from typing import Any

from sizewell.account.after.alarms import ALARMS, described_alarms
from tests.account.after.deployed import STACK, Resources, found
from tests.account.builders import ScriptedAccount

RESOURCES: Resources = {
    name: ("AWS::CloudWatch::Alarm", f"demo-{name}", {}) for name in ("Latency", "Errors")
}
BOTH = [{"AlarmName": f"demo-{name}", "StateValue": "OK"} for name in ("Latency", "Errors")]


def alarms(*given: dict[str, Any]) -> list[tuple[str, str, str]]:
    return found(ALARMS, RESOURCES, {"cloudwatch": [("describe_alarms", {"MetricAlarms": list(given)})]})


def changed(**changes: Any) -> list[tuple[str, str, str]]:
    return alarms({**BOTH[0], **changes}, BOTH[1])


def test_alarms_that_do_not_fire_pass() -> None:
    assert alarms(*BOTH) == [(STACK, "pass", "2 alarms, none fires")]


def test_an_alarm_that_is_missing_fails() -> None:
    assert alarms(BOTH[1]) == [("demo-Latency", "fail", "there is no such alarm")]


def test_an_alarm_without_actions_tells_nobody() -> None:
    assert changed(ActionsEnabled=False) == [
        ("demo-Latency", "fail", "its actions are disabled: it tells nobody")
    ]


def test_an_alarm_that_fires_is_told_with_its_reason() -> None:
    assert changed(StateValue="ALARM", StateReason="3 datapoints above 200") == [
        ("demo-Latency", "warn", "ALARM: 3 datapoints above 200")
    ]


def test_missing_data_is_told_where_it_keeps_an_alarm_from_its_state() -> None:
    waiting = changed(StateValue="INSUFFICIENT_DATA", TreatMissingData="missing")
    healthy = changed(StateValue="INSUFFICIENT_DATA", TreatMissingData="notBreaching")

    assert waiting == [(STACK, "warn", "no data yet for 1 of 2 alarms: demo-Latency")]
    assert healthy == [(STACK, "pass", "2 alarms, none fires")]


def test_more_alarms_than_one_request_may_name_are_asked_for_in_several() -> None:
    described = [{"AlarmName": f"a{number}", "StateValue": "OK"} for number in range(101)]
    answers = [
        ("describe_alarms", {"MetricAlarms": described[:100]}),
        ("describe_alarms", {"MetricAlarms": described[100:]}),
    ]
    aws, asked = ScriptedAccount({"cloudwatch": answers}), []
    aws.client("cloudwatch").meta.events.register(
        "provide-client-params.cloudwatch.DescribeAlarms",
        lambda params, **_: asked.append(len(params["AlarmNames"])),
    )

    assert len(described_alarms(aws, [alarm["AlarmName"] for alarm in described])) == 101
    assert asked == [100, 1]

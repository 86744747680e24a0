"""The alarms: each exists, tells somebody, and does not fire.

INSUFFICIENT_DATA is no fault: an alarm begins with it, and one that treats missing data as missing stays there until its metric
has a value, which most metrics of an endpoint get with the first request:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
"""

from collections.abc import Iterator
from typing import Any

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, fails, passes, warns
from sizewell.account.deployed import DeployedStack, check_of_stacks
from sizewell.instance_selection.wording import counted

ALARM_TYPES = ("AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm")
#: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
_MOST_NAMES = 100


def described_alarms(aws: AwsAccount, names: list[str]) -> dict[str, Any]:
    """Return metric and composite alarms by their names; those that do not exist are left out."""
    pages = aws.client("cloudwatch").get_paginator("describe_alarms")
    return {
        alarm["AlarmName"]: alarm
        for start in range(0, len(names), _MOST_NAMES)
        for page in pages.paginate(
            AlarmNames=names[start : start + _MOST_NAMES], AlarmTypes=["MetricAlarm", "CompositeAlarm"]
        )
        for alarm in (*page.get("MetricAlarms", ()), *page.get("CompositeAlarms", ()))
    }


def _ask(aws: AwsAccount, stack: DeployedStack) -> Iterator[Answer]:
    names = [alarm.physical_id for alarm in stack.resources(*ALARM_TYPES)]
    found = described_alarms(aws, names)
    silent = [name for name in found if not found[name].get("ActionsEnabled", True)]
    firing = [name for name in found if found[name]["StateValue"] == "ALARM"]
    waiting = [
        name
        for name in found
        if found[name]["StateValue"] == "INSUFFICIENT_DATA"
        and found[name].get("TreatMissingData", "missing") == "missing"
        and "AlarmRule" not in found[name]
    ]
    for name in names:
        if name not in found:
            yield fails(
                name,
                "there is no such alarm",
                f"delete the stack {stack.name}, and deploy it again: CloudFormation makes nothing anew whose template has not "
                "changed",
            )
    for name in silent:
        yield fails(
            name,
            "its actions are disabled: it tells nobody",
            f"aws cloudwatch enable-alarm-actions --alarm-names {name} --region {aws.region}",
        )
    for name in firing:
        yield warns(name, f"ALARM: {found[name].get('StateReason', '')}", "look at what it watches")
    if waiting:
        yield warns(
            stack.name,
            f"no data yet for {len(waiting)} of {len(names)} alarms: {', '.join(waiting)}",
            "wait some minutes, or for the first request, then verify again",
        )
    if names and len(found) == len(names) and not (silent or firing or waiting):
        yield passes(stack.name, f"{counted(len(names), 'alarm')}, none fires")


ALARMS = check_of_stacks("alarms", ("cloudwatch:DescribeAlarms",), _ask)

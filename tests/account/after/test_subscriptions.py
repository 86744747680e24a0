"""Who hears of alarms, as SNS lists them."""

from typing import Any

import pytest

from sizewell.account.after.subscriptions import SUBSCRIPTIONS
from sizewell.planning.build import build_plan
from tests.account.builders import ScriptedAccount, findings
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import environment

EMAIL = "ml-team@example.com"
TOPIC = "arn:aws:sns:us-east-1:111122223333:demo-dev-alarms"
PLAN = build_plan(environment(notifications={"emails": [EMAIL]}), catalog(gpu_instance()))
NOBODY = build_plan(environment(), catalog(gpu_instance()))


def subscription(arn: str = f"{TOPIC}:1", address: str = EMAIL) -> dict[str, str]:
    return {"SubscriptionArn": arn, "Protocol": "email", "Endpoint": address}


@pytest.mark.parametrize(
    ("plan", "subscriptions", "expected"),
    [
        (PLAN, [subscription()], [("pass", "1 confirmed subscription")]),
        (
            PLAN,
            [subscription("PendingConfirmation")],
            [("warn", f"{EMAIL} has not confirmed its subscription, and hears of no alarm")],
        ),
        (
            PLAN,
            [subscription("Deleted"), subscription(address="ops@example.com")],
            [
                (
                    "fail",
                    f"{EMAIL} is not subscribed: the subscription was ended, or not confirmed within 48 hours",
                ),
                ("pass", "1 confirmed subscription"),
            ],
        ),
        (NOBODY, [], [("warn", "nobody has subscribed: nobody hears of an alarm")]),
    ],
)
def test_somebody_hears_of_alarms(plan: Any, subscriptions: list[Any], expected: list[Any]) -> None:
    aws = ScriptedAccount({"sns": [("list_subscriptions_by_topic", {"Subscriptions": subscriptions})]})

    found = findings(SUBSCRIPTIONS, plan, aws)
    assert [(finding.outcome.value, finding.says) for finding in found] == expected
    assert {finding.subject for finding in found} == {TOPIC}

"""What the tables say of single properties: one change of each effect, and where a rule says more."""

from typing import Any

import pytest

from sizewell.review.hazards import find_hazards
from tests.review.builders import pair, resource, template
from tests.review.hazards.apps import described, hazards, text

QUEUE, FUNCTION = "AWS::SQS::Queue", "AWS::Lambda::Function"


def changed(resource_type: str, base: dict[str, Any], head: dict[str, Any], environment: str = "dev") -> str:
    sides = (template(Own=resource(resource_type, properties)) for properties in (base, head))
    return described(hazards(*sides, environment=environment, theme="consequences"))


def test_requests_fail() -> None:
    assert described(
        hazards(
            template(Own=resource(FUNCTION, {"Timeout": 30})),
            template(Own=resource(FUNCTION, {})),
            environment="prod",
            theme="consequences",
        )
    ) == text("""
        danger less-available, prod/app-stack/Own: AWS::Lambda::Function Own
        Timeout 30 → none
        An invocation that takes longer is ended, and its caller gets an error.
        Compare it with the longest invocation of the last weeks.
        """)


def test_data_are_lost_sooner() -> None:
    assert described(
        hazards(
            template(Own=resource(QUEUE, {})),
            template(Own=resource(QUEUE, {"MessageRetentionPeriod": 60})),
            theme="consequences",
        )
    ) == text("""
        warning less-durable, dev/app-stack/Own: AWS::SQS::Queue Own
        MessageRetentionPeriod none → 60
        Messages are deleted sooner, also messages that are in the queue already.
        Make sure that readers keep up, or keep the time.
        """)


def test_a_door_is_opened() -> None:
    assert described(
        hazards(
            template(
                Own=resource("AWS::ApiGateway::Stage", {"MethodSettings": [{"DataTraceEnabled": False}]})
            ),
            template(
                Own=resource("AWS::ApiGateway::Stage", {"MethodSettings": [{"DataTraceEnabled": True}]})
            ),
            theme="consequences",
        )
    ) == text("""
        warning less-secure, dev/app-stack/Own: AWS::ApiGateway::Stage Own
        MethodSettings.0.DataTraceEnabled false → true
        Logs hold whole requests and answers.
        Keep it off where users send data.
        """)


def test_everybody_is_let_in() -> None:
    url = "AWS::Lambda::Url"
    assert described(
        hazards(
            template(Own=resource(url, {"AuthType": "AWS_IAM"})),
            template(Own=resource(url, {"AuthType": "NONE"})),
            environment="prod",
            theme="consequences",
        )
    ) == text("""
        danger publicly-reachable, prod/app-stack/Own: AWS::Lambda::Url Own
        AuthType AWS_IAM → NONE
        The function answers everybody who knows its address.
        Let an owner of the environment approve it, or keep it.
        """)


def test_people_hear_less() -> None:
    subscription = resource("AWS::SNS::Subscription", {"Protocol": "email", "Endpoint": "a@b.c"})
    topic = resource("AWS::SNS::Topic")
    assert described(
        hazards(
            template(T=topic, Own=subscription), template(T=topic), environment="prod", theme="consequences"
        )
    ) == text("""
        danger fewer-alerts, prod/app-stack/Own: AWS::SNS::Subscription Own
        removed
        The subscriber no longer hears of anything that is published to the topic.
        Make sure that somebody else does.
        """)


def test_it_costs_more() -> None:
    assert described(
        hazards(
            template(Own=resource(FUNCTION, {"MemorySize": 512})),
            template(Own=resource(FUNCTION, {"MemorySize": 1024})),
            theme="consequences",
        )
    ) == text("""
        notice costs-more, dev/app-stack/Own: AWS::Lambda::Function Own
        MemorySize 512 → 1024
        Each second of work costs more.
        Check that the budget allows it, or keep it.
        """)


def test_the_results_are_others() -> None:
    sides = (
        template(Own=resource(FUNCTION, {"Environment": {"Variables": {"MODE": mode}}})) for mode in "ab"
    )
    assert described(hazards(*sides, theme="consequences")) == text("""
        warning other-results, dev/app-stack/Own: AWS::Lambda::Function Own
        Environment.Variables.MODE a → b
        The function runs with another setting.
        Test it in an environment without users.
        """)


def test_a_failure_lasts_longer() -> None:
    sides = (
        template(
            Own=resource("AWS::RDS::DBInstance", {"BackupRetentionPeriod": days, "DeletionProtection": True})
        )
        for days in (14, 0)
    )
    assert described(hazards(*sides, environment="prod", theme="consequences")) == text("""
        danger slower-recovery, prod/app-stack/Own: AWS::RDS::DBInstance Own
        BackupRetentionPeriod 14 → 0
        RDS turns automated backups off and deletes those that exist, so the database cannot be restored to a point in time
            any more.
        Keep at least one day of backups.
        """)


@pytest.mark.parametrize(
    ("resource_type", "base", "head"),
    [
        (FUNCTION, {"Timeout": 3}, {}),
        (FUNCTION, {"Description": "a"}, {"Description": "b"}),
        (FUNCTION, {}, {"Architectures": ["x86_64"]}),
        (QUEUE, {"MessageRetentionPeriod": 60}, {"MessageRetentionPeriod": "60"}),
        (QUEUE, {"MessageRetentionPeriod": 60}, {}),
        (
            "AWS::Logs::LogGroup",
            {"LogGroupName": "a"},
            {"LogGroupName": "a", "Tags": [{"Key": "a", "Value": "b"}]},
        ),
    ],
)
def test_no_harm_is_no_hazard(resource_type: str, base: dict[str, Any], head: dict[str, Any]) -> None:
    assert changed(resource_type, base, head) == ""


def test_the_exact_row_speaks_in_place_of_that_of_any_change() -> None:
    said = changed(FUNCTION, {"Runtime": "python3.13"}, {"Runtime": "python3.8"})
    assert "AWS no longer updates this runtime" in said
    assert "another version of the language" not in said


def test_where_a_rule_says_more_the_table_is_silent() -> None:
    """The rule tells the whole story of the alias, so its property is not told again."""
    alias = "AWS::Lambda::Alias"
    base, head = (
        template(
            Own=resource(alias, {"ProvisionedConcurrencyConfig": {"ProvisionedConcurrentExecutions": number}})
        )
        for number in (4, 2)
    )
    assert [hazard.rule for hazard in find_hazards(pair(base, head, "dev"))] == [
        "function-concurrency-lowered"
    ]


def test_a_state_machine_is_read_by_its_steps() -> None:
    def machine(spot: bool) -> dict[str, Any]:
        train = {"Type": "Task", "Arguments": {"EnableManagedSpotTraining": spot}, "End": True}
        definition = {"StartAt": "Train", "States": {"Train": train}}
        return template(M=resource("AWS::StepFunctions::StateMachine", {"Definition": definition}))

    (found,) = hazards(machine(True), machine(False), theme="consequences")
    assert (found.rule, found.cause) == ("costs-more", "step Train: EnableManagedSpotTraining true → false")


def _budget(*, usd: float = 5000, percents: tuple[float, ...] = (80, 100)) -> dict[str, Any]:
    return {
        "Budget": {
            "BudgetType": "COST",
            "TimeUnit": "MONTHLY",
            "BudgetLimit": {"Amount": usd, "Unit": "USD"},
        },
        "NotificationsWithSubscribers": [
            {
                "Notification": {
                    "NotificationType": "ACTUAL",
                    "ComparisonOperator": "GREATER_THAN",
                    "Threshold": percent,
                },
                "Subscribers": [{"SubscriptionType": "SNS", "Address": "arn:aws:sns:us-east-1:1:alarms"}],
            }
            for percent in percents
        ],
    }


@pytest.mark.parametrize(
    ("head", "consequence"),
    [
        (_budget(usd=9000), "People hear of rising costs later."),
        (_budget(percents=(90, 100)), "People hear of rising costs later."),
        (_budget(percents=(100,)), "Nobody hears of what this notification told."),
        (_budget(usd=4000), None),
        (_budget(percents=(80, 90, 100)), None),
    ],
    ids=[
        "a higher limit",
        "a higher threshold",
        "fewer notifications",
        "a lower limit",
        "more notifications",
    ],
)
def test_people_hear_of_costs_later(head: dict[str, Any], consequence: str | None) -> None:
    found = changed("AWS::Budgets::Budget", _budget(), head)
    assert consequence in found if consequence else found == "", found


def test_nobody_hears_of_costs() -> None:
    topic = resource("AWS::SNS::Topic")
    budget = resource("AWS::Budgets::Budget", _budget())
    assert described(
        hazards(template(T=topic, Own=budget), template(T=topic), environment="prod", theme="consequences")
    ).startswith(
        "warning fewer-alerts, prod/app-stack/Own: AWS::Budgets::Budget Own\nremoved\n"
        "Nobody hears any more that costs rise above the budget."
    )

from typing import Any

import pytest
from aws_cdk import App, Environment, Stack
from aws_cdk.assertions import Template

from constructs_lib.foundation.cost_budget import MonthlyBudget
from constructs_lib.foundation.existing import ExistingResources
from constructs_lib.foundation.foundation import Foundation, FoundationProps
from tests.constructs_lib.resources import Only, Resources

pytestmark = pytest.mark.cdk

BUDGET = MonthlyBudget(usd_per_month=2500.5, tags={"platform": "demo", "environment": "dev"})
ACCOUNT = {"Ref": "AWS::AccountId"}
BUDGETS_OF_THIS_ACCOUNT = {
    "StringEquals": {"aws:SourceAccount": ACCOUNT},
    "ArnLike": {"aws:SourceArn": {"Fn::Sub": "arn:${AWS::Partition}:budgets::${AWS::AccountId}:*"}},
}


@pytest.fixture
def with_budget(stack: Stack) -> Foundation:
    return Foundation(stack, "Foundation", props=FoundationProps(name_prefix="demo-dev", budget=BUDGET))


def test_costs_of_a_month_with_both_tags_are_compared_with_the_limit(
    with_budget: Foundation, only: Only
) -> None:
    assert only("AWS::Budgets::Budget")["Budget"] == {
        "BudgetType": "COST",
        "TimeUnit": "MONTHLY",
        "BudgetLimit": {"Amount": 2500.5, "Unit": "USD"},
        "CostFilters": {"TagKeyValue": ["user:environment$dev", "user:platform$demo"]},
        "CostTypes": {"IncludeCredit": False, "IncludeRefund": False},
    }


def test_the_topic_hears_of_80_and_100_percent_and_of_a_forecast_above_the_limit(
    with_budget: Foundation, only: Only, resources: Resources
) -> None:
    (topic,) = resources("AWS::SNS::Topic")
    notifications = only("AWS::Budgets::Budget")["NotificationsWithSubscribers"]

    assert [
        (one["Notification"]["NotificationType"], one["Notification"]["Threshold"]) for one in notifications
    ] == [("ACTUAL", 80), ("ACTUAL", 100), ("FORECASTED", 100)]
    for one in notifications:
        assert one["Notification"]["ComparisonOperator"] == "GREATER_THAN"
        assert one["Notification"]["ThresholdType"] == "PERCENTAGE"
        assert one["Subscribers"] == [{"SubscriptionType": "SNS", "Address": {"Ref": topic}}]


def _statements_of_budgets(document: dict[str, Any]) -> list[dict[str, Any]]:
    service = {"Service": "budgets.amazonaws.com"}
    return [statement for statement in document["Statement"] if statement["Principal"] == service]


def test_budgets_of_the_account_may_publish_to_the_encrypted_topic(
    with_budget: Foundation, only: Only, resources: Resources
) -> None:
    (topic,) = resources("AWS::SNS::Topic")
    (publish,) = _statements_of_budgets(only("AWS::SNS::TopicPolicy")["PolicyDocument"])
    assert (publish["Action"], publish["Resource"]) == ("sns:Publish", {"Ref": topic})
    assert publish["Condition"] == BUDGETS_OF_THIS_ACCOUNT

    of_keys = {
        key["Description"].split(",")[0]: _statements_of_budgets(key["KeyPolicy"])
        for key in resources("AWS::KMS::Key").values()
    }
    (use,) = of_keys.pop("Notifications")
    assert set(use["Action"]) == {"kms:Decrypt", "kms:GenerateDataKey*"}
    assert use["Condition"] == BUDGETS_OF_THIS_ACCOUNT
    assert not any(of_keys.values()), "no other key"


def test_the_budget_comes_after_the_policy_that_lets_it_publish(
    with_budget: Foundation, stack: Stack, resources: Resources
) -> None:
    (policy,) = resources("AWS::SNS::TopicPolicy")
    (budget,) = Template.from_stack(stack).find_resources("AWS::Budgets::Budget").values()
    assert policy in budget["DependsOn"]


def test_a_topic_that_exists_hears_as_well(app: App) -> None:
    topic = "arn:aws:sns:us-east-1:111122223333:company-alarms"
    stack = Stack(app, "Existing", env=Environment(account="111122223333", region="us-east-1"))
    props = FoundationProps(
        name_prefix="demo-dev", budget=BUDGET, existing=ExistingResources(alarm_topic_arn=topic)
    )
    Foundation(stack, "Foundation", props=props)

    (budget,) = Template.from_stack(stack).find_resources("AWS::Budgets::Budget").values()
    addresses = {
        subscriber["Address"]
        for one in budget["Properties"]["NotificationsWithSubscribers"]
        for subscriber in one["Subscribers"]
    }
    assert addresses == {topic}


def test_without_a_limit_there_is_no_budget_and_nothing_admits_one(
    stack: Stack, resources: Resources
) -> None:
    Foundation(stack, "Foundation", props=FoundationProps(name_prefix="demo-dev"))
    assert not resources("AWS::Budgets::Budget")
    assert "budgets.amazonaws.com" not in str(
        [resources("AWS::SNS::TopicPolicy"), resources("AWS::KMS::Key")]
    )

"""An AWS Budget: the alarm topic hears when a month costs more than it may.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-budgets-budget.html.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_budgets as budgets
from constructs import Construct

#: The guard of AWS's own page against deputies that are confused, for a topic and its key:
#: https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html
BUDGETS_OF_THIS_ACCOUNT: dict[str, Any] = {
    "StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}},
    "ArnLike": {"aws:SourceArn": {"Fn::Sub": "arn:${AWS::Partition}:budgets::${AWS::AccountId}:*"}},
}
#: What is compared with the limit, and from how many percent of it on the topic hears of it.
_NOTIFICATIONS = (("ACTUAL", 80), ("ACTUAL", 100), ("FORECASTED", 100))


@dataclass(frozen=True, kw_only=True)
class MonthlyBudget:
    """``usd_per_month`` limits what everything costs that carries all of ``tags``.

    The tags must be active as cost allocation tags in the account that pays, or the budget stays at zero.
    """

    usd_per_month: float
    tags: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class CostBudgetProps:
    """The topic, and the key of an encrypted one, must let ``budgets.amazonaws.com`` publish."""

    budget: MonthlyBudget
    alarm_topic_arn: str


class CostBudget(Construct):
    """The topic hears of 80 % and 100 % of the limit, and of a forecast above it.

    Credits and refunds do not count: they pay for costs that are there. AWS names the budget, because another topic replaces it.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: CostBudgetProps) -> None:
        super().__init__(scope, construct_id)
        budget = props.budget
        topic = budgets.CfnBudget.SubscriberProperty(subscription_type="SNS", address=props.alarm_topic_arn)
        budgets.CfnBudget(
            self,
            "Budget",
            budget=budgets.CfnBudget.BudgetDataProperty(
                budget_type="COST",
                time_unit="MONTHLY",
                budget_limit=budgets.CfnBudget.SpendProperty(amount=budget.usd_per_month, unit="USD"),
                cost_filters={
                    "TagKeyValue": [f"user:{key}${value}" for key, value in sorted(budget.tags.items())]
                },
                cost_types=budgets.CfnBudget.CostTypesProperty(include_credit=False, include_refund=False),
            ),
            notifications_with_subscribers=[
                budgets.CfnBudget.NotificationWithSubscribersProperty(
                    notification=budgets.CfnBudget.NotificationProperty(
                        notification_type=notification_type,
                        comparison_operator="GREATER_THAN",
                        threshold=percent,
                        threshold_type="PERCENTAGE",
                    ),
                    subscribers=[topic],
                )
                for notification_type, percent in _NOTIFICATIONS
            ],
        )

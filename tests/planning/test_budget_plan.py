"""The AWS Budget of an environment: which limit and which tags, and where there is none."""

import pytest

from sizewell.config.environment import Environment
from sizewell.instance_selection import load_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.foundation_plan_model import BudgetPlan
from tests.planning.builders import endpoint, environment, policy


def budget_of(stated: Environment) -> BudgetPlan | None:
    catalog = load_catalog(stated.policy.region)
    return build_plan(stated, catalog).foundation.budget


def test_the_limit_of_the_policy_is_that_of_an_aws_budget_for_the_tags_of_everything() -> None:
    assert budget_of(environment(policy=policy(budget_usd_per_month=5000))) == BudgetPlan(
        usd_per_month=5000, tags={"environment": "dev", "platform": "demo"}
    )


@pytest.mark.parametrize(
    "stated",
    [
        {},
        {"budget_usd_per_month": 5000, "budget_alerts": False},
        {"budget_usd_per_month": 5000, "region": "eu-north-1"},
    ],
    ids=["no limit", "switched off", "a region without AWS::Budgets::Budget"],
)
def test_there_is_no_aws_budget(stated: dict[str, object]) -> None:
    assert budget_of(environment(policy=policy(**stated))) is None


def test_one_budget_is_for_all_places() -> None:
    tokyo = {"region": "ap-northeast-1", "network": {"mode": "new"}}
    workloads = {"plants": endpoint(), "plants-jp": endpoint(place="tokyo")}
    plan = build_plan(
        environment(workloads, policy=policy(budget_usd_per_month=5000), places={"tokyo": tokyo}),
        load_catalog("us-east-1"),
    )
    assert [one.budget is not None for one in plan.foundations.values()] == [True, False]

"""Quotas of an account beside what a plan needs."""

from typing import Any

import pytest

from sizewell.account.before.quotas import QUOTAS
from sizewell.account.finding import Outcome
from sizewell.planning.build import build_plan
from tests.account.builders import Refusal, ScriptedAccount, findings
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment

OF_TYPE = "ml.g9.xlarge for endpoint usage"
OF_ALL = "Number of instances across active endpoints"
FIXED = {"scaling": {"min_instances": 2, "max_instances": 2}, "rollout": {"strategy": "all-at-once"}}
PLAN = build_plan(
    environment({"plants": endpoint(**FIXED)}),
    catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0}),
)


def quota(name: str, value: float, *, adjustable: bool = True) -> dict[str, Any]:
    return {"QuotaName": name, "QuotaCode": "L-1194F27D", "Value": value, "Adjustable": adjustable}


def account(applied: list[dict[str, Any]], defaults: list[dict[str, Any]]) -> ScriptedAccount:
    return ScriptedAccount(
        {
            "service-quotas": [
                ("list_aws_default_service_quotas", {"Quotas": defaults}),
                ("list_service_quotas", {"Quotas": applied}),
            ]
        }
    )


def test_a_quota_that_is_large_enough_passes_and_one_below_says_how_it_is_raised() -> None:
    aws = account([quota(OF_TYPE, 4), quota(OF_ALL, 3)], [])

    all_of_them, of_type = findings(QUOTAS, PLAN, aws)
    assert (of_type.subject, of_type.outcome, of_type.says) == (OF_TYPE, Outcome.PASS, "4 allowed, 4 needed")
    assert (all_of_them.outcome, all_of_them.says) == (Outcome.FAIL, "3 allowed, 4 needed")
    assert all_of_them.to_do == (
        "aws service-quotas request-service-quota-increase --region us-east-1 --service-code sagemaker --quota-code L-1194F27D "
        "--desired-value 4"
    )


def test_what_was_raised_counts_before_the_default() -> None:
    aws = account([quota(OF_TYPE, 9), quota(OF_ALL, 9)], [quota(OF_TYPE, 0), quota(OF_ALL, 20)])

    assert {found.says for found in findings(QUOTAS, PLAN, aws)} == {"9 allowed, 4 needed"}


def test_a_quota_that_nobody_raised_has_its_default() -> None:
    aws = account([], [quota(OF_TYPE, 0), quota(OF_ALL, 20)])

    found = {finding.subject: finding.outcome for finding in findings(QUOTAS, PLAN, aws)}
    assert found == {OF_ALL: Outcome.PASS, OF_TYPE: Outcome.FAIL}


def test_a_quota_without_a_name_in_the_account_is_no_failure() -> None:
    assert {finding.outcome for finding in findings(QUOTAS, PLAN, account([], []))} == {Outcome.WARN}


def test_a_quota_that_nobody_can_raise_has_no_command() -> None:
    aws = account([quota(OF_TYPE, 4), quota(OF_ALL, 3, adjustable=False)], [])

    assert "request" not in findings(QUOTAS, PLAN, aws)[0].to_do


@pytest.mark.parametrize(
    ("code", "to_do"),
    [
        (
            "AccessDeniedException",
            "allow servicequotas:ListServiceQuotas, servicequotas:ListAWSDefaultServiceQuotas",
        ),
        ("TooManyRequestsException", "try again"),
    ],
)
def test_an_account_that_does_not_say_is_unknown(code: str, to_do: str) -> None:
    aws = ScriptedAccount({"service-quotas": [("list_aws_default_service_quotas", Refusal(code))]})

    (found,) = findings(QUOTAS, PLAN, aws)
    assert (found.subject, found.outcome, found.to_do) == ("quotas of sagemaker", Outcome.UNKNOWN, to_do)

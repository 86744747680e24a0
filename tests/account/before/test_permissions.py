"""What IAM's simulation says of the rights that a deployment needs."""

from typing import Any

import pytest

from sizewell.account.before.permissions import PERMISSIONS
from sizewell.account.check import Place
from sizewell.account.finding import Finding, Outcome
from sizewell.planning.build import build_plan
from tests.account.builders import Call, Refusal, ScriptedAccount, example, findings
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import environment

PLAN = build_plan(environment(), catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0}))
ROLE = "arn:aws:iam::111122223333:role/company/reader"
EXECUTION = "arn:aws:iam::111122223333:role/cdk-hnb659fds-cfn-exec-role-111122223333-us-east-1"
ACTIONS = [
    *("iam:CreateRole", "iam:PassRole", "cloudwatch:PutMetricAlarm", "ssm:PutParameter"),
    *("sagemaker:CreateModel", "sagemaker:CreateEndpointConfig", "sagemaker:CreateEndpoint"),
]


def result(action: str, decision: str = "allowed", **more: Any) -> dict[str, Any]:
    return {"EvalActionName": action, "EvalDecision": decision, **more}


def simulated(*results: dict[str, Any], **asked: Any) -> Call:
    answer: Call = ("simulate_principal_policy", {"EvaluationResults": list(results), "IsTruncated": False})
    return (*answer, asked) if asked else answer


CALLER: Call = (
    "get_role",
    {
        "Role": {
            "Path": "/company/",
            "RoleName": "reader",
            "RoleId": "AROA0123456789ABCDEF",
            "Arn": ROLE,
            "CreateDate": "2026-01-01",
        }
    },
    {"RoleName": "reader"},
)
MAY_ASSUME = simulated(result("sts:AssumeRole"))


def found(*calls: Call) -> list[Finding]:
    return findings(PERMISSIONS, PLAN, ScriptedAccount({"iam": calls}))


def test_the_role_of_a_session_is_asked_for_with_its_path() -> None:
    deploys = "arn:aws:iam::111122223333:role/cdk-hnb659fds-deploy-role-111122223333-us-east-1"
    of_caller = simulated(
        result("sts:AssumeRole"), PolicySourceArn=ROLE, ActionNames=["sts:AssumeRole"], ResourceArns=[deploys]
    )
    of_execution = simulated(
        *map(result, ACTIONS), PolicySourceArn=EXECUTION, ActionNames=ACTIONS, ResourceArns=["*"]
    )

    all_of_it = found(CALLER, of_caller, CALLER, MAY_ASSUME, of_execution)
    assert {finding.outcome for finding in all_of_it} == {Outcome.PASS}
    assert all_of_it[0].says == (
        "policies allow sts:AssumeRole on cdk-hnb659fds-deploy-role-111122223333-us-east-1"
    )


@pytest.mark.parametrize(
    ("denied", "says"),
    [
        ({"decision": "implicitDeny"}, "no policy allows sagemaker:CreateEndpoint"),
        ({"decision": "explicitDeny"}, "a policy denies sagemaker:CreateEndpoint"),
        (
            {"decision": "implicitDeny", "OrganizationsDecisionDetail": {"AllowedByOrganizations": False}},
            "a service control policy of the organization does not allow sagemaker:CreateEndpoint",
        ),
        (
            {
                "decision": "implicitDeny",
                "OrganizationsDecisionDetail": {"AllowedByOrganizations": True},
                "PermissionsBoundaryDecisionDetail": {"AllowedByPermissionsBoundary": False},
            },
            "the permissions boundary does not allow sagemaker:CreateEndpoint",
        ),
    ],
)
def test_what_is_denied_warns_with_who_denies_it(denied: dict[str, Any], says: str) -> None:
    call = simulated(result("iam:CreateRole"), result("sagemaker:CreateEndpoint", **denied))

    finding = found(CALLER, MAY_ASSUME, CALLER, MAY_ASSUME, call)[-1]
    assert (finding.outcome, finding.says) == (Outcome.WARN, says)


def test_without_a_bootstrap_there_is_no_such_role() -> None:
    missing: Call = ("simulate_principal_policy", Refusal("NoSuchEntity"))

    finding = found(CALLER, MAY_ASSUME, CALLER, MAY_ASSUME, missing)[-1]
    assert (finding.outcome, finding.says) == (Outcome.WARN, "there is no such role")


def test_the_root_user_is_not_simulated() -> None:
    aws = ScriptedAccount({"iam": [simulated(result("iam:CreateRole"))]})
    aws.caller_arn = "arn:aws:iam::111122223333:root"

    assert {finding.outcome for finding in findings(PERMISSIONS, PLAN, aws)} == {Outcome.PASS}


def test_a_caller_without_the_right_to_simulate_is_unknown() -> None:
    denied: Call = ("simulate_principal_policy", Refusal("AccessDenied"))

    assert {finding.outcome for finding in found(CALLER, denied, CALLER, denied, denied)} == {Outcome.UNKNOWN}


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("notebook", "sagemaker:CreateNotebookInstance"),
        ("lambda-function", "lambda:CreateFunction"),
        ("ecs-service", "ecs:CreateService"),
        ("batch-job", "states:CreateStateMachine"),
        ("serverless-endpoint", "sagemaker:CreateEndpoint"),
    ],
)
def test_each_kind_needs_the_actions_that_make_it(name: str, action: str) -> None:
    plan = example(name)
    (*_, subject) = PERMISSIONS.subjects(Place(plan, plan.foundation, ScriptedAccount({})))
    assert action in subject.actions


def test_a_place_that_is_read_in_its_lookup_role_says_nothing_of_the_caller() -> None:
    aws = ScriptedAccount({"iam": [simulated(result("iam:CreateRole"))]})
    aws.caller_arn = "arn:aws:sts::111122223333:assumed-role/cdk-hnb659fds-lookup-role-111122223333-us-east-1/sizewell-deploy"

    (finding,) = findings(PERMISSIONS, PLAN, aws)
    assert finding.subject == EXECUTION.rpartition("/")[2]

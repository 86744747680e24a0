"""What cdk bootstrap made."""

import json
from pathlib import Path

import pytest

from sizewell.account.before.bootstrap import BOOTSTRAP, LEAST_VERSION
from sizewell.account.bootstrap_names import BootstrapNames, qualifier_of_app
from sizewell.account.finding import Outcome
from sizewell.planning.build import build_plan
from tests.account.builders import Refusal, ScriptedAccount, findings
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import environment
from tests.synthesis import synthesize

CATALOG = catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0})
PLAN = build_plan(environment(), CATALOG)
QUALIFIED = build_plan(environment(bootstrap={"qualifier": "company1"}), CATALOG)


@pytest.mark.parametrize(
    ("version", "outcome"), [("5", Outcome.FAIL), ("6", Outcome.PASS), ("31", Outcome.PASS)]
)
def test_a_bootstrap_is_as_new_as_templates_need(version: str, outcome: Outcome) -> None:
    asked = {"Name": "/cdk-bootstrap/hnb659fds/version"}
    aws = ScriptedAccount({"ssm": [("get_parameter", {"Parameter": {"Value": version}}, asked)]})

    (finding,) = findings(BOOTSTRAP, PLAN, aws)
    assert finding.outcome is outcome


def test_an_account_that_is_not_bootstrapped_says_by_which_command() -> None:
    asked = {"Name": "/cdk-bootstrap/company1/version"}
    aws = ScriptedAccount({"ssm": [("get_parameter", Refusal("ParameterNotFound"), asked)]})

    (finding,) = findings(BOOTSTRAP, QUALIFIED, aws)
    assert (finding.outcome, finding.to_do) == (
        Outcome.FAIL,
        "cdk bootstrap aws://111122223333/us-east-1 --qualifier company1",
    )


def test_names_are_those_of_cdk_and_what_is_stated_comes_before_them() -> None:
    names = BootstrapNames(PLAN.foundation)
    assert names.deploy_role_arn == (
        "arn:aws:iam::111122223333:role/cdk-hnb659fds-deploy-role-111122223333-us-east-1"
    )
    arn = "arn:${AWS::Partition}:iam::111122223333:role/company/deploys"
    stated = build_plan(
        environment(bootstrap={"deploy_role_arn": arn.replace("${AWS::Partition}", "aws")}), CATALOG
    )
    assert (
        BootstrapNames(stated.foundation).deploy_role_arn == "arn:aws:iam::111122223333:role/company/deploys"
    )
    assert BootstrapNames(QUALIFIED.foundation, "ofcdkjson").qualifier == "company1"
    assert BootstrapNames(PLAN.foundation, "ofcdkjson").qualifier == "ofcdkjson"


@pytest.mark.parametrize(
    ("text", "qualifier"),
    [
        ('{"context": {"@aws-cdk/core:bootstrapQualifier": "company2"}}', "company2"),
        ('{"context": {}}', "hnb659fds"),
        ("[]", "hnb659fds"),
        ("no JSON", "hnb659fds"),
    ],
)
def test_the_qualifier_of_an_app_is_in_its_cdk_json(text: str, qualifier: str, tmp_path: Path) -> None:
    file = tmp_path / "cdk.json"
    assert qualifier_of_app(file) == "hnb659fds"
    file.write_text(text, "utf-8")
    assert qualifier_of_app(file) == qualifier


def test_templates_need_this_version_and_these_names(tmp_path: Path) -> None:
    synthesize("dev", tmp_path / "cdk.out")
    manifest = json.loads((tmp_path / "cdk.out" / "manifest.json").read_text("utf-8"))
    names = BootstrapNames(PLAN.foundation)
    stacks = [
        artifact["properties"]
        for artifact in manifest["artifacts"].values()
        if artifact["type"] == "aws:cloudformation:stack"
    ]
    assert {stack["requiresBootstrapStackVersion"] for stack in stacks} == {LEAST_VERSION}
    assert {stack["bootstrapStackVersionSsmParameter"] for stack in stacks} == {names.version_parameter}

    def in_full(key: str) -> set[str]:
        return {stack[key].replace("${AWS::Partition}", "aws") for stack in stacks}

    assert in_full("assumeRoleArn") == {names.deploy_role_arn}
    assert in_full("cloudFormationExecutionRoleArn") == {names.execution_role_arn}
    assert {stack["lookupRole"]["arn"].replace("${AWS::Partition}", "aws") for stack in stacks} == {
        names.lookup_role_arn
    }

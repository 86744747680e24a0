"""The stacks of a plan, as CloudFormation describes them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sizewell.account.after.stacks import check_of
from sizewell.account.after.synthesized import synthesized_in
from sizewell.account.check import Check
from sizewell.account.finding import Finding, Outcome
from sizewell.planning import plan_to_json
from sizewell.planning.plan import DeploymentPlan
from tests.account.after.deployed import DEPLOYED_PLAN, NOT_THERE, STACK, described, stack_of, template
from tests.account.builders import Refusal, ScriptedAccount, findings

TOPIC = {"Topic": ("AWS::SNS::Topic", "arn:aws:sns:us-east-1:111122223333:t", {"TopicName": "Größe"})}


def nothing(_plan: DeploymentPlan) -> Mapping[str, Mapping[str, Any]]:
    return {}


def check(name: str, resources: Any) -> Check:
    return check_of(lambda _plan: {name: template(resources)})


def found(of: Check, *answers: tuple[str, Any]) -> list[Finding]:
    """Return what is found of the stack of the workload; the foundation is there."""
    given = [("describe_stacks", described("demo-dev-foundation")), *answers]
    return findings(of, DEPLOYED_PLAN, ScriptedAccount({"cloudformation": given}))[1:]


def test_a_stack_with_the_template_of_the_last_synth_passes() -> None:
    (finding,) = found(check(STACK, TOPIC), *stack_of(TOPIC)[:2])

    assert (finding.subject, finding.outcome) == (STACK, Outcome.PASS)
    assert finding.says == "UPDATE_COMPLETE, with the template of cdk.out"


def test_signs_that_cloudformation_does_not_give_back_are_no_difference() -> None:
    (answer,) = stack_of({"Topic": (*TOPIC["Topic"][:2], {"TopicName": "Gr??e"})})[1:2]

    (finding,) = found(check(STACK, TOPIC), ("describe_stacks", described()), answer)
    assert finding.outcome is Outcome.PASS


def test_another_template_is_not_what_was_planned() -> None:
    other = {"Topic": (*TOPIC["Topic"][:2], {"TopicName": "other"})}

    (finding,) = found(check(STACK, other), *stack_of(TOPIC)[:2])
    assert finding.outcome is Outcome.FAIL
    assert finding.to_do == f"make synth ENV=dev, if that is old; else sizewell deploy --env dev {STACK}"


@pytest.mark.parametrize(
    ("status", "outcome", "says"),
    [
        ("UPDATE_ROLLBACK_COMPLETE", Outcome.FAIL, "what runs is the version before it"),
        ("ROLLBACK_COMPLETE", Outcome.FAIL, "ROLLBACK_COMPLETE: no capacity"),
        ("UPDATE_IN_PROGRESS", Outcome.WARN, "what runs is about to change"),
        ("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", Outcome.PASS, "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"),
    ],
)
def test_a_status_says_whether_the_last_deployment_succeeded(
    status: str, outcome: Outcome, says: str
) -> None:
    answer = ("describe_stacks", described(status=status, StackStatusReason="no capacity"))

    (finding,) = found(check_of(nothing), answer)
    assert finding.outcome is outcome
    assert says in finding.says


def test_a_rollback_to_what_is_planned_is_told_and_is_no_fault() -> None:
    described_by = stack_of(TOPIC, status="UPDATE_ROLLBACK_COMPLETE")[:2]

    (finding,) = found(check(STACK, TOPIC), *described_by)
    assert finding.outcome is Outcome.WARN
    assert "the template is that of cdk.out" in finding.says


def test_a_stack_that_is_missing_fails() -> None:
    (finding,) = found(check_of(nothing), ("describe_stacks", NOT_THERE))

    assert (finding.outcome, finding.says) == (Outcome.FAIL, "there is no such stack")


def test_drift_that_somebody_has_detected_is_told_and_one_that_nobody_looked_for_is_not() -> None:
    drifted, unknown = (
        found(
            check_of(nothing), ("describe_stacks", described(DriftInformation={"StackDriftStatus": status}))
        )
        for status in ("DRIFTED", "NOT_CHECKED")
    )

    assert [finding.outcome for finding in drifted] == [Outcome.PASS, Outcome.WARN]
    assert [finding.outcome for finding in unknown] == [Outcome.PASS]


def test_a_refusal_says_what_to_allow() -> None:
    (finding,) = found(check_of(nothing), ("describe_stacks", Refusal("AccessDenied")))

    assert finding.outcome is Outcome.UNKNOWN
    assert "cloudformation:DescribeStacks" in finding.to_do


def test_only_an_output_of_the_same_plan_has_something_to_say(tmp_path: Path) -> None:
    artifact = {
        "type": "aws:cloudformation:stack",
        "environment": "aws://111122223333/us-east-1",
        "properties": {"templateFile": "one.json", "stackName": STACK},
    }
    (tmp_path / "manifest.json").write_text(json.dumps({"artifacts": {"one": artifact}}))
    (tmp_path / "one.json").write_text(json.dumps(template(TOPIC)))
    (tmp_path / "plan.json").write_text(plan_to_json(DEPLOYED_PLAN))
    assert synthesized_in(tmp_path)(DEPLOYED_PLAN) == {STACK: template(TOPIC)}

    (tmp_path / "plan.json").write_text("{}")
    assert synthesized_in(tmp_path)(DEPLOYED_PLAN) == {}
    assert synthesized_in(tmp_path / "nowhere")(DEPLOYED_PLAN) == {}

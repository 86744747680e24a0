from typing import Any

import pytest

from tests.review.builders import resource, template
from tests.review.hazards.apps import described, hazards, text


def app(resources: int = 1, **sections: Any) -> dict[str, Any]:
    topics = {f"T{index:03}": resource("AWS::SNS::Topic") for index in range(resources)}
    return {**template(**topics), **sections}


def parameters(number: int) -> dict[str, Any]:
    return app(Parameters={f"P{index}": {"Type": "String"} for index in range(number)})


def outputs(number: int) -> dict[str, Any]:
    return app(Outputs={f"O{index}": {"Value": "x"} for index in range(number)})


def padded(length: int) -> dict[str, Any]:
    return app(Description="x" * length)


def test_a_stack_crosses_four_fifths() -> None:
    assert described(hazards(app(400), app(401))) == text("""
        warning stack-near-limits, dev/app-stack/-: stack app-stack
        resources 400 → 401 of 500
        The stack is near the quota. CloudFormation may refuse one of the next changes as a whole.
        Split the stack by workload, or move a part of it into a nested stack, before the next change needs the
            room.
        """)


def test_a_stack_crosses_its_limit() -> None:
    assert described(hazards(app(450), app(501))) == text("""
        danger stack-near-limits, dev/app-stack/-: stack app-stack
        resources 450 → 501 of 500
        CloudFormation refuses the template, and deploys nothing of the stack.
        Split the stack by workload, or move a part of it into a nested stack, before the next change needs the
            room.
        """)


@pytest.mark.parametrize(
    ("base", "head", "cause"),
    [
        (parameters(160), parameters(161), "parameters 160 → 161 of 200"),
        (outputs(160), outputs(161), "outputs 160 → 161 of 200"),
        (padded(1), padded(900_000), "bytes of template body 90 → 900,089 of 1,000,000"),
    ],
)
def test_other_limits(base: dict[str, Any], head: dict[str, Any], cause: str) -> None:
    assert [(hazard.rule, hazard.cause) for hazard in hazards(base, head)] == [("stack-near-limits", cause)]


@pytest.mark.parametrize(
    ("base", "head"), [(app(399), app(400)), (app(401), app(450)), (app(501), app(502)), (None, app(450))]
)
def test_what_the_change_does_not_cross(base: dict[str, Any] | None, head: dict[str, Any]) -> None:
    assert hazards(base, head) == ()


def test_a_new_stack_over_its_limit_fails_all_the_same() -> None:
    assert [hazard.severity for hazard in hazards(None, app(501))] == ["danger"]


def policy(actions: int) -> dict[str, Any]:
    statement = {
        "Effect": "Allow",
        "Action": [f"s3:A{index:06}" for index in range(actions)],
        "Resource": "*",
    }
    document = {"Version": "2012-10-17", "Statement": [statement]}
    return template(Policy=resource("AWS::IAM::ManagedPolicy", {"PolicyDocument": document}))


def test_a_policy_near_its_limit() -> None:
    assert described(hazards(policy(300), policy(400))) == text("""
        warning policy-near-limit, dev/app-stack/Policy: policy Policy
        characters 3,985 → 5,285 of 6,144
        The policy is near the quota. Names that are known only at deployment count as they are in the template.
        Split the policy into two, or name resources by a common prefix.
        """)
    assert [hazard.severity for hazard in hazards(policy(400), policy(500))] == ["danger"]
    assert hazards(policy(400), policy(410)) == ()
    assert hazards(None, policy(400)) == ()

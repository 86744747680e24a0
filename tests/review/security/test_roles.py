"""As whom a function or a job acts."""

from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.review.security import compare_security
from tests.review.builders import pair, resource, template

Json = Mapping[str, Any]


def role(*actions: str) -> dict[str, Any]:
    statement = {"Effect": "Allow", "Action": list(actions), "Resource": "*"}
    policies = [{"PolicyName": "p", "PolicyDocument": {"Statement": [statement]}}]
    return resource("AWS::IAM::Role", {"Policies": policies})


ROLES = {"Little": role("s3:Get*"), "Same": role("s3:Get*"), "Much": role("s3:*"), "Other": role("sqs:*")}


def arn(name: str) -> Any:
    return {"Fn::GetAtt": [name, "Arn"]} if name in ROLES else name


def function(name: str) -> dict[str, Any]:
    return template(**ROLES, User=resource("AWS::Lambda::Function", {"Role": arn(name)}))


def directions(base: Json, head: Json) -> list[tuple[str, str]]:
    return [(c.rule, c.direction) for c in compare_security(pair(base, head)).others]


@pytest.mark.parametrize(
    ("base", "head", "direction"),
    [
        ("Little", "Much", "weaker"),
        ("Much", "Little", "stronger"),
        ("Little", "Other", "weaker"),
        ("Little", "arn:aws:iam::111122223333:role/unknown", "weaker"),
        ("arn:aws:iam::111122223333:role/unknown", "Little", "weaker"),
    ],
)
def test_another_role_is_compared_by_what_it_may(base: str, head: str, direction: str) -> None:
    assert directions(function(base), function(head)) == [("role-exchanged", direction)]


def test_another_role_that_may_the_same_is_no_change() -> None:
    assert directions(function("Little"), function("Same")) == []
    assert directions(function("Little"), function("Little")) == []


def test_a_new_function_is_silent() -> None:
    assert directions(template(**ROLES), function("Much")) == []


@pytest.mark.parametrize(
    ("kind", "properties"),
    [
        ("AWS::IAM::InstanceProfile", lambda name: {"Roles": [{"Ref": name}]}),
        ("AWS::ECS::TaskDefinition", lambda name: {"TaskRoleArn": arn(name)}),
        ("AWS::SageMaker::Model", lambda name: {"ExecutionRoleArn": arn(name)}),
        ("AWS::SageMaker::Domain", lambda name: {"DefaultUserSettings": {"ExecutionRole": arn(name)}}),
        ("AWS::SageMaker::TrainingJob", lambda name: {"RoleArn": arn(name)}),
        ("AWS::StepFunctions::StateMachine", lambda name: {"RoleArn": arn(name)}),
    ],
)
def test_whatever_acts_as_a_role_is_looked_at(kind: str, properties: Any) -> None:
    def app(name: str) -> dict[str, Any]:
        return template(**ROLES, User=resource(kind, properties(name)))

    assert ("role-exchanged", "weaker") in directions(app("Little"), app("Much"))

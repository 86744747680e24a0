"""Permissions that a condition of the template decides about."""

from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.review.security import compare_security
from sizewell.templates.alternatives import alternatives, may_be_missing
from tests.review.builders import pair, resource, template

Json = Mapping[str, Any]
NO_VALUE = {"Ref": "AWS::NoValue"}
B = "arn:aws:iam::aws:policy/PowerUserAccess"


def allow(action: Any = "s3:*", **rest: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": "*", **rest}


DENY = {"Effect": "Deny", "Action": "s3:DeleteBucket", "Resource": "*"}


def when(name: str, yes: Any, no: Any = NO_VALUE) -> dict[str, Any]:
    return {"Fn::If": [name, yes, no]}


def roles(*statements: Json, **properties: Any) -> dict[str, Any]:
    document = {"Version": "2012-10-17", "Statement": list(statements)}
    policies = [{"PolicyName": "p", "PolicyDocument": document}]
    return template(Role=resource("AWS::IAM::Role", {"Policies": policies, **properties}))


def directions(base: Json, head: Json) -> list[str]:
    return [change.direction for change in compare_security(pair(base, head)).iam]


#: The one that allows less comes first.
NARROWER = [
    (roles(allow(), DENY), roles(allow(), when("C", DENY))),
    (roles(allow(), when("C", DENY)), roles(allow())),
    (roles(allow(), PermissionsBoundary=B), roles(allow(), PermissionsBoundary=when("C", B))),
    (roles(allow(), PermissionsBoundary=when("C", B)), roles(allow())),
    (roles(when("C", allow())), roles(allow())),
    (roles(), roles(when("C", allow()))),
    (roles(), roles(when("C", NO_VALUE, allow()))),
    (roles(allow(when("C", "s3:A", "s3:B"))), roles(allow(["s3:A", "s3:B"]))),
    (roles(allow(Resource=when("C", "a", "b"))), roles(allow(Resource=["a", "b"]))),
    (roles(ManagedPolicyArns=when("C", [B], [])), roles(ManagedPolicyArns=[B])),
    (
        roles(allow(Condition={"StringEquals": {"x": when("C", "a", "b")}})),
        roles(allow(Condition={"StringEquals": {"x": ["a", "b"]}})),
    ),
    (
        roles(allow(Condition={"StringEquals": {"x": "a"}})),
        roles(allow(Condition={"StringEquals": {"x": when("C", "a")}})),
    ),
    (roles(when("C", when("D", allow()))), roles(when("D", allow()))),
]


@pytest.mark.parametrize(("narrow", "wide"), NARROWER)
def test_what_is_decided_at_deployment_is_less_than_always_and_more_than_never(
    narrow: Json, wide: Json
) -> None:
    assert directions(narrow, wide) == ["broadened"]
    assert directions(wide, narrow) == ["narrowed"]


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (roles(allow("s3:A")), roles(when("C", allow("s3:A"), allow("s3:A")))),
        (roles(allow("s3:A")), roles(when("C", allow("s3:A")), when("C", NO_VALUE, allow("s3:A")))),
        (
            roles(when("C", allow(["s3:A", "s3:B"]), allow("s3:A"))),
            roles(allow("s3:A"), when("C", allow("s3:B"))),
        ),
        (roles(when("C", when("C", allow("s3:A"), DENY))), roles(when("C", allow("s3:A")))),
        (roles(when("C", [allow("s3:A"), DENY])), roles(when("C", allow("s3:A")), when("C", DENY))),
    ],
)
def test_another_spelling_is_no_change(base: Json, head: Json) -> None:
    assert directions(base, head) == []
    assert directions(head, base) == []


@pytest.mark.parametrize("other", [when("D", allow()), when("C", NO_VALUE, allow())])
def test_another_condition_is_another_permission(other: Json) -> None:
    assert directions(roles(when("C", allow())), roles(other)) == ["broadened", "narrowed"]


def test_the_condition_is_shown() -> None:
    (change,) = compare_security(
        pair(roles(), roles(when("C", NO_VALUE, allow(Condition={"Bool": {"x": "true"}}))))
    ).iam
    assert [grant.condition for grant in change.grants] == ["Bool x: true and unless C"]


def test_a_condition_that_is_as_before_is_no_change() -> None:
    same = roles(allow(), when("C", DENY), PermissionsBoundary=when("C", B))
    assert directions(same, {**same, "Description": "new"}) == []


def test_a_statement_that_nobody_can_read_may_allow_or_deny() -> None:
    def included(location: str) -> dict[str, Any]:
        return roles(
            allow(), {"Fn::Transform": {"Name": "AWS::Include", "Parameters": {"Location": location}}}
        )

    assert directions(included("a"), included("b")) == ["broadened", "narrowed"]
    assert directions(included("a"), roles(allow())) == ["broadened", "narrowed"]
    assert directions(included("a"), {**included("a"), "Description": "new"}) == []


def test_too_many_conditions_are_one_statement_that_nobody_can_read() -> None:
    many = allow([when(f"C{i}", f"s3:A{i}") for i in range(20)])
    assert directions(roles(), roles(many)) == ["broadened", "narrowed"]
    assert directions(roles(many), {**roles(many), "Description": "new"}) == []


def test_tls_that_is_enforced_sometimes_is_not_enforced() -> None:
    def bucket(statement: Json) -> dict[str, Any]:
        return template(
            Bucket=resource("AWS::S3::Bucket"),
            P=resource(
                "AWS::S3::BucketPolicy",
                {"Bucket": {"Ref": "Bucket"}, "PolicyDocument": {"Statement": [statement]}},
            ),
        )

    tls = {
        "Effect": "Deny",
        "Action": "s3:*",
        "Resource": "*",
        "Principal": "*",
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    security = compare_security(pair(bucket(tls), bucket(when("C", tls))))
    assert [(c.rule, c.direction) for c in security.others] == [("tls-enforcement-lost", "weaker")]


def test_a_policy_whose_resource_is_made_sometimes() -> None:
    def app(**attributes: Any) -> dict[str, Any]:
        policy = {"Bucket": {"Ref": "Bucket"}, "PolicyDocument": {"Statement": [{**DENY, "Principal": "*"}]}}
        return template(
            Bucket=resource("AWS::S3::Bucket"), P=resource("AWS::S3::BucketPolicy", policy, **attributes)
        )

    assert directions(app(), app(Condition="C")) == ["broadened"]
    assert directions(app(Condition="C"), app()) == ["narrowed"]


def test_a_permission_of_a_function_for_one_principal_or_another() -> None:
    def app(principal: Any) -> dict[str, Any]:
        return template(
            P=resource(
                "AWS::Lambda::Permission",
                {"FunctionName": "f", "Action": "lambda:InvokeFunction", "Principal": principal},
            )
        )

    head = app(when("C", "sns.amazonaws.com", "*"))
    assert directions(app("*"), head) == ["broadened", "narrowed"]
    assert directions(head, {**head, "Description": "new"}) == []


@pytest.mark.parametrize(
    "missing", [{"Fn::If": ["C", "a"]}, {"Fn::If": ["C", "a", NO_VALUE]}, {"Fn::If": ["C", "a", None]}]
)
def test_a_branch_that_leaves_nothing_is_known_in_each_spelling(missing: Json) -> None:
    assert list(alternatives(missing)) == ["a"]
    assert may_be_missing(missing)

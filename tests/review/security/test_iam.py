from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.review.model import Grant, IamChange
from sizewell.review.security import compare_security
from tests.review.builders import pair, resource, template

Json = Mapping[str, Any]


def statement(
    action: Any = "s3:GetObject", resource_: Any = "arn:aws:s3:::b/*", effect: str = "Allow", **rest: Any
) -> dict[str, Any]:
    return {"Effect": effect, "Action": action, "Resource": resource_, **rest}


def document(*statements: Json) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": list(statements)}


TRUST = document(
    {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}
)


def role(*statements: Json, **properties: Any) -> dict[str, Any]:
    policies = (
        {"Policies": [{"PolicyName": "p", "PolicyDocument": document(*statements)}]} if statements else {}
    )
    return resource("AWS::IAM::Role", {"AssumeRolePolicyDocument": TRUST, **policies, **properties})


def roles(*statements: Json, **properties: Any) -> dict[str, Any]:
    return template(Role=role(*statements, **properties))


def compared(base: Json, head: Json) -> tuple[IamChange, ...]:
    return compare_security(pair(base, head)).iam


def directions(base: Json, head: Json) -> list[str]:
    return [change.direction for change in compared(base, head)]


def with_policy(kind: str, *statements: Json) -> dict[str, Any]:
    """The same statements in another place: ``kind`` says where."""
    attached = {"PolicyDocument": document(*statements)}
    if kind == "inline":
        return roles(*statements)
    if kind == "policy":
        return template(Role=role(), P=resource("AWS::IAM::Policy", {**attached, "Roles": [{"Ref": "Role"}]}))
    if kind == "role policy":
        return template(
            Role=role(), P=resource("AWS::IAM::RolePolicy", {**attached, "RoleName": {"Ref": "Role"}})
        )
    if kind == "managed, attached by the policy":
        return template(
            Role=role(), P=resource("AWS::IAM::ManagedPolicy", {**attached, "Roles": [{"Ref": "Role"}]})
        )
    return template(
        Role=role(ManagedPolicyArns=[{"Ref": "P"}]), P=resource("AWS::IAM::ManagedPolicy", attached)
    )


KINDS = (
    "inline",
    "policy",
    "role policy",
    "managed, attached by the policy",
    "managed, attached by the role",
)


@pytest.mark.parametrize("base", KINDS)
@pytest.mark.parametrize("head", KINDS)
def test_it_does_not_matter_where_a_role_has_its_permissions(base: str, head: str) -> None:
    security = compare_security(pair(with_policy(base, statement()), with_policy(head, statement())))
    assert security.iam == ()
    if base != head:
        assert security.unchanged_grant_count == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_action_is_broadened_wherever_it_stands(kind: str) -> None:
    base = with_policy(kind, statement())
    head = with_policy(kind, statement(["s3:GetObject", "s3:PutObject"]))
    expected = Grant(effect="Allow", principal="Role", action="s3:PutObject", resource="arn:aws:s3:::b/*")
    assert compared(base, head) == (
        IamChange(
            direction="broadened", environment="dev", stack="app-stack", policy="Role", grants=(expected,)
        ),
    )


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ([statement(["s3:A", "s3:B"])], [statement(["s3:B", "s3:A"])]),
        ([statement(["s3:A", "s3:B"])], [statement("s3:A"), statement("s3:B")]),
        ([statement("s3:A"), statement("s3:B")], [statement("s3:B"), statement("s3:A")]),
        ([statement("s3:A", Sid="one")], [statement("s3:a", Sid="two")]),
        ([statement(["s3:*", "s3:A"])], [statement("s3:*")]),
        (
            [statement(resource_={"Fn::GetAtt": ["B", "Arn"]})],
            [statement(resource_={"Fn::Sub": "${B.Arn}"})],
        ),
        ([statement("*", "*")], [statement("*:*", "*")]),
        (
            [statement(Condition={"StringEquals": {"aws:SourceAccount": "1"}})],
            [statement(Condition={"StringEquals": {"aws:sourceaccount": ["1"]}})],
        ),
    ],
)
def test_another_spelling_is_no_change(base: list[Json], head: list[Json]) -> None:
    assert compared(roles(*base), roles(*head)) == ()


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ([statement("s3:GetObject")], [statement("s3:Get*")]),
        ([statement(resource_="arn:aws:s3:::b/x")], [statement(resource_="*")]),
        ([statement(resource_="${B.Arn}/x")], [statement(resource_="${B.Arn}/*")]),
        ([statement(Condition={"Bool": {"aws:SecureTransport": "true"}})], [statement()]),
        ([statement(), statement("s3:*", "*", "Deny")], [statement()]),
        ([statement(), statement("s3:*", "*", "Deny")], [statement(), statement("s3:Get*", "*", "Deny")]),
        (
            [{"Effect": "Allow", "NotAction": ["iam:*", "s3:*"], "Resource": "*"}],
            [{"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}],
        ),
        ([statement("s3:Get*", "*")], [{"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}]),
        ([{"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}], [statement("*", "*")]),
        ([], [statement()]),
    ],
)
def test_a_wider_statement_is_broadened_only_and_a_narrower_one_narrowed_only(
    narrow: list[Json], wide: list[Json]
) -> None:
    assert directions(roles(*narrow), roles(*wide)) == ["broadened"]
    assert directions(roles(*wide), roles(*narrow)) == ["narrowed"]


def test_what_is_neither_wider_nor_narrower_is_both() -> None:
    assert directions(roles(statement("s3:A")), roles(statement("s3:B"))) == ["broadened", "narrowed"]


def test_another_role_does_not_cover() -> None:
    base = template(One=role(statement("*", "*")), Two=role())
    head = template(One=role(statement("*", "*")), Two=role(statement()))
    assert [(c.direction, c.policy) for c in compared(base, head)] == [("broadened", "Two")]


def test_both_branches_of_a_choice_count() -> None:
    choice = {"Fn::If": ["Prod", statement("s3:A"), statement("s3:B")]}
    assert directions(roles(statement("s3:A")), roles(choice)) == ["broadened", "narrowed"]
    assert directions(roles(choice), roles(statement("s3:A"), statement("s3:B"))) == ["broadened"]
    maybe = {"Fn::If": ["Prod", statement("s3:B"), {"Ref": "AWS::NoValue"}]}
    assert directions(roles(statement("s3:A")), roles(statement("s3:A"), maybe)) == ["broadened"]


def test_a_condition_that_may_be_missing_is_no_condition() -> None:
    limited = {"Bool": {"aws:SecureTransport": "true"}}
    maybe = {"Fn::If": ["Prod", limited, {"Ref": "AWS::NoValue"}]}
    assert directions(roles(statement(Condition=limited)), roles(statement(Condition=maybe))) == ["broadened"]


def test_a_policy_of_aws_is_known_by_its_name() -> None:
    arn = "arn:aws:iam::aws:policy/AmazonS3FullAccess"
    (change,) = compared(roles(), roles(ManagedPolicyArns=[arn]))
    assert change.direction == "broadened"
    assert [grant.action for grant in change.grants] == [f"everything of {arn}"]


def test_an_administrator_may_do_everything() -> None:
    base = roles(ManagedPolicyArns=["arn:aws:iam::aws:policy/AdministratorAccess"])
    assert directions(base, roles(statement())) == ["narrowed"]


@pytest.mark.parametrize(
    "unknown",
    [
        {"ManagedPolicyArns": ["arn:aws:iam::aws:policy/IAMFullAccess"]},
        {
            "Policies": [
                {"PolicyName": "q", "PolicyDocument": document(statement({"Fn::ImportValue": "x"}, "*"))}
            ]
        },
    ],
)
def test_everything_but_some_actions_covers_nothing_that_is_unknown(unknown: Json) -> None:
    most = {
        "PolicyName": "p",
        "PolicyDocument": document({"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}),
    }
    policies = {"Policies": [most]}
    head = {**unknown, "Policies": [most, *unknown.get("Policies", [])]}
    assert directions(roles(**policies), roles(**head)) == ["broadened"]


def test_a_denial_of_everything_but_some_actions_covers_no_boundary() -> None:
    denial = {"Effect": "Deny", "NotAction": "iam:*", "Resource": "*"}
    boundary = "arn:aws:iam::111122223333:policy/B"
    assert directions(roles(denial, PermissionsBoundary=boundary), roles(denial)) == ["broadened"]


def test_without_its_boundary_a_role_may_more() -> None:
    base = roles(statement(), PermissionsBoundary="arn:aws:iam::aws:policy/AdministratorAccess")
    (change,) = compared(base, roles(statement()))
    assert (change.direction, change.grants[0].effect) == ("broadened", "Deny")
    assert directions(roles(statement()), base) == ["narrowed"]


def test_a_new_role_is_one_change_with_all_it_may() -> None:
    (change,) = compared(template(), roles(statement(), statement("*", "*", "Deny")))
    assert change.direction == "broadened"
    assert [(g.principal, g.action) for g in change.grants] == [
        ("Role", "s3:GetObject"),
        ("lambda.amazonaws.com", "sts:AssumeRole"),
    ]


def test_a_role_of_the_same_construct_under_another_logical_id_is_no_change() -> None:
    def app(logical_id: str, *statements: Json, path: str = "app/Role") -> dict[str, Any]:
        body = role(*statements)
        return template(**{logical_id: {**body, "Metadata": {"aws:cdk:path": path}}})

    same, more = statement("s3:GetObject", "a"), statement("s3:PutObject", "a")
    assert compared(app("Old", same), app("New", same)) == ()
    assert compared(app("Old", same), app("New", same, more)) != ()
    assert compared(app("Old", same), app("New", same, path="app/Other")) != ()


def test_a_removed_role_is_narrowed() -> None:
    assert directions(roles(statement(), statement("*", "*", "Deny")), template()) == ["narrowed"]


def test_whoever_may_assume_a_role_belongs_to_it() -> None:
    trust = document(
        {
            "Effect": "Allow",
            "Action": "sts:AssumeRole",
            "Principal": {"Service": ["lambda.amazonaws.com", "ec2.amazonaws.com"]},
        }
    )
    (change,) = compared(roles(), roles(AssumeRolePolicyDocument=trust))
    assert change.grants == (
        Grant(effect="Allow", principal="ec2.amazonaws.com", action="sts:AssumeRole", resource="Role"),
    )


def test_what_nobody_can_read_is_a_change_and_never_a_crash() -> None:
    opaque = {"Fn::ImportValue": "policy"}
    odd = roles(Policies=[{"PolicyName": "p", "PolicyDocument": opaque}], ManagedPolicyArns=opaque)
    assert directions(roles(), odd) == ["broadened"]
    assert directions(odd, odd) == []


def test_stacks_that_are_the_same_are_not_counted() -> None:
    assert compare_security(pair(roles(statement()), roles(statement()))).unchanged_grant_count == 0


def test_roles_of_a_nested_stack_are_not_one() -> None:
    def policies(*outputs: str) -> dict[str, Any]:
        owned = {
            f"Policy{output}": resource(
                "AWS::IAM::Policy",
                {
                    "PolicyDocument": document(statement(resource_=f"arn:aws:s3:::{output}/*")),
                    "Roles": [{"Fn::GetAtt": ["Nested", f"Outputs.{output}"]}],
                },
            )
            for output in outputs
        }
        return template(Nested=resource("AWS::CloudFormation::Stack"), **owned)

    (change,) = compared(policies("Read"), policies("Read", "Write"))
    assert change.policy == "${Nested.Outputs.Write}"

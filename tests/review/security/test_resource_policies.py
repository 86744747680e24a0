from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.review.model import IamChange, SecurityChange
from sizewell.review.security import compare_security
from tests.review.builders import ACCOUNT, pair, resource, template

Json = Mapping[str, Any]
OTHER_ACCOUNT = "999988887777"


def allow(principal: Any, action: str = "s3:GetObject", **rest: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": "*", "Principal": principal, **rest}


TLS = {
    "Effect": "Deny",
    "Action": "s3:*",
    "Resource": "*",
    "Principal": "*",
    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
}


def document(*statements: Json) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": list(statements)}


def bucket(*statements: Json) -> dict[str, Any]:
    policy = {"Bucket": {"Ref": "Bucket"}, "PolicyDocument": document(*statements)}
    return template(
        Bucket=resource("AWS::S3::Bucket"),
        **({"BucketPolicy": resource("AWS::S3::BucketPolicy", policy)} if statements else {}),
    )


def iam(base: Json, head: Json) -> tuple[IamChange, ...]:
    return compare_security(pair(base, head)).iam


def others(base: Json, head: Json) -> list[tuple[str, str]]:
    return [(c.rule, c.direction) for c in compare_security(pair(base, head)).others]


def only(base: Json, head: Json) -> SecurityChange:
    (change,) = compare_security(pair(base, head)).others
    return change


ME = {"AWS": {"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:root"}}
SERVICE = {"Service": "sns.amazonaws.com"}

HOLDERS = {
    "AWS::SQS::QueuePolicy": {"Queues": [{"Ref": "Target"}]},
    "AWS::SQS::QueueInlinePolicy": {"Queue": {"Ref": "Target"}},
    "AWS::SNS::TopicPolicy": {"Topics": [{"Ref": "Target"}]},
    "AWS::SNS::TopicInlinePolicy": {"TopicArn": {"Ref": "Target"}},
    "AWS::S3::BucketPolicy": {"Bucket": {"Ref": "Target"}},
}


@pytest.mark.parametrize(("kind", "target"), HOLDERS.items())
def test_a_policy_belongs_to_what_it_protects(kind: str, target: Json) -> None:
    def with_(*statements: Json) -> dict[str, Any]:
        return template(
            Target=resource("X::Y::Z"), P=resource(kind, {**target, "PolicyDocument": document(*statements)})
        )

    (change,) = iam(with_(allow(ME)), with_(allow(ME), allow(SERVICE)))
    assert (change.direction, change.policy) == ("broadened", "Target")
    assert [grant.principal for grant in change.grants] == ["sns.amazonaws.com"]


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("AWS::KMS::Key", "KeyPolicy"),
        ("AWS::ECR::Repository", "RepositoryPolicyText"),
        ("AWS::SageMaker::ModelPackageGroup", "ModelPackageGroupPolicy"),
        ("AWS::Any::Thing", "DeepDown"),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_any_property_may_be_a_policy(kind: str, key: str, wrapped: bool) -> None:
    def with_(*statements: Json) -> dict[str, Any]:
        value: Any = document(*statements)
        return template(R=resource(kind, {key: [{"Inner": value}] if wrapped else value}))

    (change,) = iam(with_(allow(ME)), with_(allow(ME), allow(SERVICE)))
    assert (change.direction, change.policy) == ("broadened", "R")


def test_an_account_may_be_written_as_its_root() -> None:
    assert iam(bucket(allow(ME)), bucket(allow({"AWS": ACCOUNT}))) == ()


def permission(**properties: Any) -> dict[str, Any]:
    given = {"FunctionName": {"Ref": "F"}, "Action": "lambda:InvokeFunction", "Principal": "s3.amazonaws.com"}
    return template(
        F=resource("AWS::Lambda::Function"), P=resource("AWS::Lambda::Permission", {**given, **properties})
    )


def test_a_function_is_named_by_reference_or_arn() -> None:
    assert iam(permission(), permission(FunctionName={"Fn::GetAtt": ["F", "Arn"]})) == ()


def test_the_conditions_of_a_permission_narrow_it() -> None:
    limited = permission(SourceAccount=ACCOUNT)
    assert [c.direction for c in iam(limited, permission())] == ["broadened"]
    assert [c.direction for c in iam(permission(), limited)] == ["narrowed"]


def test_a_function_url_without_authorization_is_public() -> None:
    head = permission(Action="lambda:InvokeFunctionUrl", Principal="*", FunctionUrlAuthType="NONE")
    assert ("public-principal", "weaker") in others(template(), head)


def endpoint(policy: Json | None) -> dict[str, Any]:
    return template(E=resource("AWS::EC2::VPCEndpoint", {"PolicyDocument": policy} if policy else {}))


def test_an_endpoint_without_a_policy_lets_everything_pass() -> None:
    limited = document(allow("*", "s3:GetObject"))
    assert [c.direction for c in iam(endpoint(limited), endpoint(None))] == ["broadened"]
    assert [c.direction for c in iam(endpoint(None), endpoint(limited))] == ["narrowed"]
    assert iam(template(), endpoint(None)) == ()


def test_what_passes_an_endpoint_is_not_public() -> None:
    assert others(endpoint(document(allow(ME))), endpoint(document(allow("*")))) == []


def test_everybody_is_called_out() -> None:
    change = only(bucket(allow(ME)), bucket(allow(ME), allow("*")))
    assert (change.rule, change.direction, change.subject) == ("public-principal", "weaker", "Bucket")
    assert (change.base, change.head) == ("none", "s3:GetObject")
    assert others(bucket(allow(ME), allow("*")), bucket(allow(ME))) == [("public-principal", "stronger")]


def test_everybody_of_an_organization_is_not_everybody() -> None:
    confined = allow("*", Condition={"StringEquals": {"aws:PrincipalOrgID": "o-1"}})
    assert others(bucket(allow(ME)), bucket(allow(ME), confined)) == []
    assert others(bucket(confined), bucket(allow("*"))) == [("public-principal", "weaker")]
    for useless in (
        {"StringEqualsIfExists": {"aws:PrincipalOrgID": "o-1"}},
        {"StringLike": {"aws:PrincipalOrgID": "*"}},
        {"StringNotEquals": {"aws:PrincipalOrgID": "o-1"}},
        {"Bool": {"aws:SecureTransport": "true"}},
    ):
        assert ("public-principal", "weaker") in others(
            bucket(allow(ME)), bucket(allow(ME), allow("*", Condition=useless))
        )


@pytest.mark.parametrize("principal", [OTHER_ACCOUNT, f"arn:aws:iam::{OTHER_ACCOUNT}:role/r"])
def test_another_account_is_called_out(principal: str) -> None:
    change = only(bucket(allow(ME)), bucket(allow(ME), allow({"AWS": principal})))
    assert (change.rule, change.direction) == ("foreign-account-trusted", "weaker")
    assert (change.base, change.head) == ("none", OTHER_ACCOUNT)
    assert others(bucket(allow({"AWS": principal})), bucket(allow(ME))) == [
        ("foreign-account-trusted", "stronger")
    ]


def test_the_account_itself_is_not_foreign() -> None:
    assert others(template(), bucket(allow(ME), allow({"AWS": f"arn:aws:iam::{ACCOUNT}:role/r"}))) == []


def test_a_role_that_trusts_another_account() -> None:
    trust = document({"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": OTHER_ACCOUNT}})
    role = template(R=resource("AWS::IAM::Role", {"AssumeRolePolicyDocument": trust}))
    assert others(template(), role) == [("foreign-account-trusted", "weaker")]


def test_tls_is_said_in_words() -> None:
    security = compare_security(pair(bucket(TLS, allow(ME)), bucket(allow(ME))))
    assert [(c.rule, c.direction) for c in security.others] == [("tls-enforcement-lost", "weaker")]
    assert [(c.direction, c.grants[0].effect) for c in security.iam] == [("broadened", "Deny")]
    assert others(bucket(allow(ME)), bucket(TLS, allow(ME))) == [("tls-enforcement-gained", "stronger")]


def test_a_bucket_that_is_gone_needs_no_tls_unless_it_is_retained() -> None:
    assert others(bucket(TLS), template()) == []
    assert iam(bucket(TLS), template()) == ()
    retained = bucket(TLS)
    retained["Resources"]["Bucket"]["DeletionPolicy"] = "Retain"
    assert others(retained, template()) == [("tls-enforcement-lost", "weaker")]


def test_a_new_bucket_with_tls_is_silent() -> None:
    assert others(template(), bucket(TLS)) == []
    assert iam(template(), bucket(TLS)) == ()

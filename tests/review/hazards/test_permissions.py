"""Permissions that are gone, where nothing says why."""

from typing import Any

from tests.review.builders import resource, template
from tests.review.hazards.apps import described, hazards, text

ROLE = resource("AWS::IAM::Role", {"AssumeRolePolicyDocument": {"Statement": []}})
READ = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::models/*"}
LIST = {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": "arn:aws:s3:::models"}


def policy(*statements: dict[str, Any]) -> dict[str, Any]:
    return resource(
        "AWS::IAM::Policy", {"PolicyDocument": {"Statement": list(statements)}, "Roles": [{"Ref": "Role"}]}
    )


def bucket_policy(*statements: dict[str, Any]) -> dict[str, Any]:
    properties = {"PolicyDocument": {"Statement": list(statements)}, "Bucket": {"Ref": "Bucket"}}
    return template(Bucket=resource("AWS::S3::Bucket"), Policy=resource("AWS::S3::BucketPolicy", properties))


def role(*statements: dict[str, Any], **others: Any) -> dict[str, Any]:
    return template(Role=ROLE, Policy=policy(*statements), **others)


def test_a_permission_is_gone() -> None:
    found = hazards(role(READ, LIST), role(LIST), environment="prod", theme="permissions")
    assert described(found) == text("""
        danger permission-lost, prod/app-stack/-: Role
        no longer allows s3:GetObject
        Nothing else changes, so what needs this permission is still there, and its requests are denied.
        Make sure that nothing needs it, or keep it.
        """)


def test_a_permission_for_less_is_not_gone() -> None:
    tight = {**READ, "Resource": "arn:aws:s3:::models/plants/*"}
    assert hazards(role(READ), role(tight), theme="permissions") == ()


def test_a_denial_of_what_is_allowed_takes_it() -> None:
    denied = {**READ, "Effect": "Deny", "Action": "s3:*"}
    elsewhere = {**denied, "Resource": "arn:aws:s3:::other/*"}
    assert len(hazards(role(READ), role(READ, denied), theme="permissions")) == 1
    assert hazards(role(READ), role(READ, elsewhere), theme="permissions") == ()


def test_a_bucket_refuses() -> None:
    denied = {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": "*"}
    assert len(hazards(bucket_policy(), bucket_policy(denied), theme="permissions")) == 1
    for condition in (
        {"Bool": {"aws:SecureTransport": "false"}},
        {"NumericLessThan": {"s3:TlsVersion": 1.2}},
    ):
        weak = bucket_policy({**denied, "Condition": condition})
        assert hazards(bucket_policy(), weak, theme="permissions") == ()


def test_with_anything_else_the_permission_may_no_longer_be_needed() -> None:
    sides = (role(*statements, F=resource("AWS::Lambda::Function", {"Timeout": seconds}))
             for statements, seconds in (((READ,), 3), ((), 9)))  # fmt: skip
    assert hazards(*sides, theme="permissions") == ()


def test_a_publisher_of_another_account_is_refused() -> None:
    """What no longer allows a service at all, another rule tells."""

    def key(*statements: dict[str, Any]) -> dict[str, Any]:
        return template(Key=resource("AWS::KMS::Key", {"KeyPolicy": {"Statement": list(statements)}}))

    def publisher(account: str) -> dict[str, Any]:
        return {
            "Effect": "Allow",
            "Principal": {"Service": "cloudwatch.amazonaws.com"},
            "Action": "kms:Decrypt",
            "Resource": "*",
            "Condition": {"StringEquals": {"aws:SourceAccount": account}},
        }

    own = publisher("111122223333")
    assert len(hazards(key(own), key(publisher("111122223334")), theme="permissions")) == 1
    assert hazards(key(own), key(), theme="permissions") == ()

"""Policies may be long: a bucket policy of 20 KB has thousands of permissions."""

from typing import Any

import pytest

from sizewell.review.security import compare_security
from tests.review.builders import pair, resource, template

ACTIONS = [f"s3:Action{index}" for index in range(100)]
RESOURCES = [f"arn:aws:s3:::bucket/{index}/*" for index in range(60)]


def bucket(value: str, operator: str = "StringEquals", actions: list[str] = ACTIONS) -> dict[str, Any]:
    statement = {
        "Effect": "Allow",
        "Principal": "*",
        "Action": actions,
        "Resource": RESOURCES,
        "Condition": {operator: {"aws:PrincipalTag/team": value}},
    }
    policy = {"Bucket": {"Ref": "Bucket"}, "PolicyDocument": {"Statement": [statement]}}
    return template(Bucket=resource("AWS::S3::Bucket"), P=resource("AWS::S3::BucketPolicy", policy))


@pytest.mark.parametrize(
    ("base", "head", "directions"),
    [
        (bucket("a"), bucket("b"), ["broadened", "narrowed"]),
        (bucket("ab"), bucket("a*", "StringLike"), ["broadened"]),
        (bucket("a*", "StringLike"), bucket("ab"), ["narrowed"]),
        (bucket("a"), bucket("a", actions=[f"{action}*" for action in ACTIONS]), ["broadened"]),
    ],
)
def test_six_thousand_permissions_are_compared(
    base: dict[str, Any], head: dict[str, Any], directions: list[str]
) -> None:
    security = compare_security(pair(base, head))
    assert [change.direction for change in security.iam] == directions
    assert len(security.iam[0].grants) == 6_000

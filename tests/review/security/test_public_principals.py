from typing import Any

import pytest

from sizewell.review.security import compare_security
from tests.review.builders import pair, resource, template


def bucket(*conditions: Any) -> dict[str, Any]:
    statements = [
        {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*", "Principal": "*", "Condition": one}
        for one in conditions
    ]
    policy = {"Bucket": {"Ref": "Bucket"}, "PolicyDocument": {"Statement": statements}}
    policies = {"P": resource("AWS::S3::BucketPolicy", policy)} if statements else {}
    return template(Bucket=resource("AWS::S3::Bucket"), **policies)


def rules(condition: Any) -> list[str]:
    return [change.rule for change in compare_security(pair(bucket(), bucket(condition))).others]


@pytest.mark.parametrize(
    ("operator", "key", "value"),
    [
        ("StringLike", "aws:PrincipalOrgID", "o-*"),
        ("StringLike", "aws:PrincipalOrgPaths", "o-*/r-1/*"),
        ("StringLike", "aws:PrincipalArn", "arn:aws:iam::*:*"),
        ("ArnLike", "aws:PrincipalArn", "arn:aws:iam::*:role/deploy"),
        ("ArnLike", "aws:SourceArn", "arn:aws:s3:::*"),
        ("StringLike", "aws:PrincipalAccount", "????????????"),
        ("StringEquals", "aws:PrincipalAccount", ["111122223333", "*"]),
        ("StringLike", "aws:UserId", "A*"),
        ("StringLike", "aws:SourceVpce", "vpce-*"),
        ("IpAddress", "aws:SourceIp", ["0.0.0.0/1", "128.0.0.0/1"]),
        ("IpAddress", "aws:SourceIp", "2000::/3"),
        ("IpAddress", "aws:SourceIp", ["198.51.100.0/24", "0.0.0.0/0"]),
    ],
)
def test_a_pattern_that_everybody_may_match_confines_nobody(operator: str, key: str, value: Any) -> None:
    assert rules({operator: {key: value}}) == ["public-principal"]


@pytest.mark.parametrize(
    ("operator", "key", "value"),
    [
        ("StringEquals", "aws:PrincipalOrgID", "o-1234567890"),
        ("StringLike", "aws:PrincipalOrgPaths", "o-1234567890/r-1/*"),
        ("ArnLike", "aws:PrincipalArn", "arn:aws:iam::111122223333:*"),
        ("ArnLike", "aws:SourceArn", {"Fn::Sub": "arn:aws:sns:*:${AWS::AccountId}:*"}),
        ("ArnLike", "aws:SourceArn", "arn:aws:s3:::bucket*"),
        ("ArnLike", "aws:SourceArn", {"Fn::GetAtt": ["Bucket", "Arn"]}),
        ("ArnLike", "aws:SourceArn", {"Fn::ImportValue": "arn"}),
        ("StringLike", "aws:UserId", "AROAEXAMPLE:*"),
        ("StringEquals", "aws:SourceVpce", "vpce-1"),
        ("IpAddress", "aws:SourceIp", ["10.0.0.0/8", "fc00::/7"]),
        ("IpAddress", "aws:SourceIp", {"Ref": "Office"}),
    ],
)
def test_a_value_that_names_somebody_confines(operator: str, key: str, value: Any) -> None:
    assert rules({operator: {key: value}}) == []

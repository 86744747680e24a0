"""Properties as a flat map of settings."""

from typing import Any

import pytest

from sizewell.review.parity.settings import settings_of

ALLOW = {"Effect": "Allow"}


def flat(properties: dict[str, Any]) -> dict[str, list[str]]:
    return {".".join(path): list(one.values.values()) for path, one in settings_of(properties, str).items()}


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"A": {"B": "1"}, "C": "x"}, {"A.B": ["1"], "C": ["x"]}),
        ({"A": ["x", "y", "x"]}, {"A": ["x", "y"]}),
        ({"Command": ["run", "-x"]}, {"Command": ["run -x"]}),
        ({"A": [{"Name": "n", "V": "1"}, {"Name": "m", "V": "2"}]},
         {"A.n.Name": ["n"], "A.n.V": ["1"], "A.m.Name": ["m"], "A.m.V": ["2"]}),
        ({"A": [{"Name": "n"}, {"Name": "n"}]}, {"A.0.Name": ["n"], "A.1.Name": ["n"]}),
        ({"InstancePools": [{"InstanceType": "a"}, {"InstanceType": "b"}]}, {"InstancePools.#.InstanceType": ["a", "b"]}),
        ({"States": {"Try1": {"V": "1"}, "Try2": {"V": "2"}, "End": {"V": "3"}}},
         {"States.Try#.V": ["1", "2"], "States.End.V": ["3"]}),
        ({"A": [{"name": "n", "v": "1"}, {"name": "m", "v": "2"}]},
         {"A.n.name": ["n"], "A.n.v": ["1"], "A.m.name": ["m"], "A.m.v": ["2"]}),
        ({"data": {"a.json": '{"b": [1, 2]}', "c.json": "{odd", "d.txt": "{}"}},
         {"data.a.json.b": ["1", "2"], "data.c.json": ["{odd"], "data.d.txt": ["{}"]}),
        ({"A": 0.1 * 3}, {"A": ["0.3"]}),
        ({"A": None, "B": {}, "C": [], "D": True, "E": 2.0}, {"B": ["{}"], "C": ["[]"], "D": ["true"], "E": ["2"]}),
    ],
)  # fmt: skip
def test_settings(properties: dict[str, Any], expected: dict[str, list[str]]) -> None:
    assert flat(properties) == expected


@pytest.mark.parametrize(
    ("statement", "grant"),
    [
        ({"Action": "s3:GetObject", "Resource": "arn:aws:s3:::b/k/*"}, "Allow s3:GetObject on s3 objects"),
        ({"Action": "s3:ListBucket", "Resource": "arn:aws:s3:::b"}, "Allow s3:ListBucket on s3 bucket"),
        ({"Action": "s3:ListBucket", "Resource": "arn:aws:s3:::*"}, "Allow s3:ListBucket on s3 *"),
        ({"Action": "s3:*", "Resource": "*"}, "Allow s3:* on *"),
        ({"NotAction": "iam:*", "Resource": "*"}, "Allow all but iam:* on *"),
        ({"NotAction": ["iam:*", "kms:*"], "Resource": "*"}, "Allow all but iam:*, kms:* on *"),
        ({"Action": "x:Y", "NotPrincipal": {"AWS": ["1"]}}, "Allow x:Y for all but AWS 1"),
        ({"Action": "x:Y", "NotResource": "arn:aws:sqs:r:1:q"}, "Allow x:Y on all but sqs by name"),
        ({"Action": "x:Y", "Resource": "arn:aws:ec2:r:1:subnet/*"}, "Allow x:Y on ec2 subnet/*"),
        ({"Action": "x:Y", "Resource": "arn:aws:ec2:r:1:subnet/s-1"}, "Allow x:Y on ec2 subnet"),
        ({"Action": "x:Y", "Resource": "${Key.Arn}"}, "Allow x:Y on ${Key.Arn}"),
        ({"Action": "x:Y", "Principal": {"Service": ["s.amazonaws.com"]}}, "Allow x:Y for Service s.amazonaws.com"),
        ({"Action": "x:Y", "Condition": {"Bool": {"aws:SecureTransport": ["false"]}}},
         "Allow x:Y if Bool aws:SecureTransport: false"),
    ],
)  # fmt: skip
def test_a_statement_is_grants(statement: dict[str, Any], grant: str) -> None:
    assert flat({"Document": {"Statement": [{**ALLOW, **statement}]}}) == {"Document": [grant]}


def test_what_of_a_grant_differs_by_environment_or_in_spelling_does_not_count() -> None:
    def counts(action: str, account: str, operator: str = "StringEquals") -> set[str]:
        owner = {operator: {"aws:ResourceAccount": [account]}}
        resource = f"arn:aws:sqs:us-east-1:{account}:queue"
        statement = {**ALLOW, "Action": [action], "Resource": [resource], "Condition": owner}
        (setting,) = settings_of({"Document": {"Statement": [statement]}}, str).values()
        assert setting.is_policy
        return set(setting.values)

    assert counts("sqs:SendMessage", "1" * 12) == counts("SQS:sendmessage", "2" * 12)
    assert counts("sqs:SendMessage", "1" * 12) != counts("sqs:*", "1" * 12)
    assert counts("sqs:SendMessage", "1" * 12) != counts("sqs:SendMessage", "1" * 12, "StringEqualsIfExists")


def test_a_statement_that_a_condition_of_the_template_chooses_is_a_grant_under_it() -> None:
    chosen = {"Fn::If": ["IsOpen", {**ALLOW, "Action": "x:Y", "Resource": "*"}, {"Ref": "AWS::NoValue"}]}
    assert flat({"Document": {"Statement": [chosen]}}) == {"Document": ["Allow x:Y on * if IsOpen"]}

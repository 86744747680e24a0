"""``sizewell deploy`` calls CloudFormation as the role that the output names, as the CDK CLI does."""

from typing import Any

import pytest

from sizewell.deploy import cloudformation
from sizewell.deploy.cloudformation import CloudFormation


class Session:
    """What boto3 is asked; ``assume_role`` gives credentials that are named after the role."""

    region_name = "cn-north-1"

    def __init__(self, **_: Any) -> None:
        self.made: list[tuple[str, dict[str, str]]] = []
        SESSIONS.append(self)

    def get_partition_for_region(self, region: str) -> str:
        return "aws-cn" if region.startswith("cn-") else "aws"

    def client(self, service: str, **credentials: str) -> "Session":
        self.made.append((service, credentials))
        return self

    def assume_role(self, *, RoleArn: str, RoleSessionName: str) -> dict[str, dict[str, str]]:  # noqa: N803
        return {
            "Credentials": {"AccessKeyId": RoleArn, "SecretAccessKey": "s", "SessionToken": RoleSessionName}
        }


SESSIONS: list[Session] = []


@pytest.mark.parametrize(
    ("role_arn", "assumed"),
    [
        ("arn:aws:iam::111122223333:role/company/deploy", "arn:aws:iam::111122223333:role/company/deploy"),
        ("arn:${AWS::Partition}:iam::1:role/cdk-x-deploy", "arn:aws-cn:iam::1:role/cdk-x-deploy"),
    ],
)
def test_the_role_of_the_output_is_assumed(
    role_arn: str, assumed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cloudformation.boto3, "Session", Session)
    CloudFormation("cn-north-1", role_arn, None)
    service, credentials = SESSIONS[-1].made[-1]
    assert (service, credentials["aws_access_key_id"]) == ("cloudformation", assumed)


def test_without_a_role_the_rights_are_those_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cloudformation.boto3, "Session", Session)
    CloudFormation("cn-north-1", None, None)
    assert SESSIONS[-1].made == [("cloudformation", {})]

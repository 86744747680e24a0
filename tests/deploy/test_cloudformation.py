"""The way to CloudFormation: credentials that last as long as a deployment, and words for when there are none."""

from datetime import UTC, datetime
from typing import Any

import boto3
import pytest

from sizewell.deploy.cloudformation import CloudFormation, CloudFormationError, session_of_role

ROLE = "arn:${AWS::Partition}:iam::111122223333:role/deploy"


class Sts:
    """Gives credentials that have expired, and after them some that have not."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def assume_role(self, **given: str) -> dict[str, Any]:
        self.asked.append(given["RoleArn"])
        expiry = datetime(2020 if len(self.asked) == 1 else 2999, 1, 1, tzinfo=UTC)
        key = f"key-{len(self.asked)}"
        return {
            "Credentials": {
                "AccessKeyId": key,
                "SecretAccessKey": key,
                "SessionToken": key,
                "Expiration": expiry,
            }
        }


def test_credentials_of_a_role_are_renewed_before_they_expire(monkeypatch: pytest.MonkeyPatch) -> None:
    caller, sts = boto3.Session(region_name="us-gov-west-1"), Sts()
    monkeypatch.setattr(caller, "client", lambda _service: sts)
    credentials = session_of_role(caller, ROLE).get_credentials().get_frozen_credentials()
    assert credentials.access_key == "key-2"
    assert sts.asked == ["arn:aws-us-gov:iam::111122223333:role/deploy"] * 2


@pytest.mark.parametrize("role", [None, ROLE])
def test_without_credentials_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch, role: str | None) -> None:
    for name in (
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_PROFILE",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    with pytest.raises(
        CloudFormationError, match=r"Unable to locate credentials.*Log in, or name a profile .* --profile"
    ):
        CloudFormation("us-east-1", role, None).read("chat")


def test_a_profile_that_does_not_exist_is_told_in_the_same_way() -> None:
    with pytest.raises(CloudFormationError, match=r"\(nobody\).*Log in, or name a profile"):
        CloudFormation("us-east-1", None, "nobody")

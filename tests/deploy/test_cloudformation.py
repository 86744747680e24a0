"""The way to CloudFormation: credentials that last as long as a deployment, and words for when there are none."""

from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

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
        CloudFormation(None, "us-east-1", role, None).read("chat")


def test_a_profile_that_does_not_exist_is_told_in_the_same_way() -> None:
    with pytest.raises(CloudFormationError, match=r"\(nobody\).*Log in, or name a profile"):
        CloudFormation(None, "us-east-1", None, "nobody")


OTHER = {"Account": "444455556666", "Arn": "arn:aws:sts::444455556666:assumed-role/Admin/ann"}


def in_account(monkeypatch: pytest.MonkeyPatch, identity: dict[str, str], *, may_assume: bool) -> list[str]:
    """Let all credentials be of one account, those of a role of its own; return the calls of AWS."""
    calls: list[str] = []

    def call(client: Any, operation: str, given: dict[str, Any]) -> dict[str, Any]:
        calls.append(operation)
        if operation == "GetCallerIdentity":
            return identity
        if operation == "AssumeRole" and may_assume:
            keys = dict.fromkeys(("AccessKeyId", "SecretAccessKey", "SessionToken"), "key")
            return {"Credentials": {**keys, "Expiration": datetime(2999, 1, 1, tzinfo=UTC)}}
        raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, operation)

    monkeypatch.setattr("botocore.client.BaseClient._make_api_call", call)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "dummy")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "dummy")
    return calls


@pytest.mark.parametrize("role", [None, ROLE])
def test_a_stack_of_another_account_is_never_looked_for_in_that_of_the_caller(
    monkeypatch: pytest.MonkeyPatch, role: str | None
) -> None:
    calls = in_account(monkeypatch, OTHER, may_assume=False)
    with pytest.raises(CloudFormationError) as raised:
        CloudFormation("111122223333", "us-east-1", role, None)
    refused = f", and that may not assume {ROLE}" if role else ""
    assert str(raised.value) == (
        "the stacks are of account 111122223333, but the credentials of arn:aws:sts::444455556666:assumed-role/Admin/ann are of "
        f"account 444455556666{refused}. Nothing was changed. Log in to 111122223333, or name a profile of it with --profile"
    )
    assert set(calls) <= {"AssumeRole", "GetCallerIdentity"}


def test_a_role_of_another_account_is_refused_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    in_account(monkeypatch, OTHER, may_assume=True)
    with pytest.raises(
        CloudFormationError,
        match=r"are of account 111122223333, but .* are of account 444455556666\. Nothing",
    ):
        CloudFormation("111122223333", "us-east-1", ROLE, None)


@pytest.mark.parametrize(
    ("account", "may_assume"), [("444455556666", False), ("444455556666", True), (None, False)]
)
def test_the_callers_own_rights_do_in_the_account_of_the_stacks(
    monkeypatch: pytest.MonkeyPatch, account: str | None, may_assume: bool
) -> None:
    in_account(monkeypatch, OTHER, may_assume=may_assume)
    assert CloudFormation(account, "eu-west-1", ROLE, None).where == "444455556666, eu-west-1"

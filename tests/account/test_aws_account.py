"""Whose account is read, and in which role."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sizewell.account.aws_account import AwsAccount
from sizewell.deploy.cloudformation import CloudFormationError

OWN, OTHER = "111122223333", "444455556666"
READER = "arn:aws:iam::444455556666:role/cdk-hnb659fds-lookup-role-444455556666-us-east-1"


@pytest.fixture
def assumes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Be a caller of the first account; the list is the roles that it has assumed."""
    roles: list[str] = []

    def answer(client: Any, operation: str, given: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "AssumeRole":
            if given["RoleArn"] != READER:
                raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, operation)
            roles.append(given["RoleArn"])
            until = datetime.now(UTC) + timedelta(hours=1)
            return {
                "Credentials": {
                    "AccessKeyId": "of-role",
                    "SecretAccessKey": "secret",
                    "SessionToken": "token",
                    "Expiration": until,
                }
            }
        key = client._request_signer._credentials.access_key
        account = OTHER if key == "of-role" else OWN
        return {"Account": account, "Arn": f"arn:aws:sts::{account}:assumed-role/reader/ann"}

    monkeypatch.setattr("botocore.client.BaseClient._make_api_call", answer)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "own")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    return roles


def test_the_own_account_is_read_with_the_rights_of_the_caller(assumes: list[str]) -> None:
    assert AwsAccount(OWN, "us-east-1", None, READER).caller_arn.startswith(f"arn:aws:sts::{OWN}:")
    assert assumes == []


def test_another_account_is_read_in_its_lookup_role(assumes: list[str]) -> None:
    assert AwsAccount(OTHER, "us-east-1", None, READER).caller_arn.startswith(f"arn:aws:sts::{OTHER}:")
    assert assumes == [READER]


@pytest.mark.parametrize("reader", [None, "arn:aws:iam::444455556666:role/of-others"])
def test_another_account_without_a_role_is_not_read(reader: str | None, assumes: list[str]) -> None:
    with pytest.raises(CloudFormationError, match=f"the plan is of account {OTHER}, but the credentials of"):
        AwsAccount(OTHER, "us-east-1", None, reader)

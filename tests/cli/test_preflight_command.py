"""``sizewell preflight``: exit codes and what people read, whatever an account answers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, NoCredentialsError

from tests.cli.conftest import Sizewell

pytestmark = pytest.mark.usefixtures("directory")


@dataclass
class Account:
    """Denies all but what is given."""

    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    number: str = "111122223333"
    asked: set[str] = field(default_factory=set)

    def answer(self, _client: Any, operation: str, given: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.add(operation)
        if operation == "GetCallerIdentity":
            return {"Account": self.number, "Arn": f"arn:aws:sts::{self.number}:assumed-role/Reader/ann"}
        if operation in self.answers:
            return self.answers[operation]
        raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, operation)


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Account:
    made = Account()
    monkeypatch.setattr(
        "botocore.client.BaseClient._make_api_call",
        lambda client, name, given: made.answer(client, name, given),
    )
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    return made


def test_a_caller_who_may_read_nothing_learns_what_to_allow_and_is_not_stopped(
    account: Account, sizewell: Sizewell
) -> None:
    told = sizewell("preflight", "--env", "dev")

    assert told.exit_code == 0, told.output
    assert "allow ssm:GetParameter" in told.stdout
    assert " fail" not in told.stdout.splitlines()[-1]
    assert "Reading 111122223333, us-east-1 ..." in told.stderr


def test_what_would_stop_a_deployment_ends_with_1(account: Account, sizewell: Sizewell) -> None:
    account.answers["GetParameter"] = {"Parameter": {"Value": "4"}}

    told = sizewell("preflight", "--env", "dev")
    assert told.exit_code == 1
    assert told.stdout.splitlines()[-1].startswith("1 fail, ")


def test_json_alone_is_on_the_standard_output(account: Account, sizewell: Sizewell) -> None:
    account.answers["GetParameter"] = {"Parameter": {"Value": "30"}}

    told = sizewell("preflight", "--env", "dev", "--json")
    found = json.loads(told.stdout)
    assert found["environment"] == "dev"
    first = found["findings"][0]
    assert (first["check"], first["outcome"]) == ("bootstrap", "pass")


def test_the_qualifier_of_cdk_json_is_that_of_the_bootstrap(
    account: Account, sizewell: Sizewell, directory: Path
) -> None:
    account.answers["GetParameter"] = {"Parameter": {"Value": "30"}}
    context = {"context": {"@aws-cdk/core:bootstrapQualifier": "company1"}}
    (directory.parent / "cdk.json").write_text(json.dumps(context), "utf-8")

    found = json.loads(sizewell("preflight", "--env", "dev", "--json").stdout)["findings"]
    assert found[0]["subject"] == "/cdk-bootstrap/company1/version"


def test_another_account_is_not_read(account: Account, sizewell: Sizewell) -> None:
    account.number = "999900001111"

    told = sizewell("preflight", "--env", "dev")
    assert told.exit_code == 1
    assert "the plan is of account 111122223333" in told.stderr
    assert account.asked == {"AssumeRole", "GetCallerIdentity"}


def test_without_credentials_it_says_how_to_log_in(
    account: Account, sizewell: Sizewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise NoCredentialsError

    monkeypatch.setattr("botocore.client.BaseClient._make_api_call", refuse)

    told = sizewell("preflight", "--env", "dev")
    assert told.exit_code == 1
    assert "--profile" in told.stderr
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize("allowed", ["GetParameter", "ListAWSDefaultServiceQuotas"])
def test_only_what_reads_is_called(allowed: str, account: Account, sizewell: Sizewell) -> None:
    account.answers[allowed] = {"Parameter": {"Value": "30"}, "Quotas": []}
    sizewell("preflight", "--env", "dev")
    assert account.asked
    assert {
        name
        for name in account.asked
        if not name.startswith(("BatchGet", "Describe", "Get", "List", "Simulate"))
    } == set()

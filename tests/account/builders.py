"""Accounts that give the answers of a test; botocore checks each against its model of the API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import boto3
from botocore.stub import Stubber

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Check, Place, run_checks
from sizewell.account.finding import Finding
from sizewell.planning.plan import DeploymentPlan


@dataclass(frozen=True)
class Refusal:
    """An error in place of an answer."""

    code: str
    message: str = "no"


class ScriptedAccount(AwsAccount):
    """Answers the operations of each service in the order in which they are given; any other call fails the test."""

    def __init__(
        self,
        answers: Mapping[str, Sequence[tuple[str, Mapping[str, Any] | Refusal]]],
        account: str = "111122223333",
        region: str = "us-east-1",
    ) -> None:
        self.account, self.region = account, region
        self.caller_arn = f"arn:aws:sts::{account}:assumed-role/reader/test"
        self._session = boto3.Session("key", "secret", region_name=region)
        self._clients, self._lock = {}, Lock()
        for service, given in answers.items():
            client = self._session.client(service)
            stubber = Stubber(client)
            for operation, answer in given:
                if isinstance(answer, Refusal):
                    stubber.add_client_error(operation, answer.code, answer.message)
                else:
                    stubber.add_response(operation, dict(answer))
            stubber.activate()
            self._clients[service] = client


def findings(check: Check, plan: DeploymentPlan, aws: AwsAccount) -> list[Finding]:
    """Return what a check finds of what a plan has in the account of its policy."""
    return list(run_checks((check,), Place(plan, plan.foundation, aws)))

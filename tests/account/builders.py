"""Accounts that give the answers of a test; botocore checks each against its model of the API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any

import boto3
from botocore.stub import Stubber

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Check, Place, run_checks
from sizewell.account.finding import Finding
from sizewell.planning import load_plan
from sizewell.planning.plan import DeploymentPlan
from tests.synthesis import PROJECT_ROOT


@dataclass(frozen=True)
class Refusal:
    """An error in place of an answer."""

    code: str
    message: str = "no"


Call = tuple[str, Mapping[str, Any] | Refusal] | tuple[str, Mapping[str, Any] | Refusal, Mapping[str, Any]]
"""An operation and its answer, and what it is asked with."""


@cache
def _session(region: str) -> boto3.Session:
    """Return a session for all accounts: each reads the models of the services anew."""
    return boto3.Session("key", "secret", region_name=region)


class ScriptedAccount(AwsAccount):
    """Answers the operations of each service in the order in which they are given; any other call fails the test."""

    def __init__(
        self,
        answers: Mapping[str, Sequence[Call]],
        account: str = "111122223333",
        region: str = "us-east-1",
    ) -> None:
        self.account, self.region = account, region
        self.caller_arn = f"arn:aws:sts::{account}:assumed-role/reader/test"
        self._session = _session(region)
        self.scripted: set[str] = set()
        """The IAM actions of all operations that are answered."""
        self._clients, self._lock = {}, Lock()
        for service, given in answers.items():
            client = self._session.client(service)
            stubber = Stubber(client)
            self.scripted |= {_iam_action(client, operation) for operation, *_ in given}
            for operation, answer, *asked in given:
                # What it must be asked; a test that says nothing of it takes any question.
                expected = dict(asked[0]) if asked else None
                if isinstance(answer, Refusal):
                    stubber.add_client_error(operation, answer.code, answer.message, expected_params=expected)
                else:
                    stubber.add_response(operation, dict(answer), expected)
            stubber.activate()
            self._clients[service] = client


@cache
def example(name: str, environment: str = "dev") -> DeploymentPlan:
    """Return the plan of an example."""
    return load_plan(PROJECT_ROOT / "examples" / name / "config", environment)


def findings(check: Check, plan: DeploymentPlan, aws: AwsAccount) -> list[Finding]:
    """Return what a check finds of what a plan has in the account of its policy; it must name the actions of what it asks."""
    if isinstance(aws, ScriptedAccount):
        assert aws.scripted <= set(check.actions)
    return list(run_checks((check,), Place(plan, plan.foundation, aws)))


def _iam_action(client: Any, operation: str) -> str:
    # S3 has one action for both: https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html
    if operation in ("head_bucket", "list_objects_v2"):
        return "s3:ListBucket"
    service = client.meta.service_model.signing_name
    return f"{'cloudwatch' if service == 'monitoring' else service}:{client.meta.method_to_api_mapping[operation]}"

"""One account and region, asked with the rights of the caller."""

from functools import cached_property
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from sizewell.deploy.cloudformation import CloudFormationError, as_our_error

#: A network that lets no call through must not keep people waiting; throttled calls are tried again.
CONFIG = Config(connect_timeout=10, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 5})


class AwsAccount:
    """Clients of the services of an account and region.

    Raises CloudFormationError without credentials, and where they are of another account than ``account``: there, nothing that
    is found would be of the plan.
    """

    def __init__(self, account: str, region: str, profile: str | None) -> None:
        self.account = account
        self.region = region
        self._clients: dict[str, Any] = {}
        with as_our_error("AWS STS"):
            self._session = boto3.Session(profile_name=profile, region_name=region)
            # Needs no permission: https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
            identity = self.client("sts").get_caller_identity()
        self.caller_arn: str = identity["Arn"]
        if identity["Account"] != account:
            raise CloudFormationError(
                f"the plan is of account {account}, but the credentials of {self.caller_arn} are of account "
                f"{identity['Account']}. Log in to {account}, or name a profile of it with --profile"
            )

    @property
    def where(self) -> str:
        """Account and region, as people read them."""
        return f"{self.account}, {self.region}"

    @cached_property
    def partition(self) -> str:
        """Such as aws or aws-cn."""
        return str(self._session.get_partition_for_region(self.region))

    def client(self, service: str) -> Any:
        """Return the client of a service, by the name that boto3 has for it."""
        if service not in self._clients:
            self._clients[service] = self._session.client(service, config=CONFIG)
        return self._clients[service]


def is_denied(error: ClientError) -> bool:
    """Return whether an answer says that the caller may not ask."""
    return any(word in str(error.response["Error"].get("Code")) for word in ("AccessDenied", "Unauthorized"))


def has_expired(error: ClientError) -> bool:
    """Return whether an answer says that the credentials of the caller are of yesterday."""
    return "Expired" in str(error.response["Error"].get("Code"))

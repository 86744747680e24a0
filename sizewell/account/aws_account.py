"""One account and region, asked with the rights of the caller."""

from functools import cached_property
from threading import Lock
from typing import Any

import boto3
from botocore.config import Config

from sizewell.deploy.cloudformation import CloudFormationError, as_our_error, session_of_role

#: A network that lets no call through must not keep people waiting; throttled calls are tried again.
CONFIG = Config(connect_timeout=10, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 5})


class AwsAccount:
    """Clients of the services of an account and region; may be used by several threads.

    A caller of another account reads in ``reader_role_arn``: an environment may have places in several accounts.

    Raises CloudFormationError without credentials, and where they are of another account than ``account``: there, nothing that
    is found would be of the plan.
    """

    def __init__(
        self, account: str, region: str, profile: str | None, reader_role_arn: str | None = None
    ) -> None:
        self.account = account
        self.region = region
        self._clients: dict[str, Any] = {}
        self._lock = Lock()
        with as_our_error("AWS STS"):
            self._session = boto3.Session(profile_name=profile, region_name=region)
            # Needs no permission: https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
            identity = self._session.client("sts", config=CONFIG).get_caller_identity()
            if identity["Account"] != account and reader_role_arn is not None:
                self._session = session_of_role(self._session, reader_role_arn)
                identity = self._session.client("sts", config=CONFIG).get_caller_identity()
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

    def client(self, service: str, config: Config = CONFIG) -> Any:
        """Return the client of a service, by the name that boto3 has for it; ``config`` is that of the first call."""
        # Sessions make one client at a time, and clients answer any number of threads:
        # https://boto3.amazonaws.com/v1/documentation/api/latest/guide/clients.html#multithreading-or-multiprocessing-with-clients
        with self._lock:
            if service not in self._clients:
                self._clients[service] = self._session.client(service, config=config)
            return self._clients[service]

"""The records of AWS Batch, by account and region, with the names that its API has for their members."""

from threading import RLock
from typing import Any

from ministack.core.responses import AccountRegionScopedDict

from sizewell_localcloud.emulator.errors import AwsError

Record = dict[str, Any]

environments = AccountRegionScopedDict()
"""Compute environments, by ARN."""
queues = AccountRegionScopedDict()
"""Job queues, by ARN."""
definitions = AccountRegionScopedDict()
"""Revisions of job definitions, by ARN."""
jobs = AccountRegionScopedDict()
"""Jobs, by id."""

lock = RLock()
"""Whoever changes a record, or copies one that may change, holds it."""


def reset() -> None:
    """Forget everything."""
    for table in (environments, queues, definitions, jobs):
        table.clear()


def found(table: Any, named: str) -> Record:
    """Return the record of an ARN, or of the name at its end. Raises AwsError."""
    for arn, record in table.items():
        if named in (arn, arn.rpartition("/")[2]):
            one: Record = record
            return one
    raise client_error(f"{named} does not exist")


def client_error(message: str) -> AwsError:
    """Return what the API answers to a request that it refuses, in our words."""
    return AwsError("ClientException", message)

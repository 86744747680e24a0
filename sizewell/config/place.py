"""Other accounts and regions that workloads of an environment run in."""

from typing import Annotated

from pydantic import Field

from sizewell.config.base import CHOICES, ConfigModel
from sizewell.config.effects import OnChange, SelectionNeed
from sizewell.config.existing import ExistingResources
from sizewell.config.experiments import ON_MLFLOW_APP
from sizewell.config.network import Network

AccountId = Annotated[str, Field(pattern=r"^[0-9]{12}$", examples=["111122223333"])]
Region = Annotated[
    str,
    Field(
        pattern=r"^[a-z]{2}(-[a-z]+)+-[0-9]$",
        max_length=20,
        examples=["us-east-1"],
        json_schema_extra={CHOICES: "Region"},
    ),
]
#: It becomes part of the name of a stack.
PlaceName = Annotated[
    str,
    Field(
        pattern=r"^[a-z][a-z0-9]*$",
        min_length=2,
        max_length=14,
        examples=["eu"],
        description="2 to 14 lower-case letters and digits, first a letter",
    ),
]

CREATED_ANEW = OnChange("everything is created anew elsewhere")
_MOVED = "its stack is created anew elsewhere, and the old one stays until somebody deletes it"
ON_PLACE = (OnChange(changed=_MOVED, added=_MOVED, removed=_MOVED), SelectionNeed.PLACE)


class Place(ConfigModel):
    """An account and region beside those of the policy, with a foundation of its own: network, keys, buckets and topic."""

    account: Annotated[AccountId | None, CREATED_ANEW] = None
    """The AWS account of the place, twelve digits in quotes; by default that of the policy."""
    region: Annotated[Region | None, CREATED_ANEW, SelectionNeed.PLACE] = None
    """The AWS region of the place; by default that of the policy."""
    network: Network
    """The VPC of the place: a new one, or one that exists."""
    existing: ExistingResources = ExistingResources()
    """Keys, buckets, a topic and security groups that the place has: what is named is used, what is not named is made."""
    mlflow_app: Annotated[bool, ON_MLFLOW_APP] = False
    """Whether an MLflow App is made in the place, for the trainings there."""

"""One environment: everything that a plan is made from."""

from typing import Annotated

from pydantic import Field

from config.base import ConfigModel, Name, PositiveInt
from config.endpoint import RealTimeEndpoint
from config.network import Network
from config.policy import Policy
from config.training import TrainingJob

Workload = Annotated[RealTimeEndpoint | TrainingJob, Field(discriminator="kind")]


class Storage(ConfigModel):
    """How long the buckets keep things."""

    checkpoint_expiry_days: PositiveInt = 30
    """Checkpoints are deleted this long after they were written."""
    noncurrent_version_expiry_days: PositiveInt = 90
    """Replaced model artifacts are deleted this long after their replacement."""


class Notifications(ConfigModel):
    """Who hears of alarms and failed jobs."""

    emails: tuple[
        Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", examples=["team@example.com"])], ...
    ] = ()


class Environment(ConfigModel):
    """The merged configuration of one environment."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]{1,7}$", examples=["dev"])]
    """The name of the environment; the loader takes it from the file name."""
    platform: Annotated[
        str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", min_length=2, max_length=12, examples=["demo"])
    ]
    """The name of the platform: the first part of every name that people see."""
    policy: Policy
    network: Network
    storage: Storage = Storage()
    notifications: Notifications = Notifications()
    workloads: Annotated[dict[Name, Workload], Field(min_length=1)]

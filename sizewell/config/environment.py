"""One environment: everything that a plan is made from."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import MAX_WORKLOADS, ConfigModel, ExpiryDays, Name, fault
from sizewell.config.endpoint import RealTimeEndpoint
from sizewell.config.network import Network
from sizewell.config.policy import Policy
from sizewell.config.training import TrainingJob

Workload = Annotated[RealTimeEndpoint | TrainingJob, Field(discriminator="kind")]


#: An address as browsers accept it: https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address, with a domain.
Email = Annotated[
    str,
    Field(
        pattern=(
            r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
            r"(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$"
        ),
        max_length=254,
        examples=["team@example.com"],
    ),
]


class Storage(ConfigModel):
    """How long the buckets keep things."""

    checkpoint_expiry_days: ExpiryDays = 30
    """Checkpoints are deleted this long after they were written."""
    noncurrent_version_expiry_days: ExpiryDays = 90
    """Replaced model artifacts are deleted this long after their replacement."""


class Notifications(ConfigModel):
    """Who hears of alarms and failed jobs."""

    emails: Annotated[tuple[Email, ...], Field(max_length=50)] = ()

    @model_validator(mode="after")
    def _emails_differ(self) -> Self:
        for index, email in enumerate(self.emails):
            if email.lower() in (other.lower() for other in self.emails[:index]):
                raise fault(f"emails.{index}", f"{email} stands twice")
        return self


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
    workloads: Annotated[dict[Name, Workload], Field(min_length=1, max_length=MAX_WORKLOADS)]

"""One environment: everything that a plan is made from."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import MAX_WORKLOADS, ConfigModel, ExpiryDays, Name, fault
from sizewell.config.bootstrap import ON_BOOTSTRAP, Bootstrap
from sizewell.config.effects import Below, Computed, OnChange, OnItems, OnPeriod, OnToggle
from sizewell.config.endpoint import RealTimeEndpoint
from sizewell.config.network import Network
from sizewell.config.policy import Policy
from sizewell.config.tags import Tags
from sizewell.config.training import TrainingJob

Workload = Annotated[RealTimeEndpoint | TrainingJob, Field(discriminator="kind"), Computed.WORKLOAD]


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

    checkpoint_expiry_days: Annotated[
        ExpiryDays,
        OnPeriod("checkpoints older than {} days are deleted", "checkpoints are kept longer"),
    ] = 30
    """Days after which a checkpoint is deleted, counted from when it was written."""
    noncurrent_version_expiry_days: Annotated[
        ExpiryDays,
        OnPeriod("replaced artifacts are deleted after {} days", "replaced artifacts are kept longer"),
    ] = 90
    """Days after which a replaced model artifact is deleted, counted from its replacement."""


class Notifications(ConfigModel):
    """Who hears of alarms and failed jobs."""

    emails: Annotated[
        tuple[Email, ...],
        Field(max_length=50),
        OnItems(lost="alarms no longer go to {items}", gained="alarms go to {items}"),
    ] = ()
    """Addresses that get alarms and failed jobs; each must confirm its subscription once."""

    subscribed_elsewhere: Annotated[
        bool,
        OnToggle(
            on="somebody is said to subscribe to the topic outside of this platform",
            off="alarms go to the addresses only",
        ),
    ] = False
    """Whether somebody subscribes to the alarm topic outside of this platform: production needs an address, or this."""

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
        str,
        Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", min_length=2, max_length=12, examples=["demo"]),
        OnChange("every name changes: everything is created anew"),
    ]
    """The name of the platform: the first part of every name that people see."""
    tags: Annotated[
        Tags,
        Below(
            OnChange(
                changed="everything carries {}",
                added="everything carries it",
                removed="nothing carries it any more",
            )
        ),
    ] = {}
    """Tags of everything that can carry them, for example {cost-center: research}; those of a workload come before
    them. platform and environment are set already."""
    policy: Policy
    """What this environment allows and demands: account, region, budget, limits on instances, rule packs."""
    bootstrap: Annotated[Bootstrap | None, ON_BOOTSTRAP] = None
    """What cdk bootstrap made in the account, where it has other names than usual."""
    network: Network
    """The VPC of the environment: a new one, or one that exists, by its ids or its tags."""
    storage: Storage = Storage()
    """How many days the buckets keep checkpoints and replaced artifacts."""
    notifications: Notifications = Notifications()
    """Who hears of alarms and failed jobs, by an Amazon SNS topic."""
    workloads: Annotated[dict[Name, Workload], Field(min_length=1, max_length=MAX_WORKLOADS)]
    """What runs, by name; a name has 2 to 26 lower-case letters, digits and single hyphens."""

"""What an environment allows: the part of the configuration that differs between dev, staging and prod."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, InstanceCount, Margin, Usd, fault
from sizewell.config.instances import Families
from sizewell.facts.compliance_packs import NagPack
from sizewell.facts.regions import MAX_AVAILABILITY_ZONES

#: Retention periods that CloudWatch Logs accepts, in days (API reference: PutRetentionPolicy).
LogRetentionDays = Literal[
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653
]


#: A condition of ``sizewell review --fail-on``, of this environment; which hazard rules there are, the review knows.
ReviewCondition = Annotated[
    str,
    Field(
        pattern=(
            r"^(danger|warning|hazard(:[a-z0-9]+(-[a-z0-9]+)*)?|replace(-stateful)?|remove-stateful|iam-broadened"
            r"|security-weaker|public-exposure|acknowledgement-added|cost-increase>[0-9]+(\.[0-9]+)?(%|usd)|cost-unknown"
            r"|selection-changed|over-budget|no-base)$"
        ),
        max_length=100,
        examples=["replace-stateful"],
    ),
]


class SavingsPlan(ConfigModel):
    """A SageMaker AI Savings Plan that the account has, or thinks of buying."""

    discount_percent: Annotated[float, Field(ge=0, le=64)]
    """The discount on the on-demand price; AWS gives at most 64 (https://aws.amazon.com/savingsplans/ml-pricing/)."""


class Policy(ConfigModel):
    """The rules of one environment."""

    production: bool = False
    """Serves users. Endpoints then need at least two instances in at least two availability zones."""

    account: Annotated[str, Field(pattern=r"^[0-9]{12}$", examples=["111122223333"])]
    """The AWS account, twelve digits in quotes."""

    region: Annotated[
        str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-[0-9]$", max_length=20, examples=["us-east-1"])
    ]
    """The AWS region, for example us-east-1."""

    budget_usd_per_month: Usd | None = None
    """The plan fails when the expected monthly bill is above this; null means no limit."""

    savings_plan: SavingsPlan | None = None
    """Priced into endpoints and into training without Spot; null means on-demand prices."""

    margin: Margin = 0
    """Room that every estimate must leave to its limit, as a share, unless the workload states its own."""

    allow_burstable: bool = False
    """Whether t2 and t3 types may be picked. They are never autoscaled: Application Auto Scaling refuses them."""

    allow_spot: bool = False
    """Whether training jobs may use managed Spot."""

    min_endpoint_instances: InstanceCount = 1
    """The least number of instances behind each endpoint."""

    max_endpoint_instances: InstanceCount = 10
    """The most instances behind each endpoint, unless the workload states its own."""

    min_availability_zones: Annotated[int, Field(ge=1, le=MAX_AVAILABILITY_ZONES)] = 1
    """The least number of availability zones of the network."""

    allowed_families: Families | None = None
    """Instance families that may be picked, for example [c7i, g5]; null means all."""

    denied_families: Families = ()
    """Instance families that may not be picked."""

    min_lock_saving_percent: Annotated[float, Field(ge=0, le=100)] = 10
    """A locked type that is still feasible makes way only for one that saves this share of its monthly cost."""

    removal: Literal["destroy", "retain"] = "retain"
    """What happens to keys, buckets and logs when their stack is deleted."""

    log_retention_days: LogRetentionDays = 90
    """How long CloudWatch keeps logs."""

    nag_packs: Annotated[tuple[NagPack, ...], Field(max_length=len(NagPack))] = (NagPack.AWS_SOLUTIONS,)
    """The rule packs that gate synth."""

    review_fail_on: Annotated[tuple[ReviewCondition, ...], Field(max_length=50)] = ()
    """Conditions of sizewell review that stop a change to this environment, for example [replace-stateful]."""

    @model_validator(mode="after")
    def _production_is_redundant(self) -> Self:
        if not self.production:
            return self
        if self.min_endpoint_instances < 2:
            raise fault(
                "min_endpoint_instances",
                f"is {self.min_endpoint_instances}, but production needs at least 2: "
                "one instance is one failure away from an outage",
            )
        if self.min_availability_zones < 2:
            raise fault(
                "min_availability_zones",
                f"is {self.min_availability_zones}, but production needs at least 2: "
                "SageMaker spreads instances over zones only when it is given subnets in several",
            )
        return self

    @model_validator(mode="after")
    def _bounds_are_ordered(self) -> Self:
        if self.min_endpoint_instances > self.max_endpoint_instances:
            raise fault(
                "min_endpoint_instances",
                f"is {self.min_endpoint_instances}, above max_endpoint_instances ({self.max_endpoint_instances})",
            )
        return self

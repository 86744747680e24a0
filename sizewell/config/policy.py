"""What an environment allows: the part of the configuration that differs between dev, staging and prod."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ON_MAX_INSTANCES, ConfigModel, InstanceCount, Margin, Name, Usd, fault
from sizewell.config.cluster import MAX_CLUSTERS
from sizewell.config.effects import (
    Below,
    Computed,
    OnBudget,
    OnChange,
    OnItems,
    OnNumber,
    OnPeriod,
    OnToggle,
    OnValue,
    SelectionNeed,
)
from sizewell.config.instances import AllowedFamilies, DeniedFamilies
from sizewell.config.place import CREATED_ANEW, AccountId, Region
from sizewell.config.review_rules import ReviewApproval, ReviewCondition, ReviewWaiver
from sizewell.config.tags import TagKey
from sizewell.config.working_hours import WorkingHours
from sizewell.facts.compliance_packs import NagPack
from sizewell.facts.log_retention import LogRetentionDays
from sizewell.facts.regions import MAX_AVAILABILITY_ZONES
from sizewell.facts.tags import MAX_OTHER_TAGS

#: API reference: CreateRole, PermissionsBoundary.
PermissionsBoundaryArn = Annotated[
    str,
    Field(
        pattern=r"^arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/([A-Za-z0-9+=,.@_-]+/)*[A-Za-z0-9+=,.@_-]{1,128}$",
        max_length=700,
        examples=["arn:aws:iam::111122223333:policy/boundary"],
    ),
]
#: API reference: CreateRole, Path; without what IAM reads as a wildcard or a variable in the ARN of a role.
RolePath = Annotated[
    str, Field(pattern=r"^/([A-Za-z0-9+=,.@_-]+/)+$", max_length=512, examples=["/ml/platform/"])
]
#: Paths that only AWS makes roles in.
_PATHS_OF_AWS = ("/aws-service-role/", "/aws-reserved/")

_ROLES_ANEW = (
    "every role and its policies are created anew, and the models and schedules that use them change"
)


class SavingsPlan(ConfigModel):
    """A SageMaker AI Savings Plan that the account has, or thinks of buying."""

    discount_percent: Annotated[float, Field(ge=0, le=64)]
    """The discount on the on-demand price in percent; AWS gives at most 64
    (https://aws.amazon.com/savingsplans/ml-pricing/)."""


class Policy(ConfigModel):
    """The rules of one environment."""

    production: Annotated[
        bool,
        OnToggle(
            on="at least two instances in two zones are asked for",
            off="one instance in one zone is allowed",
        ),
    ] = False
    """Whether users are served; endpoints then need at least two instances in at least two availability zones."""

    account: Annotated[AccountId, CREATED_ANEW]
    """The AWS account that is deployed to, twelve digits in quotes."""

    region: Annotated[Region, CREATED_ANEW, SelectionNeed.PLACE]
    """The AWS region that is deployed to, for example us-east-1."""

    budget_usd_per_month: Annotated[
        Usd | None, OnBudget(removed="nothing limits the bill any more", added="synth fails above it")
    ] = None
    """The plan fails when the bill of all that it creates, at average load, is above this, in USD per month; by default there
    is no limit."""

    budget_alerts: Annotated[
        bool,
        OnToggle(
            on="an AWS Budget tells the alarm topic of costs near and above the budget",
            off="nobody hears any more that costs rise above the budget",
        ),
    ] = True
    """Whether an AWS Budget tells the alarm topic of 80 % and 100 % of budget_usd_per_month, and of a forecast above it. It sees
    nothing until environment and platform are active cost allocation tags of the account that pays."""

    working_hours: Annotated[
        WorkingHours | None,
        Below(
            OnChange(
                changed="endpoints of inference components stop and start at other times",
                added="endpoints of inference components stop at all other times, and requests fail then",
                removed="nothing stops at night any more",
            )
        ),
        SelectionNeed.POLICY,
    ] = None
    """When people work: at all other times endpoints of inference components have no copy and no instance, and requests fail. Not
    for production. By default everything runs at all hours."""

    composite_alarms: Annotated[
        bool,
        OnToggle(
            on="one alarm of each endpoint and function tells people, in place of each alarm by itself",
            off="each alarm tells people by itself: an incident may be several messages",
        ),
    ] = False
    """Whether a composite alarm of each endpoint and function tells people in place of each of its alarms: one incident is one
    message, which names the alarms that are on. CloudWatch bills 0.50 USD a month for each."""

    savings_plan: Annotated[SavingsPlan | None, SelectionNeed.POLICY] = None
    """A SageMaker AI Savings Plan, priced into endpoints and into training without Spot; by default on-demand prices
    hold."""

    margin: Annotated[Margin, SelectionNeed.POLICY] = 0
    """Room that every estimate must leave to its limit, as a share (0.1 is 10 %), unless the workload states its own."""

    allow_burstable: Annotated[
        bool,
        OnToggle(on="t2 and t3 types may be picked", off="t2 and t3 types may not be picked"),
        SelectionNeed.POLICY,
    ] = False
    """Whether t2 and t3 types may be picked; Application Auto Scaling refuses them, so they are never autoscaled."""

    allow_spot: Annotated[bool, OnToggle(on="workloads may use Spot", off="workloads may not use Spot")] = (
        False
    )
    """Whether training jobs, and models in a cluster of Amazon EKS, may use Spot."""

    allow_notebooks: Annotated[
        bool, OnToggle(on="notebooks are allowed", off="notebooks are not allowed any more")
    ] = False
    """Whether there may be notebooks: people at work on data of the environment, by hand."""

    min_endpoint_instances: Annotated[InstanceCount, Computed.MIN_INSTANCES_OF_ALL, SelectionNeed.POLICY] = 1
    """The least number of instances behind each endpoint; scaling.min_instances of a workload may be higher, not
    lower."""

    max_endpoint_instances: Annotated[InstanceCount, ON_MAX_INSTANCES, SelectionNeed.POLICY] = 10
    """The largest number of instances behind each endpoint; scaling.max_instances of a workload may be lower, not
    higher."""

    min_availability_zones: Annotated[
        int,
        Field(ge=1, le=MAX_AVAILABILITY_ZONES),
        OnNumber("fewer zones are enough", "more zones are asked for"),
    ] = 1
    """The least number of availability zones that the network has."""

    allowed_families: Annotated[AllowedFamilies | None, SelectionNeed.POLICY] = None
    """Instance families that may be picked, for example [c7i, g5]; by default all."""

    denied_families: Annotated[DeniedFamilies, SelectionNeed.POLICY] = ()
    """Instance families that may not be picked."""

    allowed_targets: Annotated[
        tuple[Name, ...] | None,
        Field(min_length=1, max_length=MAX_CLUSTERS + 1),
        OnItems(
            "models may no longer run in {items}",
            "models may run in {items}",
            "models may run anywhere",
            "only {items} may run models",
        ),
    ] = None
    """Where models may run that can run in several places: names of clusters, and sagemaker. By default everywhere."""

    min_lock_saving_percent: Annotated[float, Field(ge=0, le=100)] = 10
    """The share of its monthly cost in percent that another type must save to take the place of a locked one that is
    still feasible."""

    removal: Annotated[
        Literal["destroy", "retain"],
        OnValue(
            (
                ("destroy", "keys, buckets and logs go with their stack"),
                ("retain", "keys, buckets and logs outlive their stack"),
            )
        ),
    ] = "retain"
    """What becomes of keys, buckets and logs when their stack is deleted (RemovalPolicy)."""

    log_retention_days: Annotated[
        LogRetentionDays, OnPeriod("logs older than {} days are deleted", "logs are kept longer")
    ] = 90
    """Days that CloudWatch Logs keeps logs, one of the periods that it accepts."""

    nag_packs: Annotated[
        tuple[NagPack, ...],
        Field(max_length=len(NagPack)),
        OnItems(
            lost="{items} {are} no longer checked",
            gained="{items} {are} checked as well",
            removed="nothing is checked",
            added="{items} {are} checked",
        ),
    ] = (NagPack.AWS_SOLUTIONS,)
    """Rule packs of cdk-nag that must find nothing, else synth fails."""

    review_fail_on: Annotated[
        tuple[ReviewCondition, ...],
        Field(max_length=50),
        OnItems(lost="later changes may pass with: {items}", gained="stops a change: {items}"),
    ] = ()
    """Conditions of sizewell review that stop a change to this environment, for example [replace-stateful,
    "cost-increase>10%"]; those of the base hold as well."""

    review_approvals: Annotated[
        tuple[ReviewApproval, ...],
        Field(max_length=50),
        Below(
            OnChange(
                changed="others must approve later changes",
                added="more must approve later changes",
                removed="fewer must approve later changes",
            )
        ),
    ] = ()
    """Who must approve which findings of sizewell review; what the base says holds."""

    review_waivers: Annotated[
        tuple[ReviewWaiver, ...],
        Field(max_length=200),
        Below(
            OnChange(
                changed="other findings are waived in later changes",
                added="a finding is waived in later changes",
                removed="a finding is no longer waived in later changes",
            )
        ),
    ] = ()
    """Findings of sizewell review that do not stop a change until a day; what the base says holds."""

    required_tags: Annotated[
        tuple[TagKey, ...],
        Field(max_length=MAX_OTHER_TAGS),
        OnItems(lost="{items} may be missing", gained="everything must carry {items}"),
    ] = ()
    """Keys of tags that everything must carry, for example [cost-center]: without them, nothing is synthesized."""

    permissions_boundary_arn: Annotated[
        PermissionsBoundaryArn | None,
        OnChange(
            changed="another policy says what roles may do at most",
            added="no role may do more than this policy allows",
            removed="nothing but their own policies limits what roles may do",
        ),
    ] = None
    """The ARN of a managed policy that every IAM role gets as its permissions boundary: one of the account, or of AWS."""

    role_path: Annotated[
        RolePath | None, OnChange(changed=_ROLES_ANEW, added=_ROLES_ANEW, removed=_ROLES_ANEW)
    ] = None
    """The IAM path of every role and managed policy, which begins and ends with a slash; by default /."""

    @model_validator(mode="after")
    def _role_path_is_free(self) -> Self:
        if self.role_path is not None and self.role_path.startswith(_PATHS_OF_AWS):
            raise fault("role_path", "only AWS makes roles in this path: choose another")
        return self

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
    def _production_runs_at_night(self) -> Self:
        if self.production and self.working_hours is not None:
            raise fault(
                "working_hours",
                "stops endpoints at night, but production serves users at all hours: state it in the files of other "
                "environments, and null here if base.yaml has it",
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

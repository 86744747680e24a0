"""The plan of what all workloads of one place share: network, buckets, keys, and what exists already."""

from typing import Any, Literal

from sizewell.facts.file_systems import FileSystemType
from sizewell.planning.saved_files import foundation_name
from sizewell.planning.workload_plan import PlanModel


class InterfaceEndpointPlan(PlanModel):
    """An AWS service that is reached from the VPC, besides S3."""

    service: str
    """Its name without the region, such as sagemaker.runtime."""
    reason: str
    """Who calls it."""


class NewNetworkPlan(PlanModel):
    """A VPC of our own."""

    mode: Literal["new"] = "new"
    cidr: str
    availability_zones: int
    availability_zone_ids: tuple[str, ...] | None = None
    """Of each zone; None takes the first ones of the account."""
    interface_endpoints: tuple[InterfaceEndpointPlan, ...]
    proxy_port: int | None = None
    """What containers may call besides HTTPS; None where there is no proxy."""
    readable_bucket_names: tuple[str, ...] = ()
    """Buckets that are not of the environment and that models are loaded from."""
    s3_prefix_list_id: str | None = None
    """AWS's, of the addresses of S3; None lets HTTPS out to any address."""


class MountedGroupPlan(PlanModel):
    """The security group of file systems that training jobs mount."""

    type: FileSystemType
    security_group_id: str


class ExistingNetworkPlan(PlanModel):
    """A VPC that exists."""

    mode: Literal["existing"] = "existing"
    vpc_id: str
    subnet_ids: tuple[str, ...]
    interface_endpoints: tuple[InterfaceEndpointPlan, ...]
    """What the VPC must have, beside the gateway endpoint of S3, or reach by another way."""
    proxy_port: int | None = None
    """What containers may call besides HTTPS; None where there is no proxy."""
    mounted_groups: tuple[MountedGroupPlan, ...] = ()
    """What training jobs mount, where their security group is made."""


class BootstrapPlan(PlanModel):
    """What ``cdk bootstrap`` made; None is the name that CDK gives it."""

    qualifier: str | None = None
    deploy_role_arn: str | None = None
    cloudformation_execution_role_arn: str | None = None
    file_asset_publishing_role_arn: str | None = None
    lookup_role_arn: str | None = None
    file_assets_bucket_name: str | None = None
    bucket_prefix: str | None = None


class NetworkLookup(PlanModel):
    """What the CDK CLI has to look up before there is a plan: a question to one of its context providers."""

    account: str
    region: str
    provider: str
    props: dict[str, Any]
    """Beside account and region."""
    key: str
    """Of the answer in the context."""
    bootstrap: BootstrapPlan | None
    """The CLI asks with its lookup role."""


class ExistingResourcesPlan(PlanModel):
    """What the account has already; None is made."""

    data_key_arn: str | None = None
    operations_key_arn: str | None = None
    artifact_bucket_name: str | None = None
    checkpoint_bucket_name: str | None = None
    access_log_bucket_name: str | None = None
    alarm_topic_arn: str | None = None
    endpoint_security_group_id: str | None = None
    training_security_group_id: str | None = None
    mlflow_arn: str | None = None


class NameWildcardsPlan(PlanModel):
    """What the names of the environment match, with stars for any text."""

    stack: str
    workload: str
    """Of endpoints, state machines and training jobs."""
    bucket: str


class BudgetPlan(PlanModel):
    """An AWS Budget for all that carries some tags."""

    usd_per_month: float
    tags: dict[str, str]


class FoundationPlan(PlanModel):
    """What all workloads of one place share; the names are of what exists, too."""

    place: str | None = None
    """Its name; None is that of the policy."""
    account: str
    region: str
    permissions_boundary_arn: str | None = None
    """The permissions boundary of every IAM role."""
    bootstrap: BootstrapPlan | None = None
    """What deploys its stacks; None where everything has the name that CDK gives it."""
    stack_name: str
    name_prefix: str
    """What the names begin with that have no pattern."""
    name_wildcards: NameWildcardsPlan
    parameter_prefix: str
    network: NewNetworkPlan | ExistingNetworkPlan
    artifact_bucket_name: str
    checkpoint_bucket_name: str
    access_log_bucket_name: str
    alarm_topic_name: str
    key_alias_prefix: str
    retain_state: bool
    """Whether keys, buckets and logs outlive their stack."""
    log_retention_days: int
    checkpoint_expiry_days: int
    noncurrent_version_expiry_days: int
    alarm_emails: tuple[str, ...]
    ops_items: bool = False
    """Whether an OpsItem is opened for each endpoint that fails."""
    inference_data_expiry_days: int | None = None
    """After so many days, requests and answers in the artifact bucket are deleted; None where no workload writes any."""
    artifact_events: bool = False
    """Whether the artifact bucket tells EventBridge of its objects, which start runs."""
    mlflow_app_name: str | None = None
    """The MLflow App that is made; None where none is."""
    budget: BudgetPlan | None = None
    """Of the whole environment, at the foundation of the policy; None where none is made."""
    dashboard_name: str | None = None
    """The CloudWatch dashboard of its workloads; None where none is made."""
    existing: ExistingResourcesPlan = ExistingResourcesPlan()

    @property
    def name(self) -> str:
        """What people call it, as they call a workload."""
        return foundation_name(self.place)

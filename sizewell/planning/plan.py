"""The plan: every decision of one environment, as plain data.

Pure and deterministic: the same configuration and catalog give the same bytes. Stacks read it and decide nothing;
``plan.json`` beside the templates is this model.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from sizewell.facts.deployment_guardrails import RolloutStrategy
from sizewell.instance_selection.results import EndpointEstimate, LoadedEstimate, Selection, TrainingEstimate
from sizewell.planning.bill_plan import Bill
from sizewell.planning.component_plan_model import ComponentEndpointPlan as ComponentEndpointPlan
from sizewell.planning.lambda_plan_model import LambdaFunctionPlan as LambdaFunctionPlan
from sizewell.planning.on_demand_plan_model import ConcurrencyScalingPlan as ConcurrencyScalingPlan
from sizewell.planning.saved_files import PLAN_VERSION, foundation_name
from sizewell.planning.scaling_policies import ScalingPolicyPlan
from sizewell.planning.serverless_plan_model import ServerlessEndpointPlan as ServerlessEndpointPlan
from sizewell.planning.transform_plan_model import BatchTransformPlan
from sizewell.planning.workload_plan import (
    AccessPlan,
    ImagePlan,
    InstanceWorkloadPlan,
    ModelPackagePlan,
    PipelinePlan,
    PlanModel,
    SchedulePlan,
)
from sizewell.planning.workload_plan import AlarmPlan as AlarmPlan


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


class ExistingNetworkPlan(PlanModel):
    """A VPC that exists."""

    mode: Literal["existing"] = "existing"
    vpc_id: str
    subnet_ids: tuple[str, ...]
    interface_endpoints: tuple[InterfaceEndpointPlan, ...]
    """What the VPC must have, beside the gateway endpoint of S3, or reach by another way."""
    proxy_port: int | None = None
    """What containers may call besides HTTPS; None where there is no proxy."""


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


class NameWildcardsPlan(PlanModel):
    """What the names of the environment match, with stars for any text."""

    stack: str
    workload: str
    """Of endpoints, state machines and training jobs."""
    bucket: str


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
    inference_data_expiry_days: int | None = None
    """After so many days, requests and answers in the artifact bucket are deleted; None where no workload writes any."""
    existing: ExistingResourcesPlan = ExistingResourcesPlan()

    @property
    def name(self) -> str:
        """What people call it, as they call a workload."""
        return foundation_name(self.place)


class ScheduledActionPlan(PlanModel):
    """Bounds that hold from a moment of the week until another action begins."""

    name: str
    schedule: str
    """A cron expression of Application Auto Scaling."""
    time_zone: str
    min_instance_count: int
    max_instance_count: int
    hours_per_week: float
    """How long the bounds hold."""


class ScalingPlan(PlanModel):
    """Between which numbers of instances a variant scales, and by what."""

    min_instance_count: int
    """0 lets the instances of an asynchronous endpoint sleep."""
    max_instance_count: int
    policies: tuple[ScalingPolicyPlan, ...]
    scheduled_actions: tuple[ScheduledActionPlan, ...] = ()
    """Other bounds by the clock; those above hold from a deployment until the first of them."""

    @property
    def fewest_instances(self) -> int:
        """The least number of instances at any hour."""
        return min((self.min_instance_count, *(one.min_instance_count for one in self.scheduled_actions)))


class RolloutPlan(PlanModel):
    """How a new fleet takes over the traffic; alarms of the endpoint call it back."""

    strategy: RolloutStrategy
    first_share_percent: int | None
    """The share of the capacity that takes traffic first, at a time, or is exchanged at a time; None moves all of it."""
    wait_interval_s: int
    """How long the alarms are watched before the rest follows."""
    max_execution_timeout_s: int
    termination_wait_s: int = 0
    """How long the old fleet is kept after it has lost its traffic."""


class DataCapturePlan(PlanModel):
    """What is kept of requests and answers."""

    prefix: str
    """In the artifact bucket; ends with a slash."""
    sampling_percent: int
    capture: tuple[Literal["input", "output"], ...]
    json_content_types: tuple[str, ...] = ()
    csv_content_types: tuple[str, ...] = ()


class AsynchronousPlan(PlanModel):
    """How an endpoint answers later: where requests and answers lie, who hears of them, and how long they may take."""

    input_prefix: str
    """Of the artifact bucket: where callers put their requests, which the endpoint reads."""
    output_prefix: str
    """Where answers are written."""
    failure_prefix: str
    """Where the reason is written why a request failed."""
    success_topic_arn: str | None
    """A topic that exists; None makes one."""
    error_topic_arn: str | None
    max_concurrent_invocations_per_instance: int
    max_wait_s: float
    """From a request to its answer."""
    invocation_timeout_s: int
    """What callers state as InvocationTimeoutSeconds: the longest that a request may be worked on."""
    request_ttl_s: int
    """What callers state as RequestTTLSeconds: the longest that a request may stand in the queue."""
    sleeps: bool
    """Whether no instance may be there while nobody asks."""
    why: str
    """Why they sleep, or what keeps them awake."""


class MultiModelPlan(PlanModel):
    """The models of an endpoint that share its instances: below ``artifact_key``, a .tar.gz for each."""

    count: int
    cache: bool
    """Whether a model stays in memory until others need the room."""
    workers_per_model: int
    """Processes that serve a model on a CPU, each with a copy of it."""
    loaded: LoadedEstimate
    """What the chosen type does with them."""


class ProvisionedPoolsPlan(PlanModel):
    """Types that SageMaker itself falls back to."""

    instance_types: tuple[str, ...]
    """The chosen one first."""
    provision_timeout_s: int
    """How long it looks for capacity in all of them."""


class VariantPlan(InstanceWorkloadPlan):
    """One variant of an endpoint on instances: a model, the instances that it runs on, and how they scale."""

    kind: Literal["real-time-endpoint", "asynchronous-endpoint", "multi-model-endpoint"] = (
        "real-time-endpoint"
    )
    """That of its endpoint."""
    variant_name: str
    weight: float = 1.0
    """Its share of the requests that others are compared with; of a shadow, the share that is copied to it."""
    instance_type: str
    provisioned_pools: ProvisionedPoolsPlan | None = None
    """None where a deployment without capacity for the type fails."""
    vcpu_count: int
    """Of one instance; of pools the fewest."""
    gpu_count: int
    """NVIDIA GPUs of one instance, of pools the fewest: other accelerators publish no GPU metrics."""
    initial_instance_count: int
    image: ImagePlan | None
    """None where a model package names it, and the artifact."""
    artifact_key: str | None
    artifact_compression: Literal["gzip", "none"]
    model_package: ModelPackagePlan | None = None
    pipeline: PipelinePlan | None = None
    """None where the container of the model stands alone."""
    volume_size_gib: int | None
    """None where the type brings its own NVMe disks."""
    encrypt_volume_with_key: bool
    """False where the type encrypts its NVMe disks in hardware: the API refuses a key there."""
    inference_ami_version: str | None
    """The machine image of the host, for its driver; None leaves it to AWS."""
    capacity_reservation_arn: str | None = None
    """The ML capacity reservation that the instances start in; None is the capacity that everybody shares."""
    model_data_download_timeout_s: int
    container_startup_health_check_timeout_s: int
    average_requests_per_second: float
    """Over all hours; where the configuration counts users, what they send when each waits for one answer alone."""
    scaling: ScalingPlan | None
    """None where the number of instances is fixed."""
    alarms: dict[str, AlarmPlan]
    """By the key that the alarm has in the configuration."""
    alarms_off: dict[str, str] = Field(default={})
    """Alarms that the hardware has a metric for and that are off all the same, with the reason."""
    selection: Selection[EndpointEstimate]

    @property
    def fewest_instances(self) -> int:
        """The least number of instances at any hour."""
        return self.scaling.fewest_instances if self.scaling else self.initial_instance_count


class EndpointPlan(VariantPlan):
    """One endpoint of SageMaker on instances: its own variant, and those beside it."""

    endpoint_name: str
    other_variants: tuple[VariantPlan, ...] = ()
    """Variants that share the requests with its own."""
    shadow_variant: VariantPlan | None = None
    """A variant that gets copies of requests, and whose answers nobody gets."""
    access: AccessPlan | None = None
    """Who may invoke it; None gives nobody the permission."""
    data_capture: DataCapturePlan | None = None
    """None keeps nothing."""
    rollout: RolloutPlan | None = None
    """None moves all traffic at once."""
    asynchronous: AsynchronousPlan | None = None
    """None answers at once."""
    multi_model: MultiModelPlan | None = None
    """None serves one model, which every instance holds."""

    @property
    def variants(self) -> tuple[VariantPlan, ...]:
        """Its own variant, those beside it, and the shadow."""
        shadow = (self.shadow_variant,) if self.shadow_variant else ()
        return (self, *self.other_variants, *shadow)

    @property
    def keeps_inference_data(self) -> bool:
        """Whether requests or answers are written to the artifact bucket."""
        return self.data_capture is not None or self.asynchronous is not None


class TrainingAttemptPlan(PlanModel):
    """One rung of the ladder: tried when there is no capacity for the one before."""

    instance_type: str
    spot: bool
    """Whether the instances are managed Spot; the last rung may be on-demand."""
    instance_count: int
    volume_size_gib: int
    encrypt_volume_with_key: bool


class TrainingCodePlan(PlanModel):
    """What the container runs: objects of the artifact bucket, and the command that starts them."""

    prefix: str
    command: tuple[str, ...]


class CheckpointPlan(PlanModel):
    """The contract with the training script."""

    prefix: str
    interval_minutes: int


class TrainingJobPlan(InstanceWorkloadPlan):
    """One training job, as a state machine."""

    kind: Literal["training-job"] = "training-job"
    state_machine_name: str
    job_name_prefix: str
    job_tags: dict[str, str]
    """All. Jobs are not CloudFormation resources: without tags of their own they are missing from cost reports."""
    attempts: tuple[TrainingAttemptPlan, ...]
    image: ImagePlan
    code: TrainingCodePlan | None
    """None runs the entry point of the image."""
    method: Literal["full", "lora"]
    dataset_prefix: str
    output_prefix: str
    hyperparameters: dict[str, str]
    max_runtime_s: int
    max_wait_s: int | None
    """Of each attempt on Spot, from its creation to its end; None where no attempt uses Spot."""
    checkpoint: CheckpointPlan | None
    schedule: SchedulePlan | None
    runs_per_month: float | None
    """None where the configuration does not say how often it runs; the bill then counts one."""
    selection: Selection[TrainingEstimate]

    @property
    def spot(self) -> bool:
        """Whether Spot capacity is tried first."""
        return self.attempts[0].spot


InstanceWorkload = VariantPlan | ComponentEndpointPlan | BatchTransformPlan | TrainingJobPlan
AnyWorkloadPlan = Annotated[
    EndpointPlan
    | ServerlessEndpointPlan
    | LambdaFunctionPlan
    | ComponentEndpointPlan
    | BatchTransformPlan
    | TrainingJobPlan,
    Field(discriminator="kind"),
]


class DeploymentPlan(PlanModel):
    """One environment."""

    schema_version: int = PLAN_VERSION
    platform: str
    environment: str
    account: str
    region: str
    production: bool
    catalog_version: str
    """A digest of the catalog's data: the same choice can be made again."""
    nag_packs: tuple[str, ...]
    tags: dict[str, str] = Field(default={})
    """Of everything, beside platform and environment."""
    role_path: str | None = None
    """The IAM path of every role and managed policy; None is /."""
    foundation: FoundationPlan
    places: tuple[FoundationPlan, ...] = ()
    """Of what runs in other accounts and regions."""
    workloads: tuple[AnyWorkloadPlan, ...]
    """By kind, then by place, and in the order of the configuration."""
    bill: Bill

    @property
    def on_instances(self) -> tuple[InstanceWorkload, ...]:
        """Those whose instance type is chosen, and locked: of an endpoint, each of its variants."""
        return tuple(
            choice
            for one in self.workloads
            if isinstance(one, InstanceWorkloadPlan)
            for choice in (one.variants if isinstance(one, EndpointPlan) else (one,))
        )

    @property
    def endpoints(self) -> tuple[EndpointPlan, ...]:
        """What SageMaker serves on instances."""
        return tuple(one for one in self.workloads if isinstance(one, EndpointPlan))

    @property
    def batch_transforms(self) -> tuple[BatchTransformPlan, ...]:
        """What runs rows through a model, job by job."""
        return tuple(one for one in self.workloads if isinstance(one, BatchTransformPlan))

    @property
    def training_jobs(self) -> tuple[TrainingJobPlan, ...]:
        """What trains."""
        return tuple(one for one in self.workloads if isinstance(one, TrainingJobPlan))

    @property
    def foundations(self) -> dict[str | None, FoundationPlan]:
        """By the name of the place, that of the policy first."""
        return {one.place: one for one in (self.foundation, *self.places)}

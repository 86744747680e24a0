"""The plan of an endpoint on instances: its variants, and how each scales, answers and takes over."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, Self

from pydantic import Field

from sizewell.facts.deployment_guardrails import RolloutStrategy, wait_intervals
from sizewell.facts.endpoint_metrics import queue_dimensions, variant_dimensions
from sizewell.facts.production_variants import RoutingStrategy
from sizewell.facts.quotas import Quota, instance_quotas
from sizewell.facts.serving_modes import Mode
from sizewell.instance_selection.results import EndpointEstimate, LoadedEstimate, Selection
from sizewell.planning.observed_model import ObservedModel
from sizewell.planning.planned_variant import PlannedVariant
from sizewell.planning.scaling_policies import ScalingPolicyPlan
from sizewell.planning.workload_plan import (
    AccessPlan,
    AlarmPlan,
    ImagePlan,
    InferencePipelinePlan,
    InstanceWorkloadPlan,
    ModelPackagePlan,
    PlanModel,
)


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

    @property
    def most_instances(self) -> int:
        """The largest number of instances at any hour."""
        return max((self.max_instance_count, *(one.max_instance_count for one in self.scheduled_actions)))


class RolloutPlan(PlanModel):
    """How a new fleet takes over the traffic; alarms of the endpoint call it back."""

    strategy: RolloutStrategy
    first_share_percent: int | None
    """The share of the capacity that takes traffic first, at a time, or is exchanged at a time; None moves all of it."""
    wait_interval_s: int
    """How long the alarms are watched before the rest follows."""
    max_execution_timeout_s: int
    termination_wait_s: int = 0
    """How long the old fleet is kept after it has lost its traffic: the last wait in which alarms are watched."""

    @property
    def watched_s(self) -> int:
        """How long alarms are watched from the first share of the traffic to the end."""
        intervals = wait_intervals(self.strategy, self.first_share_percent)
        return intervals * self.wait_interval_s + self.termination_wait_s


class DataCapturePlan(PlanModel):
    """What is kept of requests and answers."""

    prefix: str
    """In the artifact bucket; ends with a slash."""
    sampling_percent: int
    capture: tuple[Literal["input", "output"], ...]
    json_content_types: tuple[str, ...] = ()
    csv_content_types: tuple[str, ...] = ()


class AnsweredLaterPlan(PlanModel):
    """Where requests that wait and their answers lie, who hears of them, and how long they may take."""

    input_prefix: str
    """Of the artifact bucket: where callers put their requests."""
    output_prefix: str
    """Where answers are written."""
    failure_prefix: str
    """Where the reason is written why a request failed."""
    success_topic_arn: str | None
    """A topic that exists; None makes one."""
    error_topic_arn: str | None
    max_wait_s: float
    """From a request to its answer."""
    invocation_timeout_s: int
    """The longest that a request may be worked on: callers of SageMaker state it as InvocationTimeoutSeconds."""
    sleeps: bool
    """Whether no instance may be there while nobody asks."""
    why: str
    """Why they sleep, or what keeps them awake."""


class AsynchronousPlan(AnsweredLaterPlan):
    """How an endpoint of SageMaker answers later."""

    max_concurrent_invocations_per_instance: int
    request_ttl_s: int
    """What callers state as RequestTTLSeconds: the longest that a request may stand in the queue."""


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

    kind: str = "real-time-endpoint"
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
    pipeline: InferencePipelinePlan | None = None
    """None where the container of the model stands alone."""
    routing: RoutingStrategy | None = None
    """Which instance gets a request; None of many models, which SageMaker routes to an instance that has the model in memory."""
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
    rollback_alarms: dict[str, AlarmPlan] = Field(default={})
    """Alarms of a new fleet alone, which call it back; none where there is no rollout."""
    selection: Selection[EndpointEstimate]

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """Its container images, each once."""
        steps = self.pipeline.steps if self.pipeline else ()
        return tuple(image for image in (self.image, *(step.image for step in steps)) if image is not None)

    @property
    def locked_facts(self) -> dict[str, object]:
        """The instances at average load and at peak, and what an endpoint became whose mode was left to the plan."""
        estimate = self.selection.chosen.estimate
        chosen = self.modes.chosen if self.modes else None
        return {
            "instance_count": estimate.instances_at_average,
            "peak_instance_count": estimate.instances_at_peak,
            "kind": self.kind if chosen is not None and chosen.mode is not Mode.REAL_TIME else None,
        }

    @property
    def fewest_instances(self) -> int:
        """The least number of instances at any hour."""
        return self.scaling.fewest_instances if self.scaling else self.initial_instance_count

    @property
    def most_instances(self) -> int:
        """The largest number of instances at any hour, but for updates."""
        return self.scaling.most_instances if self.scaling else self.initial_instance_count


class EndpointPlan(VariantPlan):
    """One endpoint of SageMaker on instances: its own variant, and those beside it."""

    endpoint_name: str
    other_variants: tuple[VariantPlan, ...] = ()
    """Variants that share the requests with its own."""
    shadow_variant: VariantPlan | None = None
    """A variant that gets copies of requests, and whose answers nobody gets."""
    composite_alarm_name: str | None = None
    """The alarm that tells people for all others; None where each tells people itself."""
    access: AccessPlan | None = None
    """Who may invoke it; None gives nobody the permission."""
    detailed_metrics: bool = True
    """Whether metrics of each container, GPU and host are published."""
    data_capture: DataCapturePlan | None = None
    """None keeps nothing."""
    rollout: RolloutPlan | None = None
    """None moves all traffic at once."""
    asynchronous: AsynchronousPlan | None = None
    """None answers at once."""
    multi_model: MultiModelPlan | None = None
    """None serves one model, which every instance holds."""

    @property
    def runs_at_all_hours(self) -> bool:
        """Whether a variant keeps an instance at every hour."""
        return any(variant.fewest_instances > 0 for variant in self.variants)

    @property
    def variants(self) -> tuple[VariantPlan, ...]:
        """Its own variant, those beside it, and the shadow."""
        shadow = (self.shadow_variant,) if self.shadow_variant else ()
        return (self, *self.other_variants, *shadow)

    @property
    def observed(self) -> Iterator[ObservedModel]:
        """Its model: requests are those of all variants that answer, instances those of its own."""
        answering = tuple(
            variant_dimensions(self.endpoint_name, variant.variant_name)
            for variant in (self, *self.other_variants)
        )
        yield ObservedModel(
            endpoint_name=self.endpoint_name,
            variant_name=self.variant_name,
            load=answering,
            host=answering[0],
            # No Invocations there (NOT_ASYNCHRONOUS), and each request that is answered has one ModelLatency.
            counted_by=("ModelLatency", "SampleCount") if self.asynchronous else ("Invocations", "Sum"),
            queue=queue_dimensions(self.endpoint_name) if self.asynchronous else None,
        )

    @property
    def planned_variants(self) -> Iterator[PlannedVariant]:
        """Its variants, with the types of their pools."""
        for variant in self.variants:
            pools = variant.provisioned_pools
            yield PlannedVariant(
                endpoint_name=self.endpoint_name,
                variant_name=variant.variant_name,
                instance_types=pools.instance_types if pools else (variant.instance_type,),
                fewest_instances=variant.fewest_instances,
                most_instances=variant.most_instances,
                weight=variant.weight if self.other_variants and variant != self.shadow_variant else None,
            )

    @property
    def choices(self) -> tuple[VariantPlan, ...]:
        """Its variants."""
        return self.variants

    @property
    def served_artifacts(self) -> Iterator[tuple[str, str | None, Sequence[str]]]:
        """Its variants: each may run on all types of its pools."""
        for variant in self.variants:
            pools = variant.provisioned_pools
            yield (
                variant.name,
                variant.artifact_key,
                pools.instance_types if pools else (variant.instance_type,),
            )

    def with_each_choice(self, change: Callable[[InstanceWorkloadPlan], InstanceWorkloadPlan]) -> Self:
        """Return the endpoint in which each variant is changed."""
        own = super().with_each_choice(change)
        return own.model_copy(
            update={
                "other_variants": tuple(map(change, self.other_variants)),
                "shadow_variant": self.shadow_variant and change(self.shadow_variant),
            }
        )

    def with_variables(self, variables: Mapping[str, str]) -> Self:
        """Return the endpoint whose containers have these environment variables as well."""
        pipeline = self.pipeline.with_variables(variables) if self.pipeline else None
        return super().with_variables(variables).model_copy(update={"pipeline": pipeline})

    @property
    def keeps_inference_data(self) -> bool:
        """Whether requests or answers are written to the artifact bucket."""
        return self.data_capture is not None or self.asynchronous is not None

    @property
    def quotas(self) -> Iterator[Quota]:
        """Those of its variants during an update, when a part of the new fleet, or all of it, runs beside the old one."""
        for variant in self.variants:
            pools = variant.provisioned_pools
            types = pools.instance_types if pools else (variant.instance_type,)
            count = instances_during_update(variant.most_instances, self.rollout)
            yield from instance_quotas("endpoint", dict.fromkeys(types, count))


def instances_during_update(count: int, rollout: RolloutPlan | None) -> int:
    """Return how many instances there are at most while a fleet of so many is exchanged.

    Blue/green updates, which an update is without a policy as well, make a whole new fleet, rolling ones a batch:
    https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails.html
    """
    if rollout is None or rollout.strategy != "rolling" or rollout.first_share_percent is None:
        return 2 * count
    return count + -(-count * rollout.first_share_percent // 100)

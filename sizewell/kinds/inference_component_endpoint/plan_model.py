"""The plan of an endpoint of inference components."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from sizewell.facts.deployment_guardrails import wait_intervals
from sizewell.facts.endpoint_metrics import component_dimensions, variant_dimensions
from sizewell.facts.production_variants import RoutingStrategy
from sizewell.facts.quotas import Quota, instance_quotas
from sizewell.instance_selection.results import FleetEstimate, Selection
from sizewell.planning.observed_model import ObservedModel
from sizewell.planning.planned_variant import PlannedComponent, PlannedVariant
from sizewell.planning.scaling_policies import ScalingPolicyPlan
from sizewell.planning.workload_plan import (
    AlarmPlan,
    ImagePlan,
    InstanceWorkloadPlan,
    ModelPackagePlan,
    PlanModel,
    PlanModelKind,
)


class ScheduledCopiesPlan(PlanModel):
    """Bounds that hold from a moment of the week until another action begins."""

    name: str
    schedule: str
    """A cron expression of Application Auto Scaling."""
    time_zone: str
    min_copy_count: int
    max_copy_count: int


class CopyScalingPlan(PlanModel):
    """Between which numbers the copies of a component follow its load."""

    min_copy_count: int
    max_copy_count: int
    policies: tuple[ScalingPolicyPlan, ...]
    scheduled_actions: tuple[ScheduledCopiesPlan, ...] = ()
    """Of working hours: no copy from their end on."""


class ComponentRolloutPlan(PlanModel):
    """How the copies of a component are exchanged; its alarms call them back."""

    share_percent: int
    wait_interval_s: int
    max_execution_timeout_s: int
    alarms: dict[str, AlarmPlan] = Field(default={})
    """What calls them back, by the names that alarms have in the configuration."""

    @property
    def watched_s(self) -> int:
        """How long alarms are watched in all."""
        return wait_intervals("rolling", self.share_percent) * self.wait_interval_s


class ComponentPlan(PlanModel):
    """One model of the fleet."""

    component_name: str
    """What callers state as InferenceComponentName; its own in the account and region."""
    image: ImagePlan | None
    """None where a model package names it, and the artifact."""
    artifact_key: str | None
    artifact_compression: Literal["gzip", "none"]
    model_package: ModelPackagePlan | None = None
    environment: dict[str, str]
    accelerator_count: int
    """Devices that a copy reserves; 0 where it reserves cores."""
    cpu_cores: float
    memory_mib: int
    initial_copy_count: int
    startup_timeout_s: int
    """For the artifact, and once more for the container."""
    average_requests_per_second: float
    scaling: CopyScalingPlan | None
    """None where the number of copies is fixed."""
    alarms: dict[str, AlarmPlan]
    alarms_off: dict[str, str] = Field(default={})
    rollout: ComponentRolloutPlan | None
    """None where there may be a single copy: at most half of them are exchanged at a time."""


class FleetScalingPlan(PlanModel):
    """Between which numbers SageMaker itself keeps the instances (ManagedInstanceScaling)."""

    min_instance_count: int
    max_instance_count: int


class ComponentEndpointPlan(InstanceWorkloadPlan):
    """Several models on one fleet; ``environment`` are variables that all containers have beside their own."""

    kind: Literal["inference-component-endpoint"] = "inference-component-endpoint"
    endpoint_name: str
    variant_name: str
    instance_type: str
    initial_instance_count: int
    volume_size_gib: int | None
    """None where the type brings its own NVMe disks."""
    encrypt_volume_with_key: bool
    """False where the type encrypts its NVMe disks in hardware: the API refuses a key there."""
    inference_ami_version: str | None
    routing: RoutingStrategy = "least-outstanding-requests"
    """Which copy gets a request."""
    detailed_metrics: bool = True
    """Whether metrics of each container, GPU and host are published."""
    scaling: FleetScalingPlan
    components: dict[str, ComponentPlan]
    """By the name that each has in the configuration."""
    alarms: dict[str, AlarmPlan]
    alarms_off: dict[str, str] = Field(default={})
    composite_alarm_name: str | None = None
    """The alarm that tells people for all others; None where each tells people itself."""
    selection: Selection[FleetEstimate]

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """Its container images, each once."""
        images = (component.image for component in self.components.values())
        return tuple(dict.fromkeys(image for image in images if image is not None))

    @property
    def rests(self) -> bool:
        """Whether no instance runs outside of working hours."""
        return any(
            component.scaling is not None and bool(component.scaling.scheduled_actions)
            for component in self.components.values()
        )

    @property
    def runs_at_all_hours(self) -> bool:
        """Whether instances are kept, working hours or not."""
        return self.scaling.min_instance_count > 0

    @property
    def observed(self) -> Iterator[ObservedModel]:
        """Its components, each on the instances of all."""
        for name, component in self.components.items():
            yield ObservedModel(
                path=("components", name),
                endpoint_name=self.endpoint_name,
                variant_name=self.variant_name,
                load=(component_dimensions(component.component_name),),
                host=variant_dimensions(self.endpoint_name, self.variant_name),
            )

    @property
    def planned_variants(self) -> Iterator[PlannedVariant]:
        """The fleet that all components share."""
        yield PlannedVariant(
            endpoint_name=self.endpoint_name,
            variant_name=self.variant_name,
            instance_types=(self.instance_type,),
            fewest_instances=self.scaling.min_instance_count,
            most_instances=self.scaling.max_instance_count,
        )

    @property
    def planned_components(self) -> Iterator[PlannedComponent]:
        """Its components, each with the fewest and most copies of any hour."""
        for component in self.components.values():
            scaling, initial = component.scaling, component.initial_copy_count
            actions = scaling.scheduled_actions if scaling else ()
            yield PlannedComponent(
                component_name=component.component_name,
                fewest_copies=min(
                    (scaling.min_copy_count if scaling else initial, *(one.min_copy_count for one in actions))
                ),
                most_copies=max(
                    (scaling.max_copy_count if scaling else initial, *(one.max_copy_count for one in actions))
                ),
            )

    @property
    def locked_facts(self) -> dict[str, object]:
        """The instances at average load and at peak."""
        estimate = self.selection.chosen.estimate
        return {
            "instance_count": estimate.instances_at_average,
            "peak_instance_count": estimate.instances_at_peak,
        }

    @property
    def quotas(self) -> Iterator[Quota]:
        """Those of its fleet, twice, as during an update."""
        yield from instance_quotas("endpoint", {self.instance_type: 2 * self.scaling.max_instance_count})


FACET = PlanModelKind(model=ComponentEndpointPlan)

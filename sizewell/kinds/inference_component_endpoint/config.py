"""An endpoint of inference components: several models, each with copies of its own, on the instances of one fleet."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.alarms import RequestAlarms, UtilizationAlarm
from sizewell.config.base import (
    MAX_INSTANCE_COUNT,
    ON_MAX_INSTANCES,
    ConfigModel,
    InstanceCount,
    Name,
    fault,
    without,
)
from sizewell.config.effects import OnNumber, OnToggle, SelectionNeed
from sizewell.config.endpoint import AnsweringModel
from sizewell.config.environment import Environment
from sizewell.config.fleet_settings import RoutedFleet
from sizewell.config.kind import ConfigKind
from sizewell.config.measured_instance import ENDPOINT_KEYS, TRAINING_KEYS
from sizewell.config.policy import Policy
from sizewell.config.request_members import Violation, endpoint_members, payload_violations
from sizewell.config.scaling import Cooldown, Headroom, check_order
from sizewell.config.served_model import DescribedWorkload, OnChosenType, PlacedWorkload
from sizewell.config.tree import KeyPath
from sizewell.config.workload import in_region
from sizewell.facts.deployment_guardrails import MAX_WAIT_S
from sizewell.facts.serving_modes import Mode

#: The one role of the endpoint names the artifact and the image of each: about 180 of the 6,144 characters that IAM gives a
#: policy, of which 2,800 are taken (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html).
MAX_COMPONENTS = 15
#: Zero instances or copies: what sleeps.
SleepingCount = Annotated[int, Field(ge=0, le=MAX_INSTANCE_COUNT)]

#: Keys that people bring from endpoints of one model, by their path in the workload, with what to do instead.
MISPLACED_KEYS = {
    **dict.fromkeys(
        ("model", "engine", "container", "request", "traffic", "latency", "batching", "margin"),
        "each component has its own: write it under components.NAME",
    ),
    "access": "give the permission by a policy of yours, on the endpoint's ARN; remove the key",
    "instance_type": "write it as instances.instance_type, or leave it out and the needs of all components decide",
    "data_capture": "nobody says that SageMaker captures data of inference components; serve the model by a "
    "real-time-endpoint",
    "mode": "kind: inference-component-endpoint says how it is served; remove the key",
    "scaling.schedules": "the number of instances follows the copies; remove the key",
}


class ComponentScaling(ConfigModel):
    """How the number of copies of a component follows its load."""

    min_copies: Annotated[
        SleepingCount | None,
        OnNumber("fewer copies stay while nobody asks", "more copies stay while nobody asks"),
        SelectionNeed.SCALING,
    ] = None
    """The least number of copies (MinCapacity), by default the policy's min_endpoint_instances, which it may not be below;
    0 lets the component sleep, with may_fail_while_cold."""
    max_copies: Annotated[InstanceCount | None, ON_MAX_INSTANCES, SelectionNeed.SCALING] = None
    """The largest number of copies (MaxCapacity); by default one and a half times what the peak load needs."""
    may_fail_while_cold: Annotated[
        bool,
        OnToggle(
            on="requests may fail for minutes, until a copy has started",
            off="requests may no longer fail for want of a copy",
        ),
    ] = False
    """Accepts that requests which come while no copy is there fail, until one has started: min_copies: 0 needs it."""
    headroom: Headroom = 0.3
    """The share of a copy's capacity that stays free while another one starts."""
    scale_out_cooldown_s: Cooldown = 60
    """Seconds after adding copies before more are added (ScaleOutCooldown)."""
    scale_in_cooldown_s: Cooldown = 300
    """Seconds after removing copies before more are removed (ScaleInCooldown)."""

    @model_validator(mode="after")
    def _sleeps_by_name(self) -> Self:
        if self.min_copies == 0 and not self.may_fail_while_cold:
            raise fault(
                "min_copies",
                "is 0, and requests that come while no copy is there fail for the minutes that one takes to start; write "
                "min_copies: 1, or accept it with may_fail_while_cold: true",
            )
        if self.may_fail_while_cold and self.min_copies != 0:
            raise fault(
                "may_fail_while_cold",
                f"has no effect: a copy is always there; write min_copies: 0, or {without('may_fail_while_cold')}",
            )
        if self.min_copies and self.max_copies and self.min_copies > self.max_copies:
            raise fault("min_copies", f"is {self.min_copies}, above max_copies ({self.max_copies})")
        return self


class InferenceComponent(AnsweringModel):
    """One model of the fleet: an inference component, whose copies share the instances with others."""

    scaling: ComponentScaling = ComponentScaling()
    """How the number of copies follows the load."""
    alarms: RequestAlarms = RequestAlarms()
    """When each alarm of the component goes off, or why it is off."""

    @model_validator(mode="after")
    def _nothing_for_other_modes(self) -> Self:
        for key, stated in (("traffic", "active_hours_per_day"), ("latency", "max_wait_minutes")):
            if stated in getattr(self, key).model_fields_set:
                raise fault(
                    f"{key}.{stated}",
                    f"has no effect: it is for the comparison of modes, and components have none; {without(stated)}",
                )
        return self


class FleetScaling(ConfigModel):
    """Between which numbers SageMaker keeps the instances (managed instance scaling), for the copies that there are."""

    min_instances: Annotated[
        SleepingCount | None,
        OnNumber("fewer instances stay while nobody asks", "more instances stay while nobody asks"),
        SelectionNeed.SCALING,
    ] = None
    """The least number of instances, by default the policy's min_endpoint_instances, which it may not be below, and 0
    where every component sleeps."""
    max_instances: Annotated[InstanceCount | None, ON_MAX_INSTANCES, SelectionNeed.SCALING] = None
    """The largest number of instances, at most the policy's max_endpoint_instances; by default what the most copies of
    all components need."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        check_order(self.min_instances, self.max_instances)
        return self


class FleetAlarms(ConfigModel):
    """The alarms of what all components share."""

    memory_utilization: UtilizationAlarm = UtilizationAlarm()
    """Memory of the fullest instance (MemoryUtilization)."""
    disk_utilization: UtilizationAlarm = UtilizationAlarm()
    """Disk of the fullest instance (DiskUtilization)."""


class ComponentRollout(ConfigModel):
    """How the copies of a component are exchanged for those of a new model; its alarms call them back."""

    share_percent: Annotated[
        Annotated[int, Field(ge=5, le=50)] | None,
        OnNumber("fewer copies are exchanged at a time", "more copies are exchanged at a time"),
    ] = None
    """Percent of the copies that are exchanged at a time; by default half of up to four, else a quarter."""
    wait_interval_s: Annotated[
        Annotated[int, Field(ge=0, le=MAX_WAIT_S)] | None,
        OnNumber("alarms are watched for a shorter time", "alarms are watched for a longer time"),
    ] = None
    """Seconds in which the alarms are watched before more follows; by default 600, and 1,200 where this is the only
    wait and the alarm on latency takes as long."""


class InferenceComponentEndpoint(RoutedFleet, OnChosenType, PlacedWorkload, DescribedWorkload):
    """Several models on one fleet: an endpoint of inference components."""

    misplaced_keys: ClassVar[Mapping[str, str]] = MISPLACED_KEYS
    unmeasured_keys: ClassVar[Mapping[str, str]] = dict.fromkeys(
        (*ENDPOINT_KEYS, *TRAINING_KEYS),
        "it is of an instance, and this workload has copies of several models on it; remove the measurement",
    )

    kind: Literal["inference-component-endpoint"]
    """The workload is a SageMaker endpoint of inference components."""
    components: Annotated[
        dict[Name, InferenceComponent],
        Field(min_length=1, max_length=MAX_COMPONENTS),
        SelectionNeed.BOUND,
    ]
    """The models, by names that callers add to that of the endpoint (InferenceComponentName)."""
    scaling: FleetScaling = FleetScaling()
    """Between which numbers the instances follow the copies."""
    rollout: ComponentRollout = ComponentRollout()
    """How the copies of a component are exchanged for those of a new model."""
    alarms: FleetAlarms = FleetAlarms()
    """When each alarm of the instances goes off, or why it is off."""

    @model_validator(mode="after")
    def _all_or_none_isolated(self) -> Self:
        isolated = {
            name: component.container.network_isolation for name, component in self.components.items()
        }
        first = next(iter(isolated))
        for name, value in isolated.items():
            if value != isolated[first]:
                raise fault(
                    f"components.{name}.container.network_isolation",
                    f"is {str(value).lower()}, that of {first} is {str(not value).lower()}: SageMaker isolates all containers "
                    "of an endpoint or none; write the same for all",
                )
        return self

    @model_validator(mode="after")
    def _sleeps_as_a_whole(self) -> Self:
        if self.scaling.min_instances == 0 and not self.sleeps:
            awake = [name for name, component in self.components.items() if component.scaling.min_copies != 0]
            raise fault(
                "scaling.min_instances",
                f"is 0 and has no effect: a copy is always there of {', '.join(awake)}, on an instance; write "
                "scaling.min_copies: 0 for every component, or remove min_instances",
            )
        return self

    def contained(self) -> Mapping[KeyPath, Any]:
        """Return the components."""
        return {("components", name): component for name, component in self.components.items()}

    def in_region(self, region: str) -> Self:
        """Return the endpoint with the images of a region in place of their names."""
        components = {name: in_region(component, region) for name, component in self.components.items()}
        return self.model_copy(update={"components": components})

    @property
    def sleeps(self) -> bool:
        """Whether no copy of any component need be there."""
        return all(component.scaling.min_copies == 0 for component in self.components.values())

    def rests(self, policy: Policy) -> bool:
        """Whether no instance runs outside of the working hours of a policy."""
        return policy.working_hours is not None and not self.scaling.min_instances


def component_violations(
    environment: Environment, name: str, endpoint: InferenceComponentEndpoint
) -> Iterator[Violation]:
    """Yield every violation, in the order of the keys."""
    policy, path = environment.policy, ("workloads", name)
    least = policy.min_endpoint_instances
    for component, configured in endpoint.components.items():
        of_component = (*path, "components", component)
        yield from endpoint_members(of_component, configured)
        yield from payload_violations(of_component, configured.request, Mode.REAL_TIME)
        copies = configured.scaling
        for key in ("min_copies", "max_copies"):
            count = getattr(copies, key)
            # A component that sleeps, by the name of it, has no least number.
            if count is not None and count < least and copies.min_copies != 0:
                yield (
                    (*of_component, "scaling", key),
                    f"is {count}, but policy.min_endpoint_instances asks for {least} copies, each on another instance",
                )
    for key in ("min_instances", "max_instances"):
        count = getattr(endpoint.scaling, key)
        if count is None:
            continue
        if count > policy.max_endpoint_instances:
            yield (
                (*path, "scaling", key),
                f"{count} instances, but policy.max_endpoint_instances is {policy.max_endpoint_instances}",
            )
        if 0 < count < least and not endpoint.sleeps:
            yield (
                (*path, "scaling", key),
                f"{count} instance(s), but policy.min_endpoint_instances asks for {least}",
            )


FACET = ConfigKind(rank=6, model=InferenceComponentEndpoint, rules=component_violations)

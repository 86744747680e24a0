"""An inference component: one model, the share of an instance that a copy of it reserves, its scaling and its rollout.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateInferenceComponent.html
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from aws_cdk import RemovalPolicy
from aws_cdk import aws_applicationautoscaling as autoscaling
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.alarms.endpoint_alarms import EndpointAlarmProps, EndpointAlarms
from constructs_lib.alarms.endpoint_thresholds import AlarmThresholds
from constructs_lib.endpoints.endpoint_parts import (
    check_name,
    endpoint_log_group,
)
from constructs_lib.endpoints.serving_model import (
    ContainerProps,
    ServingModelProps,
    serving_model,
)
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.scaling.scaling_policies import ScalingPolicy, StepScaling, add_policy
from sizewell.facts.alarms import AlarmEvaluation
from sizewell.facts.cron import require_cron
from sizewell.facts.deployment_guardrails import (
    EXECUTION_TIMEOUT_BOUNDS_S,
    MAX_WAIT_S,
    SHARE_BOUNDS_PERCENT,
    wait_intervals,
)
from sizewell.facts.scaling import COPY_COUNT, SERVICE_NAMESPACE

#: API reference: InferenceComponentComputeResourceRequirements.
_MIN_MEMORY_MIB, _MIN_CPU_CORES = 128, 0.25
#: What nobody wants to be without: errors of a container.
DEFAULT_COMPONENT_THRESHOLDS = AlarmThresholds(max_5xx_error_rate_percent=1, max_model_error_rate_percent=1)


@dataclass(frozen=True, kw_only=True)
class ScheduledCopies:
    """Bounds that hold from a moment on, until another action begins; 0 and 0 stop all copies. Raises ValueError.

    ``schedule`` is a cron expression of Application Auto Scaling, such as ``cron(0 20 ? * MON-FRI *)``, in a time zone of the
    IANA database.
    """

    name: str
    schedule: str
    time_zone: str = "UTC"
    min_copy_count: int
    max_copy_count: int

    def __post_init__(self) -> None:
        """Check what Application Auto Scaling would refuse in the middle of a deployment, or when the moment comes."""
        _check_order(self)
        require_cron(self.schedule, self.name)


@dataclass(frozen=True, kw_only=True)
class CopyScaling:
    """Between which numbers, and by which policies, copies come and go. Raises ValueError for bounds that nothing wakes from.

    ``scheduled_actions`` change the bounds by the clock; each deployment that changes the target sets those here again.
    """

    min_copy_count: int
    max_copy_count: int
    policies: Sequence[ScalingPolicy]
    scheduled_actions: Sequence[ScheduledCopies] = ()

    def __post_init__(self) -> None:
        """Check what would leave a component asleep, or be refused in the middle of a deployment."""
        _check_order(self)
        if self.max_copy_count < 1:
            raise ValueError("max_copy_count must be at least 1")
        if not any(action.max_copy_count for action in self.scheduled_actions) and self.scheduled_actions:
            raise ValueError("scheduled actions stop all copies, and none lets them come back")
        if self.min_copy_count == 0 and not any(isinstance(policy, StepScaling) for policy in self.policies):
            raise ValueError(
                "copies scale to zero, and no step policy wakes them: target tracking has nothing to track"
            )

    @property
    def fewest_copies(self) -> int:
        """The least number of copies at any hour."""
        return min((self.min_copy_count, *(action.min_copy_count for action in self.scheduled_actions)))


def _check_order(bounds: CopyScaling | ScheduledCopies) -> None:
    if not 0 <= bounds.min_copy_count <= bounds.max_copy_count:
        raise ValueError(
            f"need 0 <= min_copy_count <= max_copy_count, got {bounds.min_copy_count} and {bounds.max_copy_count}"
        )


@dataclass(frozen=True, kw_only=True)
class ComponentRollout:
    """So many copies are exchanged at a time, there and back, while alarms of their own are watched. Raises ValueError.

    ``thresholds`` are of the whole component: SageMaker publishes no metric of new copies alone, and copies that fail already
    end the update that would mend them. ``evaluations`` are as those of ``EndpointAlarmProps``.
    """

    share_percent: int
    wait_interval_s: int
    max_execution_timeout_s: int
    thresholds: AlarmThresholds = DEFAULT_COMPONENT_THRESHOLDS
    evaluations: Mapping[str, AlarmEvaluation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the bounds of the API: InferenceComponentRollingUpdatePolicy."""
        for label, bounds in (
            ("share_percent", SHARE_BOUNDS_PERCENT["rolling"]),
            ("wait_interval_s", (0, MAX_WAIT_S)),
            ("max_execution_timeout_s", EXECUTION_TIMEOUT_BOUNDS_S),
        ):
            if not bounds[0] <= getattr(self, label) <= bounds[1]:
                raise ValueError(f"{label} must lie between {bounds[0]} and {bounds[1]}")
        waits_s = wait_intervals("rolling", self.share_percent) * self.wait_interval_s
        if waits_s >= self.max_execution_timeout_s:
            raise ValueError(
                f"the waits take {waits_s} s, all of max_execution_timeout_s ({self.max_execution_timeout_s})"
            )


@dataclass(frozen=True, kw_only=True)
class InferenceComponentProps(ContainerProps):
    """One model, and what each copy of it reserves; ``ContainerProps`` describes its container.

    ``component_name`` is that of the endpoint, two hyphens, and a name of yours. A copy reserves ``memory_mib`` of host
    memory, and either ``accelerator_count`` devices or ``cpu_cores``. ``scaling`` None keeps ``copy_count``; ``rollout`` None
    exchanges all copies at once. Raises ValueError for input that the API would refuse.
    """

    component_name: str
    memory_mib: int
    accelerator_count: int = 0
    cpu_cores: float = 0.0
    copy_count: int = 1
    startup_timeout_s: int = 1800
    scaling: CopyScaling | None = None
    rollout: ComponentRollout | None = None
    thresholds: AlarmThresholds = DEFAULT_COMPONENT_THRESHOLDS
    evaluations: Mapping[str, AlarmEvaluation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check names and bounds."""
        check_name("component_name", self.component_name)
        self.check_container()
        if self.multi_model is not None:
            raise ValueError("a component is one model; multi_model is for endpoints without components")
        if self.accelerator_count < 1 and self.cpu_cores < _MIN_CPU_CORES:
            raise ValueError(f"a copy reserves an accelerator, or {_MIN_CPU_CORES} cpu_cores at least")
        if self.memory_mib < _MIN_MEMORY_MIB:
            raise ValueError(f"memory_mib must be at least {_MIN_MEMORY_MIB}, got {self.memory_mib}")


@dataclass(frozen=True, kw_only=True)
class ComponentFleet:
    """The endpoint that a component runs on, as far as the component must know it."""

    endpoint_name: str
    foundation: FoundationReferences
    variant_name: str = "AllTraffic"
    network_isolation: bool = True
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    in_composite: bool = False
    """Whether a ``CompositeAlarm`` tells people of all alarms."""


class InferenceComponent(Construct):
    """The component, its unnamed model, its alarms, and the scaling of its copies."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        role_arn: str,
        props: InferenceComponentProps,
        endpoint: sagemaker.CfnEndpoint,
        fleet: ComponentFleet,
    ) -> None:
        super().__init__(scope, construct_id)
        model = serving_model(
            self,
            "Model",
            props=ServingModelProps(
                containers=(props,),
                execution_role_arn=role_arn,
                network_isolation=fleet.network_isolation,
                foundation=fleet.foundation,
            ),
        )
        watched = EndpointAlarmProps(
            endpoint_name=fleet.endpoint_name,
            variant_name=fleet.variant_name,
            component_name=props.component_name,
            thresholds=props.thresholds,
            evaluations=props.evaluations,
            alarm_topic_arn=fleet.foundation.alarm_topic_arn,
            in_composite=fleet.in_composite,
        )
        self.alarms = EndpointAlarms(self, "Alarms", props=watched)
        component = sagemaker.CfnInferenceComponent(
            self,
            "Component",
            inference_component_name=props.component_name,
            endpoint_name=endpoint.attr_endpoint_name,
            variant_name=fleet.variant_name,
            specification=sagemaker.CfnInferenceComponent.InferenceComponentSpecificationProperty(
                model_name=model.attr_model_name,
                compute_resource_requirements=_requirements(props),
                startup_parameters=sagemaker.CfnInferenceComponent.InferenceComponentStartupParametersProperty(
                    model_data_download_timeout_in_seconds=props.startup_timeout_s,
                    container_startup_health_check_timeout_in_seconds=props.startup_timeout_s,
                ),
            ),
            runtime_config=sagemaker.CfnInferenceComponent.InferenceComponentRuntimeConfigProperty(
                copy_count=props.copy_count
            ),
            deployment_config=self._deployment_config(props.rollout, watched) if props.rollout else None,
        )
        component.add_resource_dependency(
            endpoint_log_group(
                self,
                props.component_name,
                of="InferenceComponents",
                operations_key_arn=fleet.foundation.operations_key_arn,
                log_retention_days=fleet.log_retention_days,
                removal_policy=fleet.removal_policy,
            )
        )
        if props.scaling is not None:
            self._scale(props.component_name, component, props.scaling)

    def _deployment_config(
        self, rollout: ComponentRollout, watched: EndpointAlarmProps
    ) -> sagemaker.CfnInferenceComponent.InferenceComponentDeploymentConfigProperty:
        component = sagemaker.CfnInferenceComponent
        batch = component.InferenceComponentCapacitySizeProperty(
            type="CAPACITY_PERCENT", value=rollout.share_percent
        )
        alarms = EndpointAlarms(
            self,
            "RollbackAlarms",
            props=replace(
                watched,
                thresholds=rollout.thresholds,
                evaluations=rollout.evaluations,
                name_suffix="-Rollback",
                alarm_topic_arn=None,
                in_composite=False,
            ),
        )
        return component.InferenceComponentDeploymentConfigProperty(
            rolling_update_policy=component.InferenceComponentRollingUpdatePolicyProperty(
                maximum_batch_size=batch,
                # Left out, SageMaker asks for all old copies at once (API reference, InferenceComponentRollingUpdatePolicy).
                rollback_maximum_batch_size=batch,
                wait_interval_in_seconds=rollout.wait_interval_s,
                maximum_execution_timeout_in_seconds=rollout.max_execution_timeout_s,
            ),
            auto_rollback_configuration=component.AutoRollbackConfigurationProperty(
                alarms=[component.AlarmProperty(alarm_name=name) for name in alarms.alarm_names]
            )
            if alarms.alarm_names
            else None,
        )

    def _scale(
        self, component_name: str, component: sagemaker.CfnInferenceComponent, scaling: CopyScaling
    ) -> None:
        target = autoscaling.CfnScalableTarget(
            self,
            "Target",
            service_namespace=SERVICE_NAMESPACE,
            scalable_dimension=COPY_COUNT,
            resource_id=f"inference-component/{component_name}",
            min_capacity=scaling.min_copy_count,
            max_capacity=scaling.max_copy_count,
            scheduled_actions=[
                autoscaling.CfnScalableTarget.ScheduledActionProperty(
                    scheduled_action_name=action.name,
                    schedule=action.schedule,
                    timezone=action.time_zone,
                    scalable_target_action=autoscaling.CfnScalableTarget.ScalableTargetActionProperty(
                        min_capacity=action.min_copy_count, max_capacity=action.max_copy_count
                    ),
                )
                for action in scaling.scheduled_actions
            ]
            or None,
        )
        target.add_resource_dependency(component)
        for policy in scaling.policies:
            add_policy(self, target, policy, id_prefix="", alarm_prefix=component_name)


def _requirements(
    props: InferenceComponentProps,
) -> sagemaker.CfnInferenceComponent.InferenceComponentComputeResourceRequirementsProperty:
    # The maximum is left out: a copy may use memory that nobody has reserved.
    return sagemaker.CfnInferenceComponent.InferenceComponentComputeResourceRequirementsProperty(
        min_memory_required_in_mb=props.memory_mib,
        number_of_accelerator_devices_required=props.accelerator_count or None,
        number_of_cpu_cores_required=None if props.accelerator_count else props.cpu_cores,
    )

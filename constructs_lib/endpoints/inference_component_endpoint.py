"""An endpoint of inference components: a fleet, and copies of several models on it.

https://docs.aws.amazon.com/sagemaker/latest/dg/realtime-endpoints-deploy-models.html
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from aws_cdk import RemovalPolicy
from aws_cdk import aws_applicationautoscaling as autoscaling
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.alarms.endpoint_alarms import (
    AlarmThresholds,
    EndpointAlarmProps,
    EndpointAlarms,
)
from constructs_lib.endpoints.endpoint_parts import (
    VOLUME_KEY_FINDINGS,
    check_name,
    endpoint_log_group,
    volume_without_key,
)
from constructs_lib.endpoints.model_role import ModelRole, ModelRoleProps
from constructs_lib.endpoints.production_variant import metrics_property, routing_property
from constructs_lib.endpoints.serving_model import (
    ContainerProps,
    ServingModelProps,
    decryption_key_arns,
    read_locations,
    repository_arns,
    serving_model,
)
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.instance_storage import has_local_nvme
from constructs_lib.policies.acknowledgements import acknowledge_all
from constructs_lib.scaling.scaling_policies import ScalingPolicy, StepScaling, add_policy
from sizewell.facts.alarms import AlarmEvaluation
from sizewell.facts.deployment_guardrails import (
    EXECUTION_TIMEOUT_BOUNDS_S,
    MAX_WAIT_S,
    SHARE_BOUNDS_PERCENT,
    wait_intervals,
)
from sizewell.facts.production_variants import RoutingStrategy
from sizewell.facts.scaling import COPY_COUNT, SERVICE_NAMESPACE

#: API reference: InferenceComponentComputeResourceRequirements.
_MIN_MEMORY_MIB, _MIN_CPU_CORES = 128, 0.25
#: What nobody wants to be without: errors of a container, and what an instance runs out of.
DEFAULT_COMPONENT_THRESHOLDS = AlarmThresholds(max_5xx_error_rate_percent=1, max_model_error_rate_percent=1)
DEFAULT_FLEET_THRESHOLDS = AlarmThresholds(max_memory_utilization_percent=90, max_disk_utilization_percent=80)


@dataclass(frozen=True, kw_only=True)
class CopyScaling:
    """Between which numbers, and by which policies, copies come and go. Raises ValueError for bounds that nothing wakes from."""

    min_copy_count: int
    max_copy_count: int
    policies: Sequence[ScalingPolicy]

    def __post_init__(self) -> None:
        """Check what would leave a component asleep, or be refused in the middle of a deployment."""
        if not 0 <= self.min_copy_count <= self.max_copy_count or self.max_copy_count < 1:
            raise ValueError(
                f"need 0 <= min_copy_count <= max_copy_count, got {self.min_copy_count} and {self.max_copy_count}"
            )
        if self.min_copy_count == 0 and not any(isinstance(one, StepScaling) for one in self.policies):
            raise ValueError(
                "copies scale to zero, and no step policy wakes them: target tracking has nothing to track"
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
    """One model, and what each copy of it reserves; its container is told as ``ContainerProps``.

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
class InferenceComponentEndpointProps:
    """The fleet, and its components by names that are theirs in the construct tree.

    SageMaker keeps between ``min_instance_count`` and ``max_instance_count`` instances, as many as the copies need; 0 is for
    components that all scale to zero. ``encrypt_volume_with_key``, ``routing`` and ``detailed_metrics`` are as those of
    ``RealtimeEndpointProps``. Raises ValueError.
    """

    endpoint_name: str
    instance_type: str
    components: Mapping[str, InferenceComponentProps]
    foundation: FoundationReferences
    variant_name: str = "AllTraffic"
    initial_instance_count: int = 1
    min_instance_count: int = 1
    max_instance_count: int = 2
    volume_size_gib: int | None = None
    encrypt_volume_with_key: bool | None = None
    inference_ami_version: str | None = None
    routing: RoutingStrategy | None = "least-outstanding-requests"
    detailed_metrics: bool = True
    network_isolation: bool = True
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    execution_role_arn: str | None = None
    thresholds: AlarmThresholds = DEFAULT_FLEET_THRESHOLDS
    evaluations: Mapping[str, AlarmEvaluation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check names and bounds."""
        for label in ("endpoint_name", "variant_name"):
            check_name(label, getattr(self, label))
        if not 0 <= self.min_instance_count <= self.max_instance_count or self.max_instance_count < 1:
            raise ValueError(
                "need 0 <= min_instance_count <= max_instance_count, got "
                f"{self.min_instance_count} and {self.max_instance_count}"
            )
        if others := [
            one.component_name
            for one in self.components.values()
            if not one.component_name.startswith(self.component_prefix)
        ]:
            raise ValueError(
                f"names of components begin with {self.component_prefix}, got {', '.join(others)}"
            )
        awake = [key for key, one in self.components.items() if not one.scaling or one.scaling.min_copy_count]
        if self.min_instance_count == 0 and awake:
            raise ValueError(f"no instance may be there, but copies always are: {', '.join(awake)}")

    @property
    def component_prefix(self) -> str:
        """What the names of all components begin with, and nothing else: logs and alarms are granted by it."""
        return f"{self.endpoint_name}--"

    @property
    def volume_takes_key(self) -> bool:
        """Whether the ML volume is encrypted with the data key."""
        if self.encrypt_volume_with_key is None:
            return not has_local_nvme(self.instance_type)
        return self.encrypt_volume_with_key


class InferenceComponentEndpoint(Construct):
    """A named endpoint over an unnamed configuration without a model, and the components that run on it.

    Role, VPC and isolation stand in the configuration, and once more in each model, as SageMaker's own SDK writes them: no page
    says which of both pulls the image and the artifact, so one role may do it for all components of the endpoint.
    """

    def __init__(
        self, scope: Construct, construct_id: str, *, props: InferenceComponentEndpointProps
    ) -> None:
        super().__init__(scope, construct_id)
        role_arn = props.execution_role_arn or self._add_role(props)
        self.endpoint = sagemaker.CfnEndpoint(
            self,
            "Endpoint",
            endpoint_name=props.endpoint_name,
            endpoint_config_name=self._configuration(role_arn, props).attr_endpoint_config_name,
        )
        # Before the first container writes: SageMaker makes the group itself if it is missing, without key and expiry.
        self.endpoint.add_resource_dependency(
            endpoint_log_group(
                self,
                props.endpoint_name,
                operations_key_arn=props.foundation.operations_key_arn,
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
            )
        )
        EndpointAlarms(
            self,
            "Alarms",
            props=EndpointAlarmProps(
                endpoint_name=props.endpoint_name,
                variant_name=props.variant_name,
                thresholds=props.thresholds,
                evaluations=props.evaluations,
                instances_report=props.min_instance_count > 0,
                alarm_topic_arn=props.foundation.alarm_topic_arn,
            ),
        )
        components = Construct(self, "Components")
        for key, component in props.components.items():
            _Component(components, key, role_arn, component, self.endpoint, props)

    def _add_role(self, props: InferenceComponentEndpointProps) -> str:
        containers = tuple(props.components.values())
        role = ModelRole(
            self,
            "ModelRole",
            props=ModelRoleProps(
                endpoint_name=props.endpoint_name,
                component_prefix=props.component_prefix,
                image_repository_arns=repository_arns(self, containers),
                reads=read_locations(containers, props.foundation),
                decryption_key_arns=decryption_key_arns(containers),
                encrypt_volume_with_key=props.volume_takes_key,
                rollback_alarm_names=(f"{props.component_prefix}*",)
                if any(one.rollout for one in containers)
                else (),
                foundation=props.foundation,
            ),
        )
        return role.arn

    def _configuration(
        self, role_arn: str, props: InferenceComponentEndpointProps
    ) -> sagemaker.CfnEndpointConfig:
        foundation = props.foundation
        configuration = sagemaker.CfnEndpointConfig(
            self,
            "EndpointConfig",
            execution_role_arn=role_arn,
            enable_network_isolation=props.network_isolation,
            vpc_config=sagemaker.CfnEndpointConfig.VpcConfigProperty(
                subnets=foundation.subnet_ids, security_group_ids=[foundation.endpoint_security_group_id]
            ),
            kms_key_id=foundation.data_key_arn if props.volume_takes_key else None,
            metrics_config=metrics_property(detailed=props.detailed_metrics),
            production_variants=[
                sagemaker.CfnEndpointConfig.ProductionVariantProperty(
                    variant_name=props.variant_name,
                    instance_type=props.instance_type,
                    initial_instance_count=props.initial_instance_count,
                    volume_size_in_gb=props.volume_size_gib,
                    inference_ami_version=props.inference_ami_version,
                    managed_instance_scaling=sagemaker.CfnEndpointConfig.ManagedInstanceScalingProperty(
                        status="ENABLED",
                        min_instance_count=props.min_instance_count,
                        max_instance_count=props.max_instance_count,
                    ),
                    routing_config=routing_property(props.routing),
                )
            ],
        )
        if not props.volume_takes_key:
            acknowledge_all(configuration, VOLUME_KEY_FINDINGS, volume_without_key(props.instance_type))
        return configuration


class _Component(Construct):
    """The component, its unnamed model, its alarms, and the scaling of its copies."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        role_arn: str,
        props: InferenceComponentProps,
        endpoint: sagemaker.CfnEndpoint,
        of_endpoint: InferenceComponentEndpointProps,
    ) -> None:
        super().__init__(scope, construct_id)
        model = serving_model(
            self,
            "Model",
            props=ServingModelProps(
                containers=(props,),
                execution_role_arn=role_arn,
                network_isolation=of_endpoint.network_isolation,
                foundation=of_endpoint.foundation,
            ),
        )
        watched = EndpointAlarmProps(
            endpoint_name=of_endpoint.endpoint_name,
            variant_name=of_endpoint.variant_name,
            component_name=props.component_name,
            thresholds=props.thresholds,
            evaluations=props.evaluations,
            alarm_topic_arn=of_endpoint.foundation.alarm_topic_arn,
        )
        EndpointAlarms(self, "Alarms", props=watched)
        component = sagemaker.CfnInferenceComponent(
            self,
            "Component",
            inference_component_name=props.component_name,
            endpoint_name=endpoint.attr_endpoint_name,
            variant_name=of_endpoint.variant_name,
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
                operations_key_arn=of_endpoint.foundation.operations_key_arn,
                log_retention_days=of_endpoint.log_retention_days,
                removal_policy=of_endpoint.removal_policy,
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

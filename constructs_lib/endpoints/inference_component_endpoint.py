"""An endpoint of inference components: a fleet, and copies of several models on it.

https://docs.aws.amazon.com/sagemaker/latest/dg/realtime-endpoints-deploy-models.html
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.alarms.endpoint_alarms import EndpointAlarmProps, EndpointAlarms
from constructs_lib.alarms.endpoint_thresholds import AlarmThresholds
from constructs_lib.endpoints.endpoint_parts import (
    VOLUME_KEY_FINDINGS,
    check_name,
    endpoint_log_group,
    volume_without_key,
)
from constructs_lib.endpoints.inference_component import (
    ComponentFleet,
    InferenceComponent,
    InferenceComponentProps,
)
from constructs_lib.endpoints.model_role import ModelRole, ModelRoleProps
from constructs_lib.endpoints.production_variant import metrics_property, routing_property
from constructs_lib.endpoints.serving_model import (
    decryption_key_arns,
    read_locations,
    repository_arns,
)
from constructs_lib.instance_storage import has_local_nvme
from constructs_lib.policies.acknowledgements import acknowledge_all
from sizewell.facts.alarms import AlarmEvaluation
from sizewell.facts.production_variants import RoutingStrategy

#: What nobody wants to be without: what an instance runs out of.
DEFAULT_FLEET_THRESHOLDS = AlarmThresholds(max_memory_utilization_percent=90, max_disk_utilization_percent=80)


@dataclass(frozen=True, kw_only=True)
class InferenceComponentEndpointProps(ComponentFleet):
    """The fleet, and its components by names that are theirs in the construct tree.

    SageMaker keeps between ``min_instance_count`` and ``max_instance_count`` instances, as many as the copies need; 0 is for
    components that all scale to zero. ``encrypt_volume_with_key``, ``routing`` and ``detailed_metrics`` are as those of
    ``RealtimeEndpointProps``. Raises ValueError.
    """

    instance_type: str
    components: Mapping[str, InferenceComponentProps]
    initial_instance_count: int = 1
    min_instance_count: int = 1
    max_instance_count: int = 2
    volume_size_gib: int | None = None
    encrypt_volume_with_key: bool | None = None
    inference_ami_version: str | None = None
    routing: RoutingStrategy | None = "least-outstanding-requests"
    detailed_metrics: bool = True
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
            component.component_name
            for component in self.components.values()
            if not component.component_name.startswith(self.component_prefix)
        ]:
            raise ValueError(
                f"names of components begin with {self.component_prefix}, got {', '.join(others)}"
            )
        awake = [
            key
            for key, component in self.components.items()
            if not component.scaling or component.scaling.fewest_copies
        ]
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
        alarms = EndpointAlarms(
            self,
            "Alarms",
            props=EndpointAlarmProps(
                endpoint_name=props.endpoint_name,
                variant_name=props.variant_name,
                thresholds=props.thresholds,
                evaluations=props.evaluations,
                instances_report=props.min_instance_count > 0,
                alarm_topic_arn=props.foundation.alarm_topic_arn,
                in_composite=props.in_composite,
            ),
        )
        components = Construct(self, "Components")
        made = [
            InferenceComponent(components, key, role_arn, component, self.endpoint, props)
            for key, component in props.components.items()
        ]
        self.alarms = (alarms, *(component.alarms for component in made))
        """Those of the fleet, and of each component."""

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
                if any(container.rollout for container in containers)
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

"""An endpoint on instances: model, endpoint configuration and endpoint, with the model's execution role.

Real-time, unless ``asynchronous`` says how it answers later.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from aws_cdk import RemovalPolicy
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.acknowledgements import acknowledge_all
from constructs_lib.asynchronous_inference import AsynchronousInference
from constructs_lib.container_images import image_repository_arn
from constructs_lib.data_capture import DataCapture
from constructs_lib.endpoint_alarms import (
    AlarmThresholds,
    EndpointAlarmProps,
    EndpointAlarms,
    rollback_alarm_names,
)
from constructs_lib.endpoint_parts import (
    VOLUME_KEY_FINDINGS,
    check_artifact_key,
    check_name,
    endpoint_log_group,
    volume_without_key,
)
from constructs_lib.endpoint_rollout import Rollout
from constructs_lib.endpoint_scaling import (
    EndpointScaling,
    EndpointScalingProps,
    ScheduledAction,
    VariantScaling,
)
from constructs_lib.instance_storage import has_local_nvme
from constructs_lib.model_role import ModelRole, ModelRoleProps
from constructs_lib.references import FoundationReferences
from constructs_lib.scaling_policies import track_invocations
from constructs_lib.serving_model import MultiModel, ServingModelProps, serving_model
from sizewell.facts.production_variants import (
    MAX_INSTANCE_POOLS,
    PROVISION_TIMEOUT_BOUNDS_S,
    STARTUP_TIMEOUT_BOUNDS_S,
    VOLUME_SIZE_BOUNDS_GIB,
)

#: What nobody wants to be without, whatever the model: errors of the container, and what an instance runs out of.
DEFAULT_ALARM_THRESHOLDS = AlarmThresholds(
    max_5xx_error_rate_percent=1,
    max_model_error_rate_percent=1,
    max_memory_utilization_percent=90,
    max_disk_utilization_percent=80,
)


@dataclass(frozen=True, kw_only=True)
class RealtimeEndpointProps:
    """One endpoint with one production variant.

    ``image_uri`` is an image in Amazon ECR, whose repository the role may pull; ``image_repository_arn`` None takes it
    from there. ``artifact_key`` lies in the artifact bucket. Compressed (``Gzip``, as SageMaker's SDK uploads models) it is
    one tar.gz object; otherwise (``None``) one object, or a key prefix that ends with a slash.

    ``variant_name`` is the one that SageMaker's console gives to a single variant. ``initial_instance_count`` is 2, because
    SageMaker spreads instances over availability zones, and one instance has one zone. ``volume_size_gib`` None leaves
    the size to SageMaker. ``encrypt_volume_with_key`` must be False for an instance type with local NVMe storage, and
    only for one: the API refuses a key there, and such a type has no EBS volume to size; None goes by the name of the
    type. Both timeouts are half an hour: enough for a hundred GiB at one gigabit a second, and half as long as the
    longest that SageMaker waits for a container that never answers.

    ``retain_instance_count`` keeps on every update what the autoscaler set; without scaling it would keep a new
    ``initial_instance_count`` from ever arriving, so ``add_scaling`` turns it on. ``network_isolation`` keeps containers
    from all calls but SageMaker's own. ``inference_ami_version`` names the machine image of the host, for its driver; None
    leaves it to SageMaker. ``capacity_reservation_arn`` names an ML capacity reservation of this type: instances start
    in it or not at all. ``instance_pools`` are types to take where there is no capacity for ``instance_type``, which is the first
    of them; ``instance_provision_timeout_s`` is how long SageMaker looks for it.

    ``log_retention_days`` and ``removal_policy`` are for the log group of the containers, which outlives its stack: it says why
    something failed. ``rollout`` is how a new fleet takes over, and takes effect with the alarms that call it back
    (``add_alarms`` or ``roll_back_on``); None moves all traffic at once. ``execution_role_arn`` names a role of the account that
    SageMaker assumes; None makes one that may do no more than this endpoint needs. ``data_capture`` is what is kept of requests
    and answers; None keeps nothing. ``asynchronous`` lets requests wait in a queue, and answers go to S3; None answers at once.
    ``multi_model`` serves all models below ``artifact_key``, a prefix; None serves one. Raises ValueError for input that the
    API would refuse.
    """

    endpoint_name: str
    instance_type: str
    image_uri: str
    artifact_key: str
    foundation: FoundationReferences
    variant_name: str = "AllTraffic"
    initial_instance_count: int = 2
    image_repository_arn: str | None = None
    artifact_compression: Literal["Gzip", "None"] = "Gzip"
    volume_size_gib: int | None = None
    encrypt_volume_with_key: bool | None = None
    model_data_download_timeout_s: int = 1800
    container_startup_health_check_timeout_s: int = 1800
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    inference_ami_version: str | None = None
    capacity_reservation_arn: str | None = None
    instance_pools: Sequence[str] = ()
    instance_provision_timeout_s: int = 1200
    environment_variables: dict[str, str] = field(default_factory=dict)
    network_isolation: bool = True
    retain_instance_count: bool = False
    rollout: Rollout | None = None
    data_capture: DataCapture | None = None
    execution_role_arn: str | None = None
    asynchronous: AsynchronousInference | None = None
    multi_model: MultiModel | None = None

    def __post_init__(self) -> None:
        """Check names, bounds and the rules between fields."""
        for label in ("endpoint_name", "variant_name"):
            check_name(label, getattr(self, label))
        if not self.instance_type.startswith("ml."):
            raise ValueError(
                f"instance_type must be a SageMaker type such as ml.m5.large, got {self.instance_type!r}"
            )
        if self.initial_instance_count < 1:
            raise ValueError(f"initial_instance_count must be at least 1, got {self.initial_instance_count}")
        for label in ("model_data_download_timeout_s", "container_startup_health_check_timeout_s"):
            _check_range(label, getattr(self, label), STARTUP_TIMEOUT_BOUNDS_S)
        self._check_volume()
        self._check_pools()
        self._check_artifact()

    @property
    def volume_takes_key(self) -> bool:
        """Whether the ML volume is encrypted with the data key."""
        if self.encrypt_volume_with_key is None:
            return not has_local_nvme(self.instance_type)
        return self.encrypt_volume_with_key

    def _check_volume(self) -> None:
        if self.volume_size_gib is None:
            return
        _check_range("volume_size_gib", self.volume_size_gib, VOLUME_SIZE_BOUNDS_GIB)
        if not self.volume_takes_key:
            raise ValueError(
                f"volume_size_gib is for EBS volumes, which take the key: {self.instance_type} has none"
            )

    def _check_pools(self) -> None:
        pools = self.instance_pools
        if not pools:
            return
        if pools[0] != self.instance_type or not 2 <= len(set(pools)) == len(pools) <= MAX_INSTANCE_POOLS:
            raise ValueError(
                f"instance_pools are 2 to {MAX_INSTANCE_POOLS} types, {self.instance_type} first and each once, got {pools}"
            )
        if len(set(map(has_local_nvme, pools))) > 1:
            raise ValueError(
                f"instance_pools have local NVMe storage all or none: one key is for all of them, got {pools}"
            )
        if self.capacity_reservation_arn is not None:
            raise ValueError(
                "a capacity reservation is of one instance type, and goes with no instance_pools"
            )
        _check_range(
            "instance_provision_timeout_s", self.instance_provision_timeout_s, PROVISION_TIMEOUT_BOUNDS_S
        )

    def _check_artifact(self) -> None:
        key = self.artifact_key
        check_artifact_key(key)
        if self.multi_model is not None:
            if not key.endswith("/"):
                raise ValueError(f"many models lie below a prefix that ends in a slash, got {key!r}")
        elif self.artifact_compression == "Gzip" and key.endswith("/"):
            raise ValueError(f"a compressed artifact is one tar.gz object, not a prefix, got {key!r}")


def _check_range(label: str, value: int, bounds: tuple[int, int]) -> None:
    if not bounds[0] <= value <= bounds[1]:
        raise ValueError(f"{label} must lie between {bounds[0]} and {bounds[1]}, got {value}")


class RealtimeEndpoint(Construct):
    """A named endpoint over an unnamed model and configuration, in the private subnets, encrypted with the data key.

    Model and configuration are immutable, and a name of their own would block their replacement. Requests travel over
    TLS through the interface endpoint of the VPC. SageMaker offers no encryption between containers for real-time
    models: one container serves each instance, and instances do not talk to each other. Network isolation, VPC and role
    belong to the model here; their namesakes in the endpoint configuration are for variants without a model, whose
    inference components bring theirs
    (https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateEndpointConfig.html).
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: RealtimeEndpointProps) -> None:
        super().__init__(scope, construct_id)
        self._props = props
        model = self._model(props.execution_role_arn or self._add_role(props), props)
        configuration = self._configuration(model.attr_model_name, props)
        log_group = endpoint_log_group(
            self,
            props.endpoint_name,
            operations_key_arn=props.foundation.operations_key_arn,
            log_retention_days=props.log_retention_days,
            removal_policy=props.removal_policy,
        )
        self.endpoint = sagemaker.CfnEndpoint(
            self,
            "Endpoint",
            endpoint_name=props.endpoint_name,
            endpoint_config_name=configuration.attr_endpoint_config_name,
            # Read by updates only: CreateEndpoint has no such member.
            retain_all_variant_properties=props.retain_instance_count,
        )
        # Before the first container writes: SageMaker makes the group itself if it is missing, without key and expiry.
        self.endpoint.add_resource_dependency(log_group)

    def _add_role(self, props: RealtimeEndpointProps) -> str:
        role = ModelRole(
            self,
            "ModelRole",
            props=ModelRoleProps(
                endpoint_name=props.endpoint_name,
                image_repository_arns=(
                    props.image_repository_arn or image_repository_arn(self, props.image_uri),
                ),
                artifact_keys=(props.artifact_key,),
                encrypt_volume_with_key=props.volume_takes_key,
                rollback_alarm_names=rollback_alarm_names(
                    f"{props.endpoint_name}-{props.variant_name}",
                    asynchronous=props.asynchronous is not None,
                )
                if props.rollout
                else (),
                data_capture_prefix=props.data_capture.prefix if props.data_capture else None,
                asynchronous=props.asynchronous,
                foundation=props.foundation,
            ),
        )
        return role.arn

    def add_scaling(
        self,
        *,
        min_instance_count: int,
        max_instance_count: int,
        target_invocations_per_instance_per_minute: float,
        scale_out_cooldown_s: int = 60,
        scale_in_cooldown_s: int = 300,
        scheduled_actions: Sequence[ScheduledAction] = (),
    ) -> EndpointScaling:
        """Let the number of instances follow the load.

        The target is what one instance serves in a minute with room to spare, as a load test says. Instances are added a
        minute after the last ones, since a load that grows does not wait, and taken away after five, SageMaker's own
        default. ``scheduled_actions`` set other bounds by the clock. Raises ValueError for impossible bounds.
        """
        props = self._props
        self.endpoint.retain_all_variant_properties = True
        return EndpointScaling(
            self,
            "Scaling",
            props=EndpointScalingProps(
                endpoint=self.endpoint,
                endpoint_name=props.endpoint_name,
                alarm_topic_arn=props.foundation.alarm_topic_arn,
                variants=(
                    VariantScaling(
                        variant_name=props.variant_name,
                        min_instance_count=min_instance_count,
                        max_instance_count=max_instance_count,
                        policies=(
                            track_invocations(
                                target_invocations_per_instance_per_minute,
                                scale_out_cooldown_s=scale_out_cooldown_s,
                                scale_in_cooldown_s=scale_in_cooldown_s,
                            ),
                        ),
                        scheduled_actions=scheduled_actions,
                    ),
                ),
            ),
        )

    def add_alarms(
        self,
        thresholds: AlarmThresholds = DEFAULT_ALARM_THRESHOLDS,
        *,
        vcpu_count: int = 0,
        gpu_count: int = 0,
    ) -> EndpointAlarms:
        """Tell the alarm topic of the foundation when a threshold is exceeded.

        ``vcpu_count`` and ``gpu_count`` are those of one instance, and needed for thresholds on CPU and GPU only. Raises
        ValueError where they are missing.
        """
        props = self._props
        alarms = EndpointAlarms(
            self,
            "Alarms",
            props=EndpointAlarmProps(
                endpoint_name=props.endpoint_name,
                variant_name=props.variant_name,
                thresholds=thresholds,
                vcpu_count=vcpu_count,
                gpu_count=gpu_count,
                alarm_topic_arn=props.foundation.alarm_topic_arn,
            ),
        )
        self.roll_back_on(alarms)
        return alarms

    def roll_back_on(self, alarms: EndpointAlarms) -> None:
        """Let the alarms call a new fleet back, where there is a ``rollout``."""
        if self._props.rollout is not None:
            self.endpoint.deployment_config = self._props.rollout.to_deployment_config(
                alarms.rollback_alarm_names
            )

    def _model(self, role_arn: str, props: RealtimeEndpointProps) -> sagemaker.CfnModel:
        return serving_model(
            self,
            "Model",
            props=ServingModelProps(
                execution_role_arn=role_arn,
                image_uri=props.image_uri,
                artifact_key=props.artifact_key,
                artifact_compression=props.artifact_compression,
                environment_variables=props.environment_variables,
                network_isolation=props.network_isolation,
                foundation=props.foundation,
                multi_model=props.multi_model,
            ),
        )

    def _configuration(self, model_name: str, props: RealtimeEndpointProps) -> sagemaker.CfnEndpointConfig:
        configuration = sagemaker.CfnEndpointConfig(
            self,
            "EndpointConfig",
            kms_key_id=props.foundation.data_key_arn if props.volume_takes_key else None,
            data_capture_config=props.data_capture.to_config(props.foundation)
            if props.data_capture
            else None,
            async_inference_config=props.asynchronous.to_config(props.foundation)
            if props.asynchronous
            else None,
            production_variants=[
                sagemaker.CfnEndpointConfig.ProductionVariantProperty(
                    variant_name=props.variant_name,
                    model_name=model_name,
                    instance_type=None if props.instance_pools else props.instance_type,
                    **_pools(props),
                    initial_instance_count=props.initial_instance_count,
                    initial_variant_weight=1,
                    volume_size_in_gb=props.volume_size_gib,
                    inference_ami_version=props.inference_ami_version,
                    capacity_reservation_config=_capacity_reservation(props.capacity_reservation_arn),
                    model_data_download_timeout_in_seconds=props.model_data_download_timeout_s,
                    container_startup_health_check_timeout_in_seconds=(
                        props.container_startup_health_check_timeout_s
                    ),
                )
            ],
        )
        if not props.volume_takes_key:
            acknowledge_all(configuration, VOLUME_KEY_FINDINGS, volume_without_key(props.instance_type))
        return configuration


def _pools(props: RealtimeEndpointProps) -> dict[str, Any]:
    """Return what a variant of several types has: requests go to the instance with the fewest, as types differ in speed."""
    if not props.instance_pools:
        return {}
    return {
        "instance_pools": [
            sagemaker.CfnEndpointConfig.InstancePoolProperty(instance_type=name, priority=place)
            for place, name in enumerate(props.instance_pools, start=1)
        ],
        "variant_instance_provision_timeout_in_seconds": props.instance_provision_timeout_s,
        "routing_config": sagemaker.CfnEndpointConfig.RoutingConfigProperty(
            routing_strategy="LEAST_OUTSTANDING_REQUESTS"
        ),
    }


def _capacity_reservation(
    arn: str | None,
) -> sagemaker.CfnEndpointConfig.CapacityReservationConfigProperty | None:
    if arn is None:
        return None
    return sagemaker.CfnEndpointConfig.CapacityReservationConfigProperty(
        capacity_reservation_preference="capacity-reservations-only", ml_reservation_arn=arn
    )

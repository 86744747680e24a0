"""An endpoint on instances: model, endpoint configuration and endpoint, with the model's execution role.

Real-time, unless ``asynchronous`` says how it answers later.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.alarms.endpoint_alarms import EndpointAlarmProps, EndpointAlarms, rollback_alarm_wildcards
from constructs_lib.alarms.endpoint_thresholds import AlarmThresholds, rollback_thresholds
from constructs_lib.endpoints.asynchronous_inference import AsynchronousInference
from constructs_lib.endpoints.data_capture import DataCapture
from constructs_lib.endpoints.endpoint_access import grant, invoke_later_statements, invoke_statements
from constructs_lib.endpoints.endpoint_parts import (
    VOLUME_KEY_FINDINGS,
    check_name,
    endpoint_log_group,
    volume_without_key,
)
from constructs_lib.endpoints.endpoint_rollout import Rollout
from constructs_lib.endpoints.model_role import ModelRole, ModelRoleProps
from constructs_lib.endpoints.production_variant import ProductionVariant, metrics_property, variant_property
from constructs_lib.endpoints.serving_model import (
    ServingModelProps,
    decryption_key_arns,
    read_locations,
    repository_arns,
    serving_model,
)
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.policies.acknowledgements import acknowledge_all
from constructs_lib.policies.statements import Statement
from constructs_lib.scaling.endpoint_scaling import (
    EndpointScaling,
    EndpointScalingProps,
    ScheduledAction,
    VariantScaling,
)
from constructs_lib.scaling.scaling_policies import track_invocations
from sizewell.facts.alarms import AlarmEvaluation
from sizewell.facts.deployment_guardrails import MAX_ROLLBACK_ALARMS
from sizewell.facts.production_variants import MAX_VARIANTS

#: What an update sets anew though it retains the rest: the configuration says the weights, and the autoscaler the numbers.
_WEIGHTS = [sagemaker.CfnEndpoint.VariantPropertyProperty(variant_property_type="DesiredWeight")]


#: What nobody wants to be without, whatever the model: errors of the container, and what an instance runs out of.
DEFAULT_ALARM_THRESHOLDS = AlarmThresholds(
    max_5xx_error_rate_percent=1,
    max_model_error_rate_percent=1,
    max_memory_utilization_percent=90,
    max_disk_utilization_percent=80,
)


@dataclass(frozen=True, kw_only=True)
class RealtimeEndpointProps(ProductionVariant):
    """One endpoint: its own variant, and others beside it.

    ``other_variants`` share its requests by their weights. ``shadow_variant`` gets copies of requests, and its answers are
    not returned; its ``weight`` is the share that is copied to it. The API takes a shadow beside one variant only.

    ``retain_instance_count`` keeps on every update what the autoscaler set; without scaling it would keep a new
    ``initial_instance_count`` from ever arriving, so ``add_scaling`` turns it on.

    ``log_retention_days`` and ``removal_policy`` are for the log group of the containers, which outlives its stack: it says why
    something failed. ``rollout`` is how a new fleet takes over, and takes effect with the alarms that call it back
    (``add_alarms`` or ``roll_back_on``); None moves all traffic at once. ``execution_role_arn`` names a role of the account that
    SageMaker assumes; None makes one for each variant, that may do no more than its model needs. ``data_capture`` is what is kept
    of requests and answers; None keeps nothing. ``asynchronous`` lets requests wait in a queue, and answers go to S3; None
    answers at once. ``detailed_metrics`` False keeps SageMaker from publishing those of each container, GPU and host, which
    CloudWatch bills by the GB. Raises ValueError for input that the API would refuse.
    """

    endpoint_name: str
    foundation: FoundationReferences
    other_variants: Sequence[ProductionVariant] = ()
    shadow_variant: ProductionVariant | None = None
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    retain_instance_count: bool = False
    rollout: Rollout | None = None
    data_capture: DataCapture | None = None
    execution_role_arn: str | None = None
    asynchronous: AsynchronousInference | None = None
    detailed_metrics: bool = True

    def __post_init__(self) -> None:
        """Check each variant, and what goes together."""
        super().__post_init__()
        check_name("endpoint_name", self.endpoint_name)
        names = [variant.variant_name for variant in self.variants]
        if len(set(names)) < len(names) or len(names) > MAX_VARIANTS:
            raise ValueError(
                f"an endpoint has up to {MAX_VARIANTS} variants, each with a name of its own, got {names}"
            )
        if self.shadow_variant and self.other_variants:
            raise ValueError(f"a shadow goes with one variant only, got {names}")
        if len(names) > 1 and any(variant.multi_model for variant in self.variants):
            raise ValueError(f"an endpoint of many models has one variant, got {names}")
        if sum(variant.weight for variant in self.answering_variants) == 0:
            raise ValueError("the weights of the variants sum to 0: none of them would answer")
        if len({variant.volume_takes_key for variant in self.variants}) > 1:
            raise ValueError("one key is for the volumes of all variants, and none beside local NVMe storage")

    @property
    def answering_variants(self) -> tuple[ProductionVariant, ...]:
        """Its own variant, and those that share its requests."""
        return (self, *self.other_variants)

    @property
    def variants(self) -> tuple[ProductionVariant, ...]:
        """All variants, with the shadow."""
        return (*self.answering_variants, *((self.shadow_variant,) if self.shadow_variant else ()))


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
        self._rollback_alarm_names: list[str] = []
        self._configuration_name = self._configuration().attr_endpoint_config_name
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
            endpoint_config_name=self._configuration_name,
            # Read by updates only: CreateEndpoint has no such members.
            retain_all_variant_properties=props.retain_instance_count,
            exclude_retained_variant_properties=_WEIGHTS if props.other_variants else None,
        )
        # Before the first container writes: SageMaker makes the group itself if it is missing, without key and expiry.
        self.endpoint.add_resource_dependency(log_group)

    def _configuration(self) -> sagemaker.CfnEndpointConfig:
        props, foundation = self._props, self._props.foundation
        shadow = props.shadow_variant
        configuration = sagemaker.CfnEndpointConfig(
            self,
            "EndpointConfig",
            kms_key_id=foundation.data_key_arn if props.volume_takes_key else None,
            data_capture_config=props.data_capture.to_config(foundation) if props.data_capture else None,
            metrics_config=metrics_property(detailed=props.detailed_metrics),
            async_inference_config=props.asynchronous.to_config(foundation) if props.asynchronous else None,
            production_variants=[
                variant_property(variant, self._model(variant)) for variant in props.answering_variants
            ],
            shadow_production_variants=[variant_property(shadow, self._model(shadow))] if shadow else None,
        )
        if not props.volume_takes_key:
            acknowledge_all(configuration, VOLUME_KEY_FINDINGS, volume_without_key(props.instance_type))
        return configuration

    def _model(self, variant: ProductionVariant) -> str:
        """Add the model of a variant and its role; return the name of the model, a token."""
        props = self._props
        scope = self if variant is props else Construct(self, f"Variant-{variant.variant_name}")
        model = serving_model(
            scope,
            "Model",
            props=ServingModelProps(
                containers=variant.containers,
                execution_role_arn=props.execution_role_arn or self._role_arn(scope, variant),
                network_isolation=variant.network_isolation,
                foundation=props.foundation,
            ),
        )
        return model.attr_model_name

    def _role_arn(self, scope: Construct, variant: ProductionVariant) -> str:
        props = self._props
        watched = props.answering_variants if props.rollout else ()
        role = ModelRole(
            scope,
            "ModelRole",
            props=ModelRoleProps(
                endpoint_name=props.endpoint_name,
                image_repository_arns=repository_arns(self, variant.containers),
                reads=read_locations(variant.containers, props.foundation),
                decryption_key_arns=decryption_key_arns(variant.containers),
                encrypt_volume_with_key=variant.volume_takes_key,
                # No page says which of the roles asks for the alarms of a deployment.
                rollback_alarm_names=tuple(
                    name
                    for variant in watched
                    for name in rollback_alarm_wildcards(
                        f"{props.endpoint_name}-{variant.variant_name}",
                        asynchronous=props.asynchronous is not None,
                    )
                ),
                data_capture_prefix=props.data_capture.prefix if props.data_capture else None,
                asynchronous=props.asynchronous,
                foundation=props.foundation,
            ),
        )
        return role.arn

    def grant_invoke(self, grantee: iam.IGrantable, *, streams: bool = False) -> iam.Grant:
        """Let a grantee of the account invoke this endpoint, and nothing else.

        ``streams`` lets it read answers as a stream, too. Where the endpoint is ``asynchronous``, the grantee may queue
        requests, put them below the prefix of requests, and read answers and failures. Raises ValueError for
        streams of an endpoint that writes none: an asynchronous one, and one of many models.
        """
        return grant(grantee, self.invoke_statements(streams=streams))

    def invoke_statements(self, *, streams: bool = False) -> list[Statement]:
        """Return what ``grant_invoke`` allows."""
        asynchronous = self._props.asynchronous
        if streams and asynchronous is not None:
            raise ValueError("an asynchronous endpoint answers in S3: it writes no stream")
        if streams and self._props.multi_model is not None:
            raise ValueError(
                "InvokeEndpointWithResponseStream names no model: an endpoint of many writes no stream"
            )
        if asynchronous is None:
            return invoke_statements(self.endpoint.ref, streams=streams)
        return invoke_later_statements(self.endpoint.ref, asynchronous, self._props.foundation)

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
        """Tell the alarm topic of the foundation when a threshold is exceeded; with a ``rollout``, call a new fleet back.

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
        if props.rollout is not None:
            self.roll_back_on(props.variant_name, rollback_thresholds(thresholds))
        return alarms

    def roll_back_on(
        self,
        variant_name: str,
        thresholds: AlarmThresholds,
        evaluations: Mapping[str, AlarmEvaluation] | None = None,
    ) -> EndpointAlarms:
        """Let alarms of its own call a new fleet of the variant back; they go off within the waits of the ``rollout``.

        They watch the fleet of the new endpoint configuration alone: "if your old fleet trips the alarm during the deployment,
        SageMaker terminates your deployment"
        (https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails-configuration.html), and what is broken could not
        be mended. Their names end with that of the configuration, so that each one begins with new alarms: an alarm that is
        updated keeps its state (API reference, PutMetricAlarm). Raises ValueError without a ``rollout``, and for more alarms
        than the API takes.
        """
        props = self._props
        if props.rollout is None:
            raise ValueError("roll_back_on needs a rollout: without one, SageMaker watches no alarm")
        own = variant_name == props.variant_name
        alarms = EndpointAlarms(
            self,
            "RollbackAlarms" if own else f"RollbackAlarms-{variant_name}",
            props=EndpointAlarmProps(
                endpoint_name=props.endpoint_name,
                variant_name=variant_name,
                thresholds=thresholds,
                evaluations=evaluations or {},
                alarm_topic_arn=None,
                endpoint_config_name=self._configuration_name,
                name_suffix=f"-{self._configuration_name}",
            ),
        )
        self._rollback_alarm_names += alarms.alarm_names
        if len(self._rollback_alarm_names) > MAX_ROLLBACK_ALARMS:
            raise ValueError(
                f"SageMaker watches {MAX_ROLLBACK_ALARMS} alarms at most, got {len(self._rollback_alarm_names)}"
            )
        self.endpoint.deployment_config = props.rollout.to_deployment_config(self._rollback_alarm_names)
        return alarms

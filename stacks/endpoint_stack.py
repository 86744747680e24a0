"""The stack of one endpoint on instances, which answers at once or later."""

from typing import Any, Literal

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.asynchronous_inference import AsynchronousInference
from constructs_lib.data_capture import DataCapture
from constructs_lib.endpoint_alarms import (
    THRESHOLD_OF_ALARM,
    AlarmThresholds,
    EndpointAlarmProps,
    EndpointAlarms,
)
from constructs_lib.endpoint_rollout import Rollout
from constructs_lib.endpoint_scaling import (
    EndpointScaling,
    EndpointScalingProps,
    ScheduledAction,
    VariantScaling,
)
from constructs_lib.foundation_parameters import read_foundation_references
from constructs_lib.inference_topics import InferenceTopics, InferenceTopicsProps
from constructs_lib.realtime_endpoint import RealtimeEndpoint, RealtimeEndpointProps
from constructs_lib.references import FoundationReferences
from constructs_lib.serving_model import MultiModel
from sizewell.facts.alarms import AlarmEvaluation
from sizewell.planning.plan import AsynchronousPlan, EndpointPlan, FoundationPlan, ProvisionedPoolsPlan
from sizewell.stacks.removal import removal_policy
from sizewell.stacks.scaling_policies import scaling_policy

_COMPRESSION: dict[str, Literal["Gzip", "None"]] = {"gzip": "Gzip", "none": "None"}


class EndpointStack(Stack):
    """Endpoint, autoscaling and alarms of one workload."""

    foundation: FoundationReferences
    """What the foundation publishes, such as the alarm topic: tokens of this stack."""
    endpoint: RealtimeEndpoint
    alarms: EndpointAlarms
    scaling: EndpointScaling | None = None
    """None for a fixed number of instances."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        plan: EndpointPlan,
        foundation_plan: FoundationPlan,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.foundation = read_foundation_references(self, foundation_plan.parameter_prefix)
        asynchronous = self._asynchronous(plan.asynchronous) if plan.asynchronous else None
        may_sleep = plan.asynchronous is not None and plan.asynchronous.sleeps
        self.endpoint = RealtimeEndpoint(
            self,
            "Endpoint",
            props=RealtimeEndpointProps(
                endpoint_name=plan.endpoint_name,
                variant_name=plan.variant_name,
                instance_type=plan.instance_type,
                initial_instance_count=plan.initial_instance_count,
                image_uri=plan.image.uri,
                image_repository_arn=plan.image.repository_arn,
                artifact_key=plan.artifact_key,
                artifact_compression=_COMPRESSION[plan.artifact_compression],
                volume_size_gib=plan.volume_size_gib,
                encrypt_volume_with_key=plan.encrypt_volume_with_key,
                model_data_download_timeout_s=plan.model_data_download_timeout_s,
                container_startup_health_check_timeout_s=plan.container_startup_health_check_timeout_s,
                log_retention_days=foundation_plan.log_retention_days,
                removal_policy=removal_policy(foundation_plan),
                foundation=self.foundation,
                inference_ami_version=plan.inference_ami_version,
                capacity_reservation_arn=plan.capacity_reservation_arn,
                **_pools(plan.provisioned_pools),
                environment_variables=plan.environment,
                network_isolation=plan.network_isolation,
                retain_instance_count=plan.scaling is not None,
                execution_role_arn=plan.execution_role_arn,
                rollout=Rollout(**plan.rollout.model_dump()) if plan.rollout else None,
                data_capture=DataCapture(**plan.data_capture.model_dump()) if plan.data_capture else None,
                asynchronous=asynchronous,
                multi_model=MultiModel(cache=plan.multi_model.cache) if plan.multi_model else None,
            ),
        )
        self.alarms = EndpointAlarms(
            self,
            "Alarms",
            props=EndpointAlarmProps(
                endpoint_name=plan.endpoint_name,
                variant_name=plan.variant_name,
                thresholds=AlarmThresholds(
                    **{THRESHOLD_OF_ALARM[name]: alarm.threshold for name, alarm in plan.alarms.items()}
                ),
                evaluations={
                    THRESHOLD_OF_ALARM[name]: AlarmEvaluation(**alarm.model_dump(exclude={"threshold"}))
                    for name, alarm in plan.alarms.items()
                },
                vcpu_count=plan.vcpu_count,
                gpu_count=plan.gpu_count,
                instances_report=not may_sleep,
                alarm_topic_arn=self.foundation.alarm_topic_arn,
            ),
        )
        self.endpoint.roll_back_on(self.alarms)
        if plan.scaling is not None:
            variant = VariantScaling(
                variant_name=plan.variant_name,
                min_instance_count=plan.scaling.min_instance_count,
                max_instance_count=plan.scaling.max_instance_count,
                policies=[scaling_policy(policy) for policy in plan.scaling.policies],
                may_sleep=may_sleep,
                scheduled_actions=[
                    ScheduledAction(**action.model_dump(exclude={"hours_per_week"}))
                    for action in plan.scaling.scheduled_actions
                ],
            )
            self.scaling = EndpointScaling(
                self,
                "Scaling",
                props=EndpointScalingProps(
                    endpoint=self.endpoint.endpoint,
                    endpoint_name=plan.endpoint_name,
                    alarm_topic_arn=self.foundation.alarm_topic_arn,
                    variants=(variant,),
                ),
            )

    def _asynchronous(self, plan: AsynchronousPlan) -> AsynchronousInference:
        topics = InferenceTopics(
            self,
            "Topics",
            props=InferenceTopicsProps(
                operations_key_arn=self.foundation.operations_key_arn,
                success_topic_arn=plan.success_topic_arn,
                error_topic_arn=plan.error_topic_arn,
            ),
        )
        return AsynchronousInference(
            input_prefix=plan.input_prefix,
            output_prefix=plan.output_prefix,
            failure_prefix=plan.failure_prefix,
            max_concurrent_invocations_per_instance=plan.max_concurrent_invocations_per_instance,
            success_topic_arn=topics.success_topic_arn,
            error_topic_arn=topics.error_topic_arn,
        )


def _pools(pools: ProvisionedPoolsPlan | None) -> dict[str, Any]:
    if pools is None:
        return {}
    return {
        "instance_pools": pools.instance_types,
        "instance_provision_timeout_s": pools.provision_timeout_s,
    }

"""The stack of one endpoint on instances, which answers at once or later."""

from typing import Any

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.alarms.endpoint_alarms import (
    EndpointAlarmProps,
    EndpointAlarms,
)
from constructs_lib.endpoints.asynchronous_inference import (
    AsynchronousInference,
    InferenceTopics,
    InferenceTopicsProps,
)
from constructs_lib.endpoints.data_capture import DataCapture
from constructs_lib.endpoints.endpoint_rollout import Rollout
from constructs_lib.endpoints.production_variant import ProductionVariant
from constructs_lib.endpoints.realtime_endpoint import RealtimeEndpoint, RealtimeEndpointProps
from constructs_lib.endpoints.serving_model import MultiModel
from constructs_lib.foundation.foundation_parameters import read_foundation_references
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.scaling.endpoint_scaling import (
    EndpointScaling,
    EndpointScalingProps,
    ScheduledAction,
    VariantScaling,
)
from sizewell.planning.endpoint_plan_model import (
    AsynchronousPlan,
    EndpointPlan,
    ProvisionedPoolsPlan,
    VariantPlan,
)
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.stacks.access import add_access
from sizewell.stacks.alarm_thresholds import alarm_props
from sizewell.stacks.model_containers import container_props, pipeline_props
from sizewell.stacks.removal import removal_policy
from sizewell.stacks.scaling_policies import scaling_policy


class EndpointStack(Stack):
    """Endpoint, autoscaling and alarms of one workload."""

    foundation: FoundationReferences
    """What the foundation publishes, such as the alarm topic: tokens of this stack."""
    endpoint: RealtimeEndpoint
    alarms: EndpointAlarms
    """Of the endpoint's own variant."""
    scaling: EndpointScaling | None = None
    """None where every variant has a fixed number of instances."""

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
        self.endpoint = self._add_endpoint(plan, foundation_plan)
        self.alarms, *_ = [self._add_alarms(plan, variant) for variant in plan.variants]
        for variant in plan.variants:
            if variant.rollback_alarms:
                self.endpoint.roll_back_on(variant.variant_name, **alarm_props(variant.rollback_alarms))
        if plan.access is not None:
            statements = self.endpoint.invoke_statements(streams=plan.access.streams)
            add_access(self, plan, foundation_plan, statements)
        if scaled := [_scaling(one, plan) for one in plan.variants if one.scaling]:
            self.scaling = EndpointScaling(
                self,
                "Scaling",
                props=EndpointScalingProps(
                    endpoint=self.endpoint.endpoint,
                    endpoint_name=plan.endpoint_name,
                    alarm_topic_arn=self.foundation.alarm_topic_arn,
                    variants=scaled,
                ),
            )

    def _add_endpoint(self, plan: EndpointPlan, foundation_plan: FoundationPlan) -> RealtimeEndpoint:
        return RealtimeEndpoint(
            self,
            "Endpoint",
            props=RealtimeEndpointProps(
                **self._variant(plan),
                other_variants=[ProductionVariant(**self._variant(one)) for one in plan.other_variants],
                shadow_variant=ProductionVariant(**self._variant(plan.shadow_variant))
                if plan.shadow_variant
                else None,
                endpoint_name=plan.endpoint_name,
                log_retention_days=foundation_plan.log_retention_days,
                removal_policy=removal_policy(foundation_plan),
                foundation=self.foundation,
                retain_instance_count=any(one.scaling for one in plan.variants),
                execution_role_arn=plan.execution_role_arn,
                rollout=Rollout(**plan.rollout.model_dump()) if plan.rollout else None,
                detailed_metrics=plan.detailed_metrics,
                data_capture=DataCapture(**plan.data_capture.model_dump()) if plan.data_capture else None,
                asynchronous=self._asynchronous(plan.asynchronous) if plan.asynchronous else None,
                multi_model=MultiModel(cache=plan.multi_model.cache) if plan.multi_model else None,
            ),
        )

    def _variant(self, plan: VariantPlan) -> dict[str, Any]:
        return {
            "variant_name": plan.variant_name,
            "weight": plan.weight,
            "instance_type": plan.instance_type,
            "initial_instance_count": plan.initial_instance_count,
            **container_props(plan, self.foundation),
            **pipeline_props(plan.pipeline),
            "volume_size_gib": plan.volume_size_gib,
            "encrypt_volume_with_key": plan.encrypt_volume_with_key,
            "model_data_download_timeout_s": plan.model_data_download_timeout_s,
            "container_startup_health_check_timeout_s": plan.container_startup_health_check_timeout_s,
            "inference_ami_version": plan.inference_ami_version,
            "capacity_reservation_arn": plan.capacity_reservation_arn,
            "network_isolation": plan.network_isolation,
            "routing": plan.routing,
            **_pools(plan.provisioned_pools),
        }

    def _add_alarms(self, plan: EndpointPlan, variant: VariantPlan) -> EndpointAlarms:
        return EndpointAlarms(
            self,
            "Alarms" if variant is plan else f"Alarms-{variant.variant_name}",
            props=EndpointAlarmProps(
                endpoint_name=plan.endpoint_name,
                variant_name=variant.variant_name,
                **alarm_props(variant.alarms),
                vcpu_count=variant.vcpu_count,
                gpu_count=variant.gpu_count,
                instances_report=not _may_sleep(plan),
                alarm_topic_arn=self.foundation.alarm_topic_arn,
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


def _may_sleep(plan: EndpointPlan) -> bool:
    return plan.asynchronous is not None and plan.asynchronous.sleeps


def _scaling(variant: VariantPlan, plan: EndpointPlan) -> VariantScaling:
    assert variant.scaling is not None
    return VariantScaling(
        variant_name=variant.variant_name,
        min_instance_count=variant.scaling.min_instance_count,
        max_instance_count=variant.scaling.max_instance_count,
        policies=[scaling_policy(policy) for policy in variant.scaling.policies],
        may_sleep=_may_sleep(plan),
        scheduled_actions=[
            ScheduledAction(**action.model_dump(exclude={"hours_per_week"}))
            for action in variant.scaling.scheduled_actions
        ],
    )


def _pools(pools: ProvisionedPoolsPlan | None) -> dict[str, Any]:
    if pools is None:
        return {}
    return {
        "instance_pools": pools.instance_types,
        "instance_provision_timeout_s": pools.provision_timeout_s,
    }

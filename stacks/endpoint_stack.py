"""The stack of one endpoint on instances, which answers at once or later."""

from typing import Any, TypeVar

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
from sizewell.stacks.access import add_access
from sizewell.stacks.alarm_thresholds import alarm_props
from sizewell.stacks.model_containers import container_props, pipeline_props
from sizewell.stacks.scaling_policies import scaling_policy
from sizewell.stacks.workload_stack import WorkloadStack, props_of

V = TypeVar("V", bound=ProductionVariant)


class EndpointStack(WorkloadStack):
    """Endpoint, autoscaling and alarms of one workload."""

    endpoint: RealtimeEndpoint
    alarms: EndpointAlarms
    """Of the endpoint's own variant."""
    scaling: EndpointScaling | None = None
    """None where every variant has a fixed number of instances."""

    def __init__(self, scope: Construct, construct_id: str, *, plan: EndpointPlan, **kwargs: Any) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.endpoint = self._add_endpoint(plan)
        alarms = [self._add_alarms(plan, variant) for variant in plan.variants]
        self.alarms = alarms[0]
        self.add_composite_alarm(plan.name, plan.composite_alarm_name, *alarms)
        for variant in plan.variants:
            if variant.rollback_alarms:
                self.endpoint.roll_back_on(variant.variant_name, **alarm_props(variant.rollback_alarms))
        if plan.access is not None:
            statements = self.endpoint.invoke_statements(streams=plan.access.streams)
            add_access(self, plan, statements)
        if scaled := [_scaling(variant, plan) for variant in plan.variants if variant.scaling]:
            self.scaling = EndpointScaling(
                self,
                "Scaling",
                props=self.props(
                    EndpointScalingProps, plan, endpoint=self.endpoint.endpoint, variants=scaled
                ),
            )

    def _add_endpoint(self, plan: EndpointPlan) -> RealtimeEndpoint:
        return RealtimeEndpoint(
            self,
            "Endpoint",
            props=self._variant(
                RealtimeEndpointProps,
                plan,
                other_variants=[self._variant(ProductionVariant, variant) for variant in plan.other_variants],
                shadow_variant=self._variant(ProductionVariant, plan.shadow_variant)
                if plan.shadow_variant
                else None,
                retain_instance_count=any(variant.scaling for variant in plan.variants),
                rollout=props_of(Rollout, plan.rollout) if plan.rollout else None,
                data_capture=props_of(DataCapture, plan.data_capture) if plan.data_capture else None,
                asynchronous=self._asynchronous(plan.asynchronous) if plan.asynchronous else None,
                multi_model=props_of(MultiModel, plan.multi_model) if plan.multi_model else None,
            ),
        )

    def _variant(self, of: type[V], plan: VariantPlan, **given: Any) -> V:
        containers = {**container_props(plan, self.foundation), **pipeline_props(plan.pipeline)}
        return self.props(of, plan, **containers, **_pools(plan.provisioned_pools), **given)

    def _add_alarms(self, plan: EndpointPlan, variant: VariantPlan) -> EndpointAlarms:
        return EndpointAlarms(
            self,
            "Alarms" if variant is plan else f"Alarms-{variant.variant_name}",
            props=self.props(
                EndpointAlarmProps,
                variant,
                endpoint_name=plan.endpoint_name,
                **alarm_props(variant.alarms),
                instances_report=not _may_sleep(plan),
                in_composite=plan.composite_alarm_name is not None,
            ),
        )

    def _asynchronous(self, plan: AsynchronousPlan) -> AsynchronousInference:
        topics = InferenceTopics(
            self,
            "Topics",
            props=self.props(InferenceTopicsProps, plan),
        )
        return props_of(
            AsynchronousInference,
            plan,
            success_topic_arn=topics.success_topic_arn,
            error_topic_arn=topics.error_topic_arn,
        )


def _may_sleep(plan: EndpointPlan) -> bool:
    return plan.asynchronous is not None and plan.asynchronous.sleeps


def _scaling(variant: VariantPlan, plan: EndpointPlan) -> VariantScaling:
    assert variant.scaling is not None
    return props_of(
        VariantScaling,
        variant.scaling,
        variant_name=variant.variant_name,
        policies=[scaling_policy(policy) for policy in variant.scaling.policies],
        may_sleep=_may_sleep(plan),
        scheduled_actions=[props_of(ScheduledAction, action) for action in variant.scaling.scheduled_actions],
    )


def _pools(pools: ProvisionedPoolsPlan | None) -> dict[str, Any]:
    # The plan's own ``instance_pools`` are what people may take by hand.
    if pools is None:
        return {"instance_pools": ()}
    return {
        "instance_pools": pools.instance_types,
        "instance_provision_timeout_s": pools.provision_timeout_s,
    }

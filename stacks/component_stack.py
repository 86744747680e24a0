"""The stack of one endpoint of inference components."""

from collections.abc import Mapping
from typing import Any

from constructs import Construct

from constructs_lib.endpoints.inference_component import (
    ComponentRollout,
    CopyScaling,
    InferenceComponentProps,
    ScheduledCopies,
)
from constructs_lib.endpoints.inference_component_endpoint import (
    InferenceComponentEndpoint,
    InferenceComponentEndpointProps,
)
from sizewell.kinds.inference_component_endpoint.plan_model import ComponentEndpointPlan, ComponentPlan
from sizewell.stacks.alarm_thresholds import alarm_props
from sizewell.stacks.model_containers import container_props
from sizewell.stacks.scaling_policies import scaling_policy
from sizewell.stacks.workload_stack import WorkloadStack, props_of


class ComponentStack(WorkloadStack):
    """Endpoint, components, their scaling and alarms of one workload."""

    endpoint: InferenceComponentEndpoint

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: ComponentEndpointPlan, **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.endpoint = InferenceComponentEndpoint(
            self,
            "Endpoint",
            props=self.props(
                InferenceComponentEndpointProps,
                plan,
                components={
                    name: self._component(component, plan.environment)
                    for name, component in plan.components.items()
                },
                min_instance_count=plan.scaling.min_instance_count,
                max_instance_count=plan.scaling.max_instance_count,
                in_composite=plan.composite_alarm_name is not None,
                **alarm_props(plan.alarms),
            ),
        )
        self.add_composite_alarm(plan.name, plan.composite_alarm_name, *self.endpoint.alarms)

    def _component(self, plan: ComponentPlan, shared: Mapping[str, str]) -> InferenceComponentProps:
        scaling, container = plan.scaling, container_props(plan, self.foundation)
        return props_of(
            InferenceComponentProps,
            plan,
            **{**container, "environment_variables": {**shared, **plan.environment}},
            copy_count=plan.initial_copy_count,
            scaling=props_of(
                CopyScaling,
                scaling,
                policies=[scaling_policy(policy) for policy in scaling.policies],
                scheduled_actions=[props_of(ScheduledCopies, one) for one in scaling.scheduled_actions],
            )
            if scaling
            else None,
            rollout=props_of(ComponentRollout, plan.rollout, **alarm_props(plan.rollout.alarms))
            if plan.rollout
            else None,
            **alarm_props(plan.alarms),
        )

"""The stack of one endpoint of inference components."""

from collections.abc import Mapping
from typing import Any

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.endpoints.inference_component import (
    ComponentRollout,
    CopyScaling,
    InferenceComponentProps,
)
from constructs_lib.endpoints.inference_component_endpoint import (
    InferenceComponentEndpoint,
    InferenceComponentEndpointProps,
)
from constructs_lib.foundation.foundation_parameters import read_foundation_references
from constructs_lib.foundation.references import FoundationReferences
from sizewell.kinds.inference_component_endpoint.plan_model import ComponentEndpointPlan, ComponentPlan
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.stacks.alarm_thresholds import alarm_props
from sizewell.stacks.model_containers import container_props
from sizewell.stacks.removal import removal_policy
from sizewell.stacks.scaling_policies import scaling_policy


class ComponentStack(Stack):
    """Endpoint, components, their scaling and alarms of one workload."""

    foundation: FoundationReferences
    """What the foundation publishes, such as the alarm topic: tokens of this stack."""
    endpoint: InferenceComponentEndpoint

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        plan: ComponentEndpointPlan,
        foundation_plan: FoundationPlan,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.foundation = read_foundation_references(self, foundation_plan.parameter_prefix)
        self.endpoint = InferenceComponentEndpoint(
            self,
            "Endpoint",
            props=InferenceComponentEndpointProps(
                endpoint_name=plan.endpoint_name,
                variant_name=plan.variant_name,
                instance_type=plan.instance_type,
                components={
                    key: self._component(one, plan.environment) for key, one in plan.components.items()
                },
                initial_instance_count=plan.initial_instance_count,
                min_instance_count=plan.scaling.min_instance_count,
                max_instance_count=plan.scaling.max_instance_count,
                volume_size_gib=plan.volume_size_gib,
                encrypt_volume_with_key=plan.encrypt_volume_with_key,
                inference_ami_version=plan.inference_ami_version,
                network_isolation=plan.network_isolation,
                routing=plan.routing,
                detailed_metrics=plan.detailed_metrics,
                log_retention_days=foundation_plan.log_retention_days,
                removal_policy=removal_policy(foundation_plan),
                execution_role_arn=plan.execution_role_arn,
                foundation=self.foundation,
                **alarm_props(plan.alarms),
            ),
        )

    def _component(self, plan: ComponentPlan, shared: Mapping[str, str]) -> InferenceComponentProps:
        scaling, container = plan.scaling, container_props(plan, self.foundation)
        return InferenceComponentProps(
            component_name=plan.component_name,
            **{**container, "environment_variables": {**shared, **plan.environment}},
            memory_mib=plan.memory_mib,
            accelerator_count=plan.accelerator_count,
            cpu_cores=plan.cpu_cores,
            copy_count=plan.initial_copy_count,
            startup_timeout_s=plan.startup_timeout_s,
            scaling=CopyScaling(
                min_copy_count=scaling.min_copy_count,
                max_copy_count=scaling.max_copy_count,
                policies=[scaling_policy(policy) for policy in scaling.policies],
            )
            if scaling
            else None,
            rollout=ComponentRollout(
                **plan.rollout.model_dump(exclude={"alarms"}), **alarm_props(plan.rollout.alarms)
            )
            if plan.rollout
            else None,
            **alarm_props(plan.alarms),
        )

"""The stack of one serverless endpoint."""

from typing import Any

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.alarms.endpoint_alarms import (
    EndpointAlarmProps,
    EndpointAlarms,
)
from constructs_lib.endpoints.endpoint_access import invoke_statements
from constructs_lib.foundation.foundation_parameters import read_foundation_references
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.on_demand.serverless_endpoint import ServerlessEndpoint, ServerlessEndpointProps
from constructs_lib.scaling.concurrency_scaling import ConcurrencyScaling, concurrency_of_variant
from sizewell.kinds.serverless_endpoint.plan_model import ServerlessEndpointPlan
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.stacks.access import add_access
from sizewell.stacks.alarm_thresholds import alarm_props
from sizewell.stacks.concurrency_scaling import concurrency_scaling
from sizewell.stacks.model_containers import container_props
from sizewell.stacks.removal import removal_policy


class ServerlessStack(Stack):
    """Endpoint, alarms and the scaling of provisioned concurrency of one workload."""

    foundation: FoundationReferences
    """What the foundation publishes, such as the alarm topic: tokens of this stack."""
    endpoint: ServerlessEndpoint
    alarms: EndpointAlarms
    scaling: ConcurrencyScaling | None = None
    """None for a fixed number of warm workers, or none."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        plan: ServerlessEndpointPlan,
        foundation_plan: FoundationPlan,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.foundation = read_foundation_references(self, foundation_plan.parameter_prefix)
        self.endpoint = ServerlessEndpoint(
            self,
            "Endpoint",
            props=ServerlessEndpointProps(
                endpoint_name=plan.endpoint_name,
                variant_name=plan.variant_name,
                **container_props(plan, self.foundation),
                memory_mb=plan.memory_mb,
                max_concurrency=plan.max_concurrency,
                provisioned_concurrency=plan.provisioned_concurrency,
                log_retention_days=foundation_plan.log_retention_days,
                removal_policy=removal_policy(foundation_plan),
                foundation=self.foundation,
                execution_role_arn=plan.execution_role_arn,
            ),
        )
        self.alarms = EndpointAlarms(
            self,
            "Alarms",
            props=EndpointAlarmProps(
                endpoint_name=plan.endpoint_name,
                variant_name=plan.variant_name,
                **alarm_props(plan.alarms),
                instances_report=False,
                alarm_topic_arn=self.foundation.alarm_topic_arn,
            ),
        )
        if plan.access is not None:
            statements = invoke_statements(self.endpoint.endpoint.ref)
            add_access(self, plan, foundation_plan, statements)
        if plan.scaling is not None:
            self.scaling = ConcurrencyScaling(
                self,
                "Scaling",
                props=concurrency_scaling(
                    concurrency_of_variant(self.endpoint.endpoint, plan.endpoint_name, plan.variant_name),
                    plan.scaling,
                ),
            )

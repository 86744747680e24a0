"""The stack of one serverless endpoint."""

from typing import Any

from constructs import Construct

from constructs_lib.alarms.endpoint_alarms import (
    EndpointAlarmProps,
    EndpointAlarms,
)
from constructs_lib.endpoints.endpoint_access import invoke_statements
from constructs_lib.on_demand.serverless_endpoint import ServerlessEndpoint, ServerlessEndpointProps
from constructs_lib.scaling.concurrency_scaling import ConcurrencyScaling, concurrency_of_variant
from sizewell.kinds.serverless_endpoint.plan_model import ServerlessEndpointPlan
from sizewell.stacks.access import add_access
from sizewell.stacks.alarm_thresholds import alarm_props
from sizewell.stacks.concurrency_scaling import concurrency_scaling
from sizewell.stacks.model_containers import container_props
from sizewell.stacks.workload_stack import WorkloadStack


class ServerlessStack(WorkloadStack):
    """Endpoint, alarms and the scaling of provisioned concurrency of one workload."""

    endpoint: ServerlessEndpoint
    alarms: EndpointAlarms
    scaling: ConcurrencyScaling | None = None
    """None for a fixed number of warm workers, or none."""

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: ServerlessEndpointPlan, **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.endpoint = ServerlessEndpoint(
            self,
            "Endpoint",
            props=self.props(ServerlessEndpointProps, plan, **container_props(plan, self.foundation)),
        )
        self.alarms = EndpointAlarms(
            self,
            "Alarms",
            props=self.props(
                EndpointAlarmProps,
                plan,
                **alarm_props(plan.alarms),
                instances_report=False,
                in_composite=plan.composite_alarm_name is not None,
            ),
        )
        self.add_composite_alarm(plan.name, plan.composite_alarm_name, self.alarms)
        if plan.access is not None:
            statements = invoke_statements(self.endpoint.endpoint.ref)
            add_access(self, plan, statements)
        if plan.scaling is not None:
            self.scaling = ConcurrencyScaling(
                self,
                "Scaling",
                props=concurrency_scaling(
                    concurrency_of_variant(self.endpoint.endpoint, plan.endpoint_name, plan.variant_name),
                    plan.scaling,
                ),
            )

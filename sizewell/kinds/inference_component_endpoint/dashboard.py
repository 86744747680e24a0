"""What people see of an endpoint of inference components: the models side by side, then the fleet that they share."""

from sizewell.dashboards.endpoints import (
    ERRORS,
    Answering,
    errors,
    instances_graph,
    latency,
    scaling,
    traffic,
)
from sizewell.dashboards.graph import Graph, Section
from sizewell.dashboards.kind import DashboardKind
from sizewell.dashboards.lines import alarm_limits, line, reading
from sizewell.facts.endpoint_metrics import INSTANCE_NAMESPACE, component_dimensions, variant_dimensions
from sizewell.facts.metrics import Dimensions
from sizewell.kinds.inference_component_endpoint.plan_model import ComponentEndpointPlan
from sizewell.planning.foundation_plan_model import FoundationPlan

#: One line for each model: the errors that are not the caller's.
_ERRORS = {name: ERRORS[name] for name in ("server_error_rate", "model_error_rate")}


def _section(plan: ComponentEndpointPlan, _: FoundationPlan) -> Section:
    estimate = plan.selection.chosen.estimate
    answering = tuple(
        Answering(
            label=f"{name} ",
            dimensions=component_dimensions(component.component_name),
            requests_per_second=component.average_requests_per_second,
            p95_latency_ms=estimate.components[name].serving.p95_latency_ms,
            alarms=component.alarms,
            policies=component.scaling.policies if component.scaling else (),
        )
        for name, component in plan.components.items()
    )
    fleet = variant_dimensions(plan.endpoint_name, plan.variant_name)
    fleet_cost = plan.selection.chosen.cost.usd_per_hour
    return Section(
        title=plan.name,
        text=f"Inference components on endpoint {plan.endpoint_name}, on {plan.instance_type}.",
        graphs=(
            traffic(answering),
            errors(answering, _ERRORS),
            latency(answering, ("p95",)),
            *scaling(answering),
            _utilization(plan, fleet),
            instances_graph([("", fleet, estimate.instances_paid, fleet_cost)]),
        ),
    )


def _utilization(plan: ComponentEndpointPlan, fleet: Dimensions) -> Graph:
    return Graph(
        title="Utilization of the fullest instance",
        unit="%",
        series=(
            line("memory", reading(INSTANCE_NAMESPACE, "MemoryUtilization", "Maximum", fleet), 50),
            line("disk", reading(INSTANCE_NAMESPACE, "DiskUtilization", "Maximum", fleet), 30),
        ),
        limits=alarm_limits(plan.alarms, {"memory_utilization": "memory", "disk_utilization": "disk"}),
    )


FACET = DashboardKind(section=_section)

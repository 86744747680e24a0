"""What people see of an asynchronous endpoint: its queue before its instances."""

from sizewell.dashboards.endpoints import (
    answering_variants,
    endpoint_text,
    instances,
    latency,
    queue_graphs,
    scaling,
    utilization,
)
from sizewell.dashboards.graph import Section
from sizewell.dashboards.kind import DashboardKind
from sizewell.dashboards.lines import requests_graph
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.foundation_plan_model import FoundationPlan


def _section(plan: EndpointPlan, _: FoundationPlan) -> Section:
    answering = answering_variants(plan)
    processed = [
        # AWS spells it so.
        (model.label, model.reading("InvocationsProcesssed", "Sum"), model.requests_per_second)
        for model in answering
    ]
    return Section(
        title=plan.name,
        text=endpoint_text("Asynchronous endpoint", plan),
        graphs=(
            requests_graph("processed", processed),
            *queue_graphs(plan),
            latency(answering, unit="s"),
            *scaling(answering),
            utilization(plan),
            instances(plan),
        ),
    )


FACET = DashboardKind(section=_section)

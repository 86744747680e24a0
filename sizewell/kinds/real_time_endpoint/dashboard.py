"""What people see of a real-time endpoint."""

from sizewell.dashboards.endpoints import endpoint_graphs, endpoint_text
from sizewell.dashboards.graph import Section
from sizewell.dashboards.kind import DashboardKind
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.foundation_plan_model import FoundationPlan


def _section(plan: EndpointPlan, _: FoundationPlan) -> Section:
    return Section(
        title=plan.name, text=endpoint_text("Real-time endpoint", plan), graphs=endpoint_graphs(plan)
    )


FACET = DashboardKind(section=_section)

"""What the dashboard of CloudWatch says of a model that tasks serve: the name of its load balancer is made at deployment."""

from sizewell.dashboards.graph import Section
from sizewell.dashboards.kind import DashboardKind
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.ecs.service.plan_model import EcsServicePlan


def _section(plan: EcsServicePlan, _: FoundationPlan) -> Section:
    where = f"Tasks of the service {plan.service_name} in the cluster {plan.cluster.name}."
    return Section(title=plan.name, text=f"{where} Its metrics are those of its load balancer.")


FACET = DashboardKind(section=_section)

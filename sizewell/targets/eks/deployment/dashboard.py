"""What the dashboard of CloudWatch says of a model that pods serve: its metrics are in Prometheus."""

from sizewell.dashboards.graph import Section
from sizewell.dashboards.kind import DashboardKind
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan


def _section(plan: EksDeploymentPlan, _: FoundationPlan) -> Section:
    cluster = plan.cluster
    where = "Its metrics are in Prometheus." if cluster.prometheus else "Nothing counts its requests."
    text = f"Pods of {plan.name} in the namespace {cluster.namespace} of the cluster {cluster.name}. {where}"
    return Section(title=plan.name, text=text)


FACET = DashboardKind(section=_section)

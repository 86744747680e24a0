"""The dashboard of an account and region: a section for each workload that runs there."""

from sizewell.dashboards.body import body_of, widget_counts
from sizewell.dashboards.graph import Dashboard, Section
from sizewell.dashboards.kind import DashboardKind
from sizewell.facts.dashboards import MAX_BODY_CHARACTERS, MAX_METRICS, MAX_WIDGETS
from sizewell.kinds.registry import facet
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.plan import DeploymentPlan


def dashboard_of(plan: DeploymentPlan, foundation: FoundationPlan) -> Dashboard | None:
    """Return the dashboard of a place; None where the configuration wants none.

    It has the first workloads that CloudWatch and CloudFormation take, and names the others.
    """
    if foundation.dashboard_name is None:
        return None
    shown: list[Section] = []
    left_out: list[str] = []
    widgets, metrics, characters = 1, 0, 0  # a widget names what is left out
    for workload in (workload for workload in plan.workloads if workload.place == foundation.place):
        if not left_out:
            section = facet(workload.kind, DashboardKind).section(workload, foundation)
            alone = Dashboard(name="", region=foundation.region, sections=(section,))
            more_widgets, more_metrics = widget_counts(alone)
            widgets, metrics = widgets + more_widgets, metrics + more_metrics
            characters += len(body_of(alone))
            if widgets <= MAX_WIDGETS and metrics <= MAX_METRICS and characters <= MAX_BODY_CHARACTERS:
                shown.append(section)
                continue
        left_out.append(workload.name)
    return Dashboard(
        name=foundation.dashboard_name,
        region=foundation.region,
        sections=tuple(shown),
        left_out=tuple(left_out),
    )

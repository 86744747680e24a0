"""The dashboard of an account and region: a section for each workload that runs there."""

from collections.abc import Iterable

from sizewell.dashboards.body import body_of, widget_counts
from sizewell.dashboards.graph import Dashboard, Section
from sizewell.dashboards.kind import DashboardKind
from sizewell.facts.dashboards import MAX_BODY_CHARACTERS, MAX_METRICS, MAX_WIDGETS
from sizewell.kinds.registry import facet
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.plan import DeploymentPlan


def dashboard_of(plan: DeploymentPlan, foundation: FoundationPlan) -> Dashboard | None:
    """Return the dashboard of a place; None where the configuration wants none."""
    if foundation.dashboard_name is None:
        return None
    sections = (
        facet(workload.kind, DashboardKind).section(workload, foundation)
        for workload in plan.workloads
        if workload.place == foundation.place
    )
    return _with_room(foundation.dashboard_name, foundation.region, sections)


def _with_room(name: str, region: str, sections: Iterable[Section]) -> Dashboard:
    """Return a dashboard of the first sections that CloudWatch and CloudFormation take, which names the others."""
    shown: list[Section] = []
    left_out: list[str] = []
    widgets, metrics, characters = 1, 0, 0  # the widget that names what is left out
    for section in sections:
        alone = Dashboard(name=name, region=region, sections=(section,))
        more_widgets, more_metrics = widget_counts(alone)
        more_characters = len(body_of(alone))
        fits = (
            widgets + more_widgets <= MAX_WIDGETS
            and metrics + more_metrics <= MAX_METRICS
            and characters + more_characters <= MAX_BODY_CHARACTERS
        )
        if left_out or not fits:
            left_out.append(section.title)
            continue
        shown.append(section)
        widgets, metrics = widgets + more_widgets, metrics + more_metrics
        characters += more_characters
    return Dashboard(name=name, region=region, sections=tuple(shown), left_out=tuple(left_out))

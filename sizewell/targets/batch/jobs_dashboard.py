"""What the dashboard of CloudWatch says of all that AWS Batch runs: Batch publishes no metrics of its jobs."""

from typing import Any

from sizewell.dashboards.graph import Section
from sizewell.dashboards.jobs import run_graphs
from sizewell.planning.foundation_plan_model import FoundationPlan


def section_of_jobs(noun: str, plan: Any, foundation: FoundationPlan) -> Section:
    """Return the section of a workload; ``plan`` is a ``BatchJobsPlan``, and ``noun`` its kind, in words."""
    hours = plan.selection.chosen.estimate.duration_hours
    return Section(
        title=plan.name,
        text=f"{noun} {plan.state_machine_name} by AWS Batch on {', '.join(plan.instance_pools)}.",
        graphs=run_graphs(plan, foundation, hours=hours, deadline_s=plan.deadline_s),
    )

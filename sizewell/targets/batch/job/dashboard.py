"""What the dashboard of CloudWatch says of a training that AWS Batch runs: Batch publishes no metrics of its jobs."""

from sizewell.dashboards.graph import Section
from sizewell.dashboards.jobs import run_graphs
from sizewell.dashboards.kind import DashboardKind
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.batch.job.plan_model import BatchJobPlan


def _section(plan: BatchJobPlan, foundation: FoundationPlan) -> Section:
    hours = plan.selection.chosen.estimate.duration_hours
    return Section(
        title=plan.name,
        text=f"Training {plan.state_machine_name} by AWS Batch on {', '.join(plan.instance_pools)}.",
        graphs=run_graphs(plan, foundation, hours=hours, deadline_s=plan.deadline_s),
    )


FACET = DashboardKind(section=_section)

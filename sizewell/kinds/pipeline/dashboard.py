"""What people see of a pipeline: its runs. Its jobs have sections of their own."""

from sizewell.dashboards.graph import Section
from sizewell.dashboards.jobs import run_graphs
from sizewell.dashboards.kind import DashboardKind
from sizewell.kinds.pipeline.plan_model import PipelinePlan
from sizewell.planning.foundation_plan_model import FoundationPlan


def _section(plan: PipelinePlan, foundation: FoundationPlan) -> Section:
    steps = ", ".join(step.name for step in plan.steps)
    return Section(
        title=plan.name,
        text=f"Pipeline {plan.state_machine_name} of the steps {steps}.",
        graphs=run_graphs(plan, foundation, hours=plan.hours, deadline_s=plan.time_limit_s),
    )


FACET = DashboardKind(section=_section)

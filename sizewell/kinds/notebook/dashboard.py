"""What people see of a notebook: SageMaker's guide lists no metric of one."""

from sizewell.dashboards.graph import Section
from sizewell.dashboards.kind import DashboardKind
from sizewell.kinds.notebook.plan_model import NotebookPlan
from sizewell.planning.foundation_plan_model import FoundationPlan


def _section(plan: NotebookPlan, _: FoundationPlan) -> Section:
    return Section(
        title=plan.name,
        text=f"Notebook {plan.notebook_name} on {plan.instance_type}. SageMaker publishes no metrics of notebooks.",
    )


FACET = DashboardKind(section=_section)

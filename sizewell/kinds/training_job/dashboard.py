"""What people see of a training job."""

from sizewell.dashboards.graph import Section
from sizewell.dashboards.jobs import job_section
from sizewell.dashboards.kind import DashboardKind
from sizewell.facts.metrics import TRAINING_NAMESPACE
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.foundation_plan_model import FoundationPlan


def _section(plan: TrainingJobPlan, foundation: FoundationPlan) -> Section:
    return job_section("Training job", plan, foundation, TRAINING_NAMESPACE, plan.job_name_prefix)


FACET = DashboardKind(section=_section)

"""What people see of a tuning job, whose trainings are jobs."""

from sizewell.dashboards.graph import Section
from sizewell.dashboards.jobs import job_section
from sizewell.dashboards.kind import DashboardKind
from sizewell.facts.metrics import TRAINING_NAMESPACE
from sizewell.kinds.tuning_job.plan_model import TuningJobPlan
from sizewell.planning.foundation_plan_model import FoundationPlan


def _section(plan: TuningJobPlan, foundation: FoundationPlan) -> Section:
    return job_section("Tuning job", plan, foundation, TRAINING_NAMESPACE, plan.job_name_prefix)


FACET = DashboardKind(section=_section)

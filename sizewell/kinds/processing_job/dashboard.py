"""What people see of a processing job."""

from sizewell.dashboards.graph import Section
from sizewell.dashboards.jobs import job_section
from sizewell.dashboards.kind import DashboardKind
from sizewell.facts.metrics import PROCESSING_NAMESPACE
from sizewell.kinds.processing_job.plan_model import ProcessingJobPlan
from sizewell.planning.foundation_plan_model import FoundationPlan


def _section(plan: ProcessingJobPlan, foundation: FoundationPlan) -> Section:
    return job_section("Processing job", plan, foundation, PROCESSING_NAMESPACE, plan.job_name_prefix)


FACET = DashboardKind(section=_section)

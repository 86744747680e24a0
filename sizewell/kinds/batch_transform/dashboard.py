"""What people see of a batch transform."""

from sizewell.dashboards.graph import Section
from sizewell.dashboards.jobs import job_section
from sizewell.dashboards.kind import DashboardKind
from sizewell.facts.metrics import TRANSFORM_NAMESPACE
from sizewell.kinds.batch_transform.plan_model import BatchTransformPlan
from sizewell.planning.foundation_plan_model import FoundationPlan


def _section(plan: BatchTransformPlan, foundation: FoundationPlan) -> Section:
    return job_section("Batch transform", plan, foundation, TRANSFORM_NAMESPACE, plan.job_name_prefix)


FACET = DashboardKind(section=_section)

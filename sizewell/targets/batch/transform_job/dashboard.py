"""What the dashboard of CloudWatch says of a batch transform that AWS Batch runs."""

from functools import partial

from sizewell.dashboards.kind import DashboardKind
from sizewell.targets.batch.jobs_dashboard import section_of_jobs

FACET = DashboardKind(section=partial(section_of_jobs, "Batch transform"))

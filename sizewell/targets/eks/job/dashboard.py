"""What the dashboard of CloudWatch says of a training in a cluster: its metrics are in Prometheus."""

from sizewell.dashboards.kind import DashboardKind
from sizewell.targets.eks.runs_view import section_of_runs

FACET = DashboardKind(section=section_of_runs)

"""What people see of a model that pods serve."""

from sizewell.targets.eks.pods_view import pod_lines
from sizewell.targets.view import row_with_spot, view_of_served

FACET = view_of_served("pod", "the pool", pod_lines, row_with_spot)

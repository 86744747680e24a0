"""The plan of a real-time endpoint: that of an endpoint on instances."""

from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.workload_plan import PlanModelKind

FACET = PlanModelKind(model=EndpointPlan)

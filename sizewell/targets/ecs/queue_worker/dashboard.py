"""What the dashboard of CloudWatch shows of a model whose tasks work off a queue: the queue."""

from sizewell.dashboards.graph import Section
from sizewell.dashboards.kind import DashboardKind
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.ecs.queue_worker.plan_model import EcsQueueWorkerPlan
from sizewell.targets.serving.queue_dashboard import queue_graphs


def _section(plan: EcsQueueWorkerPlan, _: FoundationPlan) -> Section:
    text = f"Tasks of the service {plan.service_name} in the cluster {plan.cluster.name} work off this queue."
    return Section(title=plan.name, text=text, graphs=queue_graphs(plan))


FACET = DashboardKind(section=_section)

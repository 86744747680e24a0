"""What the dashboard of CloudWatch shows of a model whose pods work off a queue: the queue."""

from sizewell.dashboards.graph import Section
from sizewell.dashboards.kind import DashboardKind
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.queue_worker.plan_model import EksQueueWorkerPlan
from sizewell.targets.serving.queue_dashboard import queue_graphs


def _section(plan: EksQueueWorkerPlan, _: FoundationPlan) -> Section:
    cluster = plan.cluster
    text = f"Pods of {plan.name} in the namespace {cluster.namespace} of the cluster {cluster.name} work off this queue."
    return Section(title=plan.name, text=text, graphs=queue_graphs(plan))


FACET = DashboardKind(section=_section)

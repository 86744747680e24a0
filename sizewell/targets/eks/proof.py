"""What can be proved of manifests before they are applied: that they are legal, and that each pod fits each type of its pool.

No API server is asked: what it alone knows, admission webhooks among that, is left to ``smoke.sh`` in the folder of the cluster.
"""

from collections.abc import Iterator

from sizewell.instance_selection.catalog import Catalog, load_ec2_catalog
from sizewell.planning.errors import PlanFault
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.legality import legality_faults
from sizewell.targets.eks.manifests.workload import shared_manifests, workload_manifests
from sizewell.targets.eks.node_group import as_node_pool
from sizewell.targets.eks.node_types import node_type
from sizewell.targets.eks.pods_plan_model import EksPlan, manager_of
from sizewell.targets.eks.scheduling import Overhead, unschedulable


def unsound(plan: EksPlan, foundation: FoundationPlan, catalog: Catalog) -> Iterator[PlanFault]:
    """Yield what an API server would refuse of the manifests of a workload, and each type that its pods do not fit.

    ``catalog`` is that of SageMaker in the region.
    """
    nodes = load_ec2_catalog(foundation.region, refreshed=catalog.refreshed)
    manifests = [
        *shared_manifests(plan.cluster).values(),
        *workload_manifests(plan, foundation, {}).values(),
    ]
    names = {instance_type.name for instance_type in nodes.instance_types}
    node_labels = plan.node_group.labels if plan.node_group else {}
    for fault in legality_faults(manifests, instance_types=names, node_labels=node_labels):
        yield PlanFault(("workloads", plan.name), f"{fault.object}: {fault.path}: {fault.message}", None)
    pool = plan.node_pool
    types = {
        name: node_type(nodes.get(name), manager_of(plan.cluster.nodes), pool.volume_size_gib)
        for name in pool.instance_types
    }
    daemonsets = Overhead(**plan.cluster.daemonsets.model_dump())
    for pod in unschedulable([*manifests, *as_node_pool(plan)], types, daemonsets):
        where = " on ".join(filter(None, (pod.workload, pod.instance_type or pod.pool)))
        yield PlanFault(("workloads", plan.name), f"{where}: {pod.reason}", None)

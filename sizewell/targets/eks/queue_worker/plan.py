"""The decisions for a model whose pods work off a queue."""

from typing import Any

from sizewell.config.policy import Policy
from sizewell.instance_selection import EndpointRequirements, Measurement
from sizewell.planning.errors import PlanError
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.targets.eks.cluster import Component
from sizewell.targets.eks.manifests.deployments import POLLING_S
from sizewell.targets.eks.manifests.nodes import EMPTY_NODE_S
from sizewell.targets.eks.pods_plan import (
    NAME,
    assumptions_of,
    catalog_of,
    catalog_of_plan,
    cluster_faults,
    pod_fields,
)
from sizewell.targets.eks.pods_spot import SHARE_OF_WORKING, spot_assumptions
from sizewell.targets.eks.proof import unsound
from sizewell.targets.eks.queue_worker.plan_model import EksQueueWorkerPlan
from sizewell.targets.serving.from_queue import (
    COUNTED_AFTER_S,
    queue_faults,
    queue_fields,
    queue_requirements,
    replicas_of_queue,
    watched_of_queue,
)
from sizewell.targets.serving.on_ec2 import serve_on_ec2

#: KEDA asks the queue, and then the HorizontalPodAutoscaler asks KEDA, each as often as the other by default:
#: https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/ (15 seconds).
_ASKED_AFTER_S = COUNTED_AFTER_S + 2 * POLLING_S


def _plan(stated: Stated) -> Planned:
    plan = plan_queue_worker(stated)
    if found := cluster_faults(stated, plan, _needed(plan)):
        raise PlanError(found)  # no manifest is written of what the cluster has not
    return plan, tuple(queue_faults(stated, plan))


def plan_queue_worker(stated: Stated) -> EksQueueWorkerPlan:
    """Return the plan of a workload whose cluster is ``stated.cluster``; raises what ``serve_on_ec2`` does."""
    cluster, policy = stated.cluster, stated.policy
    served = serve_on_ec2(
        stated,
        requirements(stated.workload, policy, stated.measurements),
        catalog_of(cluster, stated.catalog),
        *assumptions_of(cluster),
        *spot_assumptions(stated),
        "a node is there, and has its image and the model, as soon as an instance of SageMaker: nobody measured it",
        watched=watched_of_queue(stated),
    )
    asked_for_s = _ASKED_AFTER_S + stated.workload.scaling.scale_out_cooldown_s
    replicas = replicas_of_queue(stated, served, asked_for_s=asked_for_s)
    return EksQueueWorkerPlan(
        **served.fields,
        **replicas.fields,
        **pod_fields(stated, served, replicas, spot_share=SHARE_OF_WORKING),
        **queue_fields(stated, served),
    )


def requirements(
    endpoint: Any, policy: Policy, measurements: tuple[Measurement, ...] = ()
) -> EndpointRequirements:
    """Return the needs of an endpoint whose pods work off a queue."""
    return queue_requirements(endpoint, policy, measurements, empty_instance_s=EMPTY_NODE_S)


def _needed(plan: EksQueueWorkerPlan) -> dict[Component, str]:
    needed = {
        Component.POD_IDENTITY_AGENT: "gives the pod its role, to receive requests and to write answers"
    }
    if plan.scaling is not None:
        needed[Component.KEDA] = (
            "scales the pods by the queue; or write equal min_instances and max_instances"
        )
    return needed


FACET = PlanKind(
    plan=_plan, name=NAME, needs=requirements, foundation_faults=unsound, catalog=catalog_of_plan
)

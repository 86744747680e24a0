"""The manifests of a model whose pods work off a queue."""

from collections.abc import Mapping

from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.manifests.deployments import (
    deployment,
    disruption_budget,
    network_policy,
    service_account,
)
from sizewell.targets.eks.manifests.kind import ManifestsKind
from sizewell.targets.eks.manifests.labels import Manifest
from sizewell.targets.eks.manifests.monitoring import pod_rules
from sizewell.targets.eks.manifests.nodes import nodes
from sizewell.targets.eks.manifests.pods import configuration
from sizewell.targets.eks.manifests.queue_scaling import scaled_by_queue, trigger_authentication
from sizewell.targets.eks.manifests.working_pods import files_of_working, working_pods
from sizewell.targets.eks.queue_worker.plan_model import EksQueueWorkerPlan


def _manifests(
    plan: EksQueueWorkerPlan, foundation: FoundationPlan, tags: Mapping[str, str]
) -> dict[str, Manifest]:
    template = working_pods(plan, foundation.artifact_bucket_name, foundation.region)
    found = {
        "service-account": service_account(plan),
        "configuration": configuration(plan, files_of_working(plan)),
        **nodes(plan, tags),
        "deployment": deployment(plan, template),
        "disruption-budget": disruption_budget(plan),
        # Nobody calls the pods: requests come from the queue.
        "network-policy": network_policy(plan, (), calls=True),
    }
    if plan.scaling is not None:
        found["trigger-authentication"] = trigger_authentication(plan)
        found["scaled-object"] = scaled_by_queue(plan, plan.scaling, foundation.region)
    if (rules := pod_rules(plan)) is not None:
        found["alert-rules"] = rules
    return found


FACET = ManifestsKind(manifests=_manifests)

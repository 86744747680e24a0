"""The manifests of a model that pods serve."""

from collections.abc import Mapping

from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.manifests.deployments import deployment, disruption_budget, service_account
from sizewell.targets.eks.manifests.kind import ManifestsKind
from sizewell.targets.eks.manifests.labels import Manifest
from sizewell.targets.eks.manifests.monitoring import alert_rules, pod_monitor
from sizewell.targets.eks.manifests.nodes import nodes
from sizewell.targets.eks.manifests.pods import configuration
from sizewell.targets.eks.manifests.proxied_pods import files_of_proxied, proxied_pods
from sizewell.targets.eks.manifests.serving import policy_of_callers, scaled_by_requests, service


def _manifests(
    plan: EksDeploymentPlan, foundation: FoundationPlan, tags: Mapping[str, str]
) -> dict[str, Manifest]:
    template = proxied_pods(plan, foundation.artifact_bucket_name, foundation.region)
    found = {
        "service-account": service_account(plan),
        "configuration": configuration(plan, files_of_proxied(plan)),
        **nodes(plan, tags),
        "deployment": deployment(plan, template),
        "service": service(plan),
        "disruption-budget": disruption_budget(plan),
        "network-policy": policy_of_callers(plan),
    }
    if plan.scaling is not None:
        found["scaled-object"] = scaled_by_requests(plan, plan.scaling)
    if plan.cluster.prometheus is not None:
        found["pod-monitor"] = pod_monitor(plan)
        found["alert-rules"] = alert_rules(plan)
    return found


FACET = ManifestsKind(manifests=_manifests)

"""All manifests of a workload, and those that workloads of a cluster share, by the names of their files."""

from collections.abc import Mapping

from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.targets.eks.deployment.plan_model import EksClusterPlan, EksDeploymentPlan
from sizewell.targets.eks.manifests.labels import Manifest
from sizewell.targets.eks.manifests.monitoring import alert_rules, pod_monitor
from sizewell.targets.eks.manifests.nodes import node_class, node_pool
from sizewell.targets.eks.manifests.pods import configuration
from sizewell.targets.eks.manifests.serving import (
    deployment,
    disruption_budget,
    network_policy,
    scaled_object,
    service,
    service_account,
)


def workload_manifests(
    plan: EksDeploymentPlan, foundation: FoundationPlan, tags: Mapping[str, str]
) -> dict[str, Manifest]:
    """Return the objects of a workload; nodes carry ``tags``, by which AWS allocates costs."""
    found = {
        "service-account": service_account(plan),
        "configuration": configuration(plan),
        "node-class": node_class(plan, tags),
        "node-pool": node_pool(plan),
        "deployment": deployment(plan, foundation.artifact_bucket_name, foundation.region),
        "service": service(plan),
        "disruption-budget": disruption_budget(plan),
        "network-policy": network_policy(plan),
    }
    if plan.scaling is not None:
        found["scaled-object"] = scaled_object(plan, plan.scaling)
    if plan.cluster.prometheus is not None:
        found["pod-monitor"] = pod_monitor(plan)
        found["alert-rules"] = alert_rules(plan)
    return found


def shared_manifests(cluster: EksClusterPlan) -> dict[str, Manifest]:
    """Return the namespace, in which nothing may call or be called that no policy names."""
    pod_security = {
        f"pod-security.kubernetes.io/{mode}": cluster.pod_security for mode in ("enforce", "audit", "warn")
    }
    return {
        "namespace": {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": cluster.namespace, "labels": pod_security},
        },
        "default-deny": {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": {"name": "default-deny", "namespace": cluster.namespace},
            "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]},
        },
    }

"""What makes pods a service: where they are called, by whom, and by what they scale."""

from typing import Any

from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.manifests import queries
from sizewell.targets.eks.manifests.deployments import network_policy, scaled_object
from sizewell.targets.eks.manifests.labels import HTTP, Manifest, caller_label, manifest, selector
from sizewell.targets.eks.manifests.proxied_pods import METRICS_PORT, PROXY_PORT
from sizewell.targets.serving.plan_model import ReplicaScalingPlan


def service(plan: EksDeploymentPlan) -> Manifest:
    """Return the address of the pods in the cluster.

    Policies of the VPC CNI want one port of Service and container:
    https://docs.aws.amazon.com/eks/latest/userguide/cni-network-policy.html
    """
    ports = [{"name": HTTP, "port": PROXY_PORT, "targetPort": PROXY_PORT}]
    return manifest("v1", "Service", plan.name, plan, spec={"selector": selector(plan), "ports": ports})


def policy_of_callers(plan: EksDeploymentPlan) -> Manifest:
    """Return that callers call the pods, and Prometheus; they call S3, for the model."""
    callers = [{"namespaceSelector": {}, "podSelector": {"matchLabels": caller_label(plan)}}]
    ingress: list[dict[str, Any]] = [{"from": callers, "ports": [{"protocol": "TCP", "port": PROXY_PORT}]}]
    if (prometheus := plan.cluster.prometheus) is not None:
        namespace = {"kubernetes.io/metadata.name": prometheus.namespace}
        ingress.append(
            {
                "from": [{"namespaceSelector": {"matchLabels": namespace}}],
                "ports": [{"protocol": "TCP", "port": METRICS_PORT}],
            }
        )
    calls = plan.artifact_key is not None or not plan.network_isolation
    return network_policy(plan, ingress, calls=calls)


def scaled_by_requests(plan: EksDeploymentPlan, scaling: ReplicaScalingPlan) -> Manifest:
    """Return the scaler by what Prometheus counts: https://keda.sh/docs/latest/scalers/prometheus/."""
    prometheus = plan.cluster.prometheus
    assert prometheus is not None, "the plan refuses a scaler without it"
    trigger = {
        "type": "prometheus",
        "metricType": "AverageValue",
        "metadata": {
            "serverAddress": prometheus.url,
            "query": queries.load(plan, scaling.signal),
            "threshold": f"{scaling.target_value:g}",
            # Or pods would go while nobody counts.
            "ignoreNullValues": "false",
        },
    }
    # Without an answer of Prometheus, as many as the average load needs, and no fewer than there are. KEDA 2.17 knows the
    # behavior, but cuts the target to a whole number: of 0.7 it makes 0 (pkg/fallback/fallback.go). 2.18 does not.
    fallback = {
        "failureThreshold": 4,
        "replicas": plan.initial_instance_count,
        "behavior": "currentReplicasIfHigher",
    }
    return scaled_object(plan, scaling, trigger, fallback=fallback)

"""What makes pods a service: how many there are, how they are replaced, who may call them, and by what they scale."""

from typing import Any

from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.manifests import queries
from sizewell.targets.eks.manifests.labels import (
    HTTP,
    Manifest,
    caller_label,
    manifest,
    selector,
)
from sizewell.targets.eks.manifests.pods import METRICS_PORT, PROXY_PORT, pod_template
from sizewell.targets.served_plan_model import ReplicaScalingPlan

#: Ours: what a node takes to start and to pull an image, beside the start of the container.
_NODE_START_S = 1800
#: EKS Pod Identity answers there: https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html
_POD_IDENTITY = {
    "to": [{"ipBlock": {"cidr": "169.254.170.23/32"}}],
    "ports": [{"protocol": "TCP", "port": 80}],
}
_HTTPS = {"ports": [{"protocol": "TCP", "port": 443}]}
_DNS = {"ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]}


def service_account(plan: EksDeploymentPlan) -> Manifest:
    """Return the account that the stack gives the role of the workload."""
    return manifest("v1", "ServiceAccount", plan.name, plan, automountServiceAccountToken=False)


def deployment(plan: EksDeploymentPlan, artifact_bucket: str, region: str) -> Manifest:
    """Return the Deployment. Its scaler says how many replicas there are, where there is one."""
    replicas = {} if plan.scaling else {"replicas": plan.initial_instance_count}
    return manifest(
        "apps/v1",
        "Deployment",
        plan.name,
        plan,
        spec={
            **replicas,
            "progressDeadlineSeconds": plan.pod.startup_s + _NODE_START_S,
            "revisionHistoryLimit": 3,
            "selector": {"matchLabels": selector(plan)},
            # The pool has room for one node more: an old pod answers until its successor is ready.
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": pod_template(plan, artifact_bucket, region),
        },
    )


def service(plan: EksDeploymentPlan) -> Manifest:
    """Return the address of the pods in the cluster.

    Policies of the VPC CNI want one port of Service and container:
    https://docs.aws.amazon.com/eks/latest/userguide/cni-network-policy.html
    """
    ports = [{"name": HTTP, "port": PROXY_PORT, "targetPort": PROXY_PORT}]
    return manifest("v1", "Service", plan.name, plan, spec={"selector": selector(plan), "ports": ports})


def disruption_budget(plan: EksDeploymentPlan) -> Manifest:
    """Return that nodes are drained one at a time: of a single pod, too, or its node could never be replaced."""
    return manifest(
        "policy/v1",
        "PodDisruptionBudget",
        plan.name,
        plan,
        spec={
            "maxUnavailable": 1,
            "selector": {"matchLabels": selector(plan)},
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
        },
    )


def network_policy(plan: EksDeploymentPlan) -> Manifest:
    """Return who may call the pods, and what they may call.

    A policy holds for all containers of a pod: the one that loads the model needs S3, so that port 443 is open to the model, too.
    """
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
    return manifest(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        plan.name,
        plan,
        spec={
            "podSelector": {"matchLabels": selector(plan)},
            "policyTypes": ["Ingress", "Egress"],
            "ingress": ingress,
            "egress": [_DNS, _POD_IDENTITY, _HTTPS] if calls else [],
        },
    )


def scaled_object(plan: EksDeploymentPlan, scaling: ReplicaScalingPlan) -> Manifest:
    """Return what KEDA scales the pods by: https://keda.sh/docs/latest/scalers/prometheus/."""
    prometheus = plan.cluster.prometheus
    assert prometheus is not None, "the plan refuses a scaler without it"
    behavior = {
        "scaleUp": {"stabilizationWindowSeconds": scaling.scale_out_cooldown_s},
        "scaleDown": {"stabilizationWindowSeconds": scaling.scale_in_cooldown_s},
    }
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
    return manifest(
        "keda.sh/v1alpha1",
        "ScaledObject",
        plan.name,
        plan,
        spec={
            "scaleTargetRef": {"name": plan.name},
            "minReplicaCount": scaling.min_instance_count,
            "maxReplicaCount": scaling.max_instance_count,
            "pollingInterval": 15,
            # Without an answer of Prometheus, as many as the average load needs, and no fewer than there are. KEDA 2.17 knows the
            # behavior, but cuts the target to a whole number: of 0.7 it makes 0 (pkg/fallback/fallback.go). 2.18 does not.
            "fallback": {
                "failureThreshold": 4,
                "replicas": plan.initial_instance_count,
                "behavior": "currentReplicasIfHigher",
            },
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behavior}},
            "triggers": [trigger],
        },
    )

"""What keeps pods of a model running: how many there are, how they are replaced, and what they may call and be called by."""

from collections.abc import Mapping, Sequence
from typing import Any

from sizewell.targets.eks.manifests.labels import Manifest, manifest, selector
from sizewell.targets.eks.pods_plan_model import EksPlan, EksPodsPlan
from sizewell.targets.serving.plan_model import ReplicaScalingPlan

#: Ours: what a node takes to start and to pull an image, beside the start of the container.
_NODE_START_S = 1800
#: How often KEDA asks what it scales by.
POLLING_S = 15
#: EKS Pod Identity answers there: https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html
_POD_IDENTITY = {
    "to": [{"ipBlock": {"cidr": "169.254.170.23/32"}}],
    "ports": [{"protocol": "TCP", "port": 80}],
}
_HTTPS = {"ports": [{"protocol": "TCP", "port": 443}]}
_DNS = {"ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]}


def service_account(plan: EksPlan) -> Manifest:
    """Return the account that the stack gives the role of the workload."""
    return manifest("v1", "ServiceAccount", plan.name, plan, automountServiceAccountToken=False)


def deployment(plan: EksPodsPlan, template: Mapping[str, Any]) -> Manifest:
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
            "template": template,
        },
    )


def disruption_budget(plan: EksPodsPlan) -> Manifest:
    """Return that nodes are drained one at a time: of a single pod, too, or its node could never be replaced.

    Karpenter asks this budget also where EC2 takes nodes back, which it does within two minutes, and many at a time: all pods on
    Spot may go at once, or most of them would not hear of it.
    https://karpenter.sh/docs/concepts/disruption/#termination-controller
    """
    return manifest(
        "policy/v1",
        "PodDisruptionBudget",
        plan.name,
        plan,
        spec={
            "maxUnavailable": 1 if plan.on_spot is None else f"{plan.on_spot.share:.0%}",
            "selector": {"matchLabels": selector(plan)},
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
        },
    )


def network_policy(plan: EksPlan, ingress: Sequence[Mapping[str, Any]], *, calls: bool) -> Manifest:
    """Return who may call the pods, and whether they call AWS.

    A policy holds for all containers of a pod: where one of them needs AWS, port 443 is open to the model, too.
    """
    return manifest(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        plan.name,
        plan,
        spec={
            "podSelector": {"matchLabels": selector(plan)},
            "policyTypes": ["Ingress", "Egress"],
            "ingress": list(ingress),
            "egress": [_DNS, _POD_IDENTITY, _HTTPS] if calls else [],
        },
    )


def scaled_object(
    plan: EksPodsPlan, scaling: ReplicaScalingPlan, trigger: Mapping[str, Any], **more: Any
) -> Manifest:
    """Return what KEDA scales the pods by: https://keda.sh/docs/latest/reference/scaledobject-spec/."""
    behavior = {
        "scaleUp": {"stabilizationWindowSeconds": scaling.scale_out_cooldown_s},
        "scaleDown": {"stabilizationWindowSeconds": scaling.scale_in_cooldown_s},
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
            "pollingInterval": POLLING_S,
            **more,
            "advanced": {"horizontalPodAutoscalerConfig": {"behavior": behavior}},
            "triggers": [trigger],
        },
    )

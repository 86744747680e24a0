"""An environment with one model in a cluster of Amazon EKS: a test states only what it is about."""

from typing import Any

from sizewell.config.environment import Environment
from sizewell.instance_selection import load_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.lock import LockedEnvironment
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.manifests.labels import Manifest
from sizewell.targets.eks.manifests.workload import shared_manifests, workload_manifests
from tests.planning.builders import endpoint, environment

NAME = "plants"


def cluster(**changes: Any) -> dict[str, Any]:
    """Return a cluster that has all that a model needs."""
    default = {
        "type": "eks",
        "name": "company-ml",
        "version": "1.35",
        "nodes": "karpenter",
        "node_role": "company-ml-node",
        "ami": "al2023@v20260917",
        "has": [
            "keda",
            "prometheus",
            "kube-state-metrics",
            "pod-identity-agent",
            "nvidia-device-plugin",
            "neuron-device-plugin",
            "network-policies",
        ],
        "daemonsets": {"cpu": "300m", "memory": "800Mi"},
        "prometheus": {"url": "http://prometheus.monitoring.svc:9090"},
        "proxy_image": "111122223333.dkr.ecr.us-east-1.amazonaws.com/envoy:v1.36.2",
    }
    return {key: value for key, value in {**default, **changes}.items() if value is not None}


def auto_mode(**changes: Any) -> dict[str, Any]:
    """Return a cluster in EKS Auto Mode."""
    has = ["keda", "prometheus", "network-policies"]
    return cluster(**{"nodes": "auto-mode", "ami": None, "has": has, **changes})


def in_cluster(
    stated: dict[str, Any] | None = None, policy: dict[str, Any] | None = None, **workload: Any
) -> Environment:
    """Return an environment with one endpoint in a cluster."""
    changes: dict[str, Any] = {"clusters": {"main": stated or cluster()}}
    if policy is not None:
        changes["policy"] = {"account": "111122223333", "region": "us-east-1", **policy}
    return environment({NAME: endpoint(target="main", **workload)}, **changes)


def planned(stated: Environment, lock: LockedEnvironment | None = None) -> EksDeploymentPlan:
    """Return the plan of the one workload."""
    (plan,) = build_plan(stated, load_catalog("us-east-1"), lock=lock).workloads
    assert isinstance(plan, EksDeploymentPlan)
    return plan


def foundation(stated: Environment) -> FoundationPlan:
    return build_plan(stated, load_catalog("us-east-1")).foundation


def manifests(stated: Environment) -> dict[str, Manifest]:
    """Return all manifests by the names of their files."""
    plan = planned(stated)
    return {
        **shared_manifests(plan.cluster),
        **workload_manifests(plan, foundation(stated), {"platform": "demo"}),
    }

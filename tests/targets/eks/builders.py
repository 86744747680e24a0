"""An environment with one model in a cluster of Amazon EKS: a test states only what it is about."""

from typing import Any

from sizewell.config.environment import Environment
from sizewell.instance_selection import load_catalog
from sizewell.instance_selection.catalog import load_ec2_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.lock import LockedEnvironment
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.job.plan_model import EksJobPlan
from sizewell.targets.eks.manifests.labels import Manifest
from sizewell.targets.eks.manifests.workload import shared_manifests, workload_manifests
from sizewell.targets.eks.node_types import node_type
from sizewell.targets.eks.pods_plan_model import EksPlan, manager_of
from sizewell.targets.eks.queue_worker.plan_model import EksQueueWorkerPlan
from sizewell.targets.eks.scheduling import Overhead, pods_per_node
from sizewell.targets.eks.transform_job.plan_model import EksTransformJobPlan
from tests.planning.builders import endpoint, environment, queue_endpoint, training_job
from tests.planning.test_transform_plan import transform

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
        # AWS's images of models start as root.
        "pod_security": "baseline",
        "prometheus": {"url": "http://prometheus.monitoring.svc:9090"},
        "proxy_image": "111122223333.dkr.ecr.us-east-1.amazonaws.com/envoy:v1.36.2",
    }
    return {key: value for key, value in {**default, **changes}.items() if value is not None}


def auto_mode(**changes: Any) -> dict[str, Any]:
    """Return a cluster in EKS Auto Mode."""
    has = ["keda", "prometheus", "network-policies"]
    return cluster(**{"nodes": "auto-mode", "ami": None, "has": has, **changes})


def node_groups(**changes: Any) -> dict[str, Any]:
    """Return a cluster with managed node groups."""
    default = {
        "nodes": "node-groups",
        "ami": None,
        "release_version": "1.35.2-20260917",
        "subnet_ids": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
        "has": [*cluster()["has"], "cluster-autoscaler"],
    }
    return cluster(**{**default, **changes})


def in_cluster(
    stated: dict[str, Any] | None = None, policy: dict[str, Any] | None = None, **workload: Any
) -> Environment:
    """Return an environment with one endpoint in a cluster."""
    return _in_cluster(endpoint(target="main", **workload), stated, policy)


def queued(
    stated: dict[str, Any] | None = None, policy: dict[str, Any] | None = None, **workload: Any
) -> Environment:
    """Return an environment with one model whose pods work off a queue in a cluster."""
    return _in_cluster(queue_endpoint(**{"target": "main", **workload}), stated, policy)


def transformed_in_cluster(stated: dict[str, Any] | None = None, **workload: Any) -> Environment:
    """Return an environment with one batch transform in a cluster."""
    return _in_cluster(transform(**{"target": "main", **workload}), stated)


def trained_in_cluster(
    stated: dict[str, Any] | None = None, policy: dict[str, Any] | None = None, **workload: Any
) -> Environment:
    """Return an environment with one training in a cluster, on Spot with checkpoints unless it says something else."""
    has = [*cluster()["has"], "interruption-queue"]
    default = {"spot": {"enabled": True}, "checkpoint": {"interval_minutes": 10}, "target": "main"}
    given = {key: value for key, value in {**default, **workload}.items() if value is not None}
    allowed = {"allow_spot": True, **(policy or {})}
    return _in_cluster(training_job(**given), stated or cluster(has=has), allowed)


def _in_cluster(
    workload: Any, stated: dict[str, Any] | None, policy: dict[str, Any] | None = None
) -> Environment:
    changes: dict[str, Any] = {"clusters": {"main": stated or cluster()}}
    if policy is not None:
        changes["policy"] = {"account": "111122223333", "region": "us-east-1", **policy}
    return environment({NAME: workload}, **changes)


def planned(stated: Environment, lock: LockedEnvironment | None = None) -> EksDeploymentPlan:
    """Return the plan of the one workload, which answers at once."""
    plan = plan_of(stated, lock)
    assert isinstance(plan, EksDeploymentPlan)
    return plan


def planned_worker(stated: Environment) -> EksQueueWorkerPlan:
    """Return the plan of the one workload, which answers later."""
    plan = plan_of(stated)
    assert isinstance(plan, EksQueueWorkerPlan)
    return plan


def planned_job(stated: Environment, lock: LockedEnvironment | None = None) -> EksJobPlan:
    """Return the plan of the one training."""
    plan = plan_of(stated, lock)
    assert isinstance(plan, EksJobPlan)
    return plan


def planned_transform(stated: Environment) -> EksTransformJobPlan:
    """Return the plan of the one batch transform."""
    plan = plan_of(stated)
    assert isinstance(plan, EksTransformJobPlan)
    return plan


def plan_of(stated: Environment, lock: LockedEnvironment | None = None) -> EksPlan:
    """Return the plan of the one workload."""
    (plan,) = build_plan(stated, load_catalog("us-east-1"), lock=lock).workloads
    assert isinstance(plan, EksPlan)
    return plan


def foundation(stated: Environment) -> FoundationPlan:
    """Return what the workload shares with others."""
    return build_plan(stated, load_catalog("us-east-1")).foundation


def manifests(stated: Environment) -> dict[str, Manifest]:
    """Return all manifests by the names of their files."""
    plan = plan_of(stated)
    return {
        **shared_manifests(plan.cluster),
        **workload_manifests(plan, foundation(stated), {"platform": "demo"}),
    }


def pod_template(written: dict[str, Manifest]) -> dict[str, Any]:
    """Return the template of the pods of a Deployment, or of a run."""
    template: dict[str, Any] = (
        written["deployment"]["spec"]["template"]
        if "deployment" in written
        else written["cron-job"]["spec"]["jobTemplate"]["spec"]["template"]
    )
    return template


def pods_on_each_type(stated: Environment) -> set[int]:
    """Return how many pods fit a node, for each type that the pool may launch."""
    plan, template = plan_of(stated), pod_template(manifests(stated))
    catalog, manager = load_ec2_catalog("us-east-1"), manager_of(plan.cluster.nodes)
    daemonsets = Overhead(**plan.cluster.daemonsets.model_dump())
    return {
        pods_per_node(
            template, node_type(catalog.get(name), manager, plan.node_pool.volume_size_gib), daemonsets
        )
        for name in plan.node_pool.instance_types
    }


def written_faults(stated: Environment) -> list[PlanFault]:
    """Return what the plan refuses of what it would write: none where nothing meets the needs."""
    try:
        plan_of(stated)
    except PlanError as error:
        # What is wrong with needs is told of their key.
        return [fault for fault in error.faults if fault.key_path == ("workloads", NAME)]
    return []

"""An environment with one model in a cluster of Amazon EKS: a test states only what it is about."""

from typing import Any

from sizewell.config.environment import Environment
from sizewell.instance_selection import load_catalog
from sizewell.instance_selection.catalog import load_ec2_catalog
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.lock import LockedEnvironment
from sizewell.targets.eks.deployment.plan_model import EksDeploymentPlan
from sizewell.targets.eks.job.plan_model import EksJobPlan
from sizewell.targets.eks.legality import legality_faults
from sizewell.targets.eks.manifests.labels import Manifest
from sizewell.targets.eks.manifests.workload import shared_manifests, workload_manifests
from sizewell.targets.eks.node_types import node_type
from sizewell.targets.eks.pods_plan_model import EksPlan, manager_of
from sizewell.targets.eks.queue_worker.plan_model import EksQueueWorkerPlan
from sizewell.targets.eks.scheduling import Overhead, unschedulable
from tests.planning.builders import endpoint, environment, queue_endpoint, training_job

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


def trained_in_cluster(
    stated: dict[str, Any] | None = None, policy: dict[str, Any] | None = None, **workload: Any
) -> Environment:
    """Return an environment with one training in a cluster, on Spot with checkpoints unless it says something else."""
    has = [*cluster()["has"], "interruption-queue"]
    default = {"spot": {"enabled": True}, "checkpoint": {"interval_minutes": 10}, "target": "main"}
    given = {key: value for key, value in {**default, **workload}.items() if value is not None}
    return environment(
        {NAME: training_job(**given)},
        clusters={"main": stated or cluster(has=has)},
        policy={"account": "111122223333", "region": "us-east-1", "allow_spot": True, **(policy or {})},
    )


def queued(
    stated: dict[str, Any] | None = None, policy: dict[str, Any] | None = None, **workload: Any
) -> Environment:
    """Return an environment with one model whose pods work off a queue in a cluster."""
    changes: dict[str, Any] = {"clusters": {"main": stated or cluster()}}
    if policy is not None:
        changes["policy"] = {"account": "111122223333", "region": "us-east-1", **policy}
    return environment({NAME: queue_endpoint(**{"target": "main", **workload})}, **changes)


def planned(stated: Environment, lock: LockedEnvironment | None = None) -> EksDeploymentPlan:
    """Return the plan of the one workload, which answers at once."""
    plan = _plan_of(stated, lock)
    assert isinstance(plan, EksDeploymentPlan)
    return plan


def planned_worker(stated: Environment) -> EksQueueWorkerPlan:
    """Return the plan of the one workload, which answers later."""
    plan = _plan_of(stated)
    assert isinstance(plan, EksQueueWorkerPlan)
    return plan


def planned_job(stated: Environment, lock: LockedEnvironment | None = None) -> EksJobPlan:
    """Return the plan of the one training."""
    plan = _plan_of(stated, lock)
    assert isinstance(plan, EksJobPlan)
    return plan


def _plan_of(stated: Environment, lock: LockedEnvironment | None = None) -> EksPlan:
    (plan,) = build_plan(stated, load_catalog("us-east-1"), lock=lock).workloads
    assert isinstance(plan, EksPlan)
    return plan


def foundation(stated: Environment) -> FoundationPlan:
    return build_plan(stated, load_catalog("us-east-1")).foundation


def manifests(stated: Environment) -> dict[str, Manifest]:
    """Return all manifests by the names of their files."""
    plan = _plan_of(stated)
    return {
        **shared_manifests(plan.cluster),
        **workload_manifests(plan, foundation(stated), {"platform": "demo"}),
    }


def written_faults(stated: Environment) -> list[object]:
    """Return what is wrong with what is written, or only with that: none where nothing meets the needs."""
    try:
        plan = _plan_of(stated)
    except PlanError as error:
        # That is told of the needs, and never of what was written.
        return [fault for fault in error.faults if fault.key_path == ("workloads", NAME)]
    written, catalog = [*manifests(stated).values()], load_ec2_catalog("us-east-1")
    names = {instance_type.name for instance_type in catalog.instance_types}
    pool, manager = plan.node_pool, manager_of(plan.cluster.nodes)
    types = {
        name: node_type(catalog.get(name), manager, pool.volume_size_gib) for name in pool.instance_types
    }
    daemonsets = Overhead(**plan.cluster.daemonsets.model_dump())
    return [*legality_faults(written, instance_types=names), *unschedulable(written, types, daemonsets)]

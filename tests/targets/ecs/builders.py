"""An environment with one model in a cluster of Amazon ECS: a test states only what it is about."""

from typing import Any

from sizewell.config.environment import Environment
from sizewell.instance_selection import load_catalog
from sizewell.planning.build import build_plan
from sizewell.targets.ecs.queue_worker.plan_model import EcsQueueWorkerPlan
from sizewell.targets.ecs.service.plan_model import EcsServicePlan
from tests.planning.builders import endpoint, environment, queue_endpoint

NAME = "plants"


def cluster(**changes: Any) -> dict[str, Any]:
    """Return a cluster."""
    return {
        "type": "ecs",
        "name": "company-web",
        "capacity": "managed-instances",
        "certificate_arn": "arn:aws:acm:us-east-1:111122223333:certificate/12345678-1234-1234-1234-123456789012",
        "caller_security_groups": ["sg-0123456789abcdef0"],
        "proxy_image": "111122223333.dkr.ecr.us-east-1.amazonaws.com/envoy:v1.36.2",
        **changes,
    }


def in_cluster(stated: dict[str, Any] | None = None, **workload: Any) -> Environment:
    """Return an environment with one endpoint in a cluster."""
    return environment({NAME: endpoint(target="web", **workload)}, clusters={"web": stated or cluster()})


def planned(stated: Environment) -> EcsServicePlan:
    """Return the plan of the one workload."""
    (plan,) = build_plan(stated, load_catalog("us-east-1")).workloads
    assert isinstance(plan, EcsServicePlan)
    return plan


def queued(stated: dict[str, Any] | None = None, **workload: Any) -> Environment:
    """Return an environment with one model whose tasks work off a queue in a cluster that counts them."""
    clusters = {"web": stated or cluster(container_insights=True)}
    return environment({NAME: queue_endpoint(**{"target": "web", **workload})}, clusters=clusters)


def planned_worker(stated: Environment) -> EcsQueueWorkerPlan:
    """Return the plan of the one workload, which answers later."""
    (plan,) = build_plan(stated, load_catalog("us-east-1")).workloads
    assert isinstance(plan, EcsQueueWorkerPlan)
    return plan

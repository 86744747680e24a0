"""The decisions for a model whose tasks work off a queue."""

from collections.abc import Iterator
from typing import Any

from sizewell.config.policy import Policy
from sizewell.facts.interface_endpoints import OF_TASKS
from sizewell.instance_selection import EndpointRequirements, Measurement
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.queue_scaling import SCALE_OUT_MINUTES
from sizewell.targets.ecs.cluster import EcsCluster
from sizewell.targets.ecs.instance_types import managed_instances_catalog
from sizewell.targets.ecs.queue_worker.plan_model import EcsQueueWorkerPlan
from sizewell.targets.ecs.queue_worker.policies import plan_policies
from sizewell.targets.ecs.tasks_plan import ASSUMPTIONS, NAME, catalog_of_plan, task_fields
from sizewell.targets.serving.from_queue import (
    COUNTED_AFTER_S,
    queue_faults,
    queue_fields,
    queue_requirements,
    replicas_of_queue,
    watched_of_queue,
)
from sizewell.targets.serving.on_ec2 import serve_on_ec2

#: Ours. No page says how long ECS keeps an instance without a task: Managed Instances "may" consolidate.
_EMPTY_INSTANCE_S = 300
#: What tasks of a queue call, beside those of all tasks; S3 has a gateway.
_SERVICES = ("logs", "sns", "sqs")


def _plan(stated: Stated) -> Planned:
    policy, cluster = stated.policy, stated.cluster
    served = serve_on_ec2(
        stated,
        requirements(stated.workload, policy, stated.measurements),
        managed_instances_catalog(policy.region, stated.catalog.refreshed),
        *ASSUMPTIONS,
        "an instance is there, and has its image and the model, as soon as one of SageMaker: nobody measured it",
        watched=watched_of_queue(stated),
    )
    replicas = replicas_of_queue(stated, served, asked_for_s=COUNTED_AFTER_S + SCALE_OUT_MINUTES * 60)
    tasks, of_queue = task_fields(stated, served, replicas), queue_fields(stated, served)
    plan = EcsQueueWorkerPlan(
        **served.fields,
        **replicas.fields,
        **tasks,
        **of_queue,
        policies=plan_policies(replicas.scaling, of_queue["queue"], cluster.name, tasks["service_name"])
        if replicas.scaling
        else (),
    )
    if found := tuple(_uncounted_tasks(cluster, plan)):
        raise PlanError(found)
    return plan, tuple(queue_faults(stated, plan))


def requirements(
    endpoint: Any, policy: Policy, measurements: tuple[Measurement, ...] = ()
) -> EndpointRequirements:
    """Return the needs of an endpoint whose tasks work off a queue."""
    return queue_requirements(endpoint, policy, measurements, empty_instance_s=_EMPTY_INSTANCE_S)


def _uncounted_tasks(cluster: EcsCluster, plan: EcsQueueWorkerPlan) -> Iterator[PlanFault]:
    """Yield that nobody counts the tasks whose backlog they scale by."""
    if plan.policies and not cluster.container_insights:
        yield PlanFault(
            ("clusters", plan.cluster.key, "container_insights"),
            f"is not true, but {plan.name} scales by the backlog of each task, and Container Insights alone counts tasks",
            "turn it on in the cluster, and write container_insights: true; or write equal min_instances and max_instances",
        )


FACET = PlanKind(
    plan=_plan,
    name=NAME,
    needs=requirements,
    services=lambda _: iter((*OF_TASKS, *_SERVICES)),
    catalog=catalog_of_plan,
)

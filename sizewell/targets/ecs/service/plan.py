"""The decisions for a model that tasks of a service serve to those who wait, behind a load balancer."""

from collections.abc import Iterator

from sizewell.facts.interface_endpoints import OF_TASKS
from sizewell.facts.scaling import Signal
from sizewell.instance_selection.catalog import Catalog
from sizewell.planning.errors import PlanFault
from sizewell.planning.foundation_plan_model import FoundationPlan, NewNetworkPlan
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.remedies import ENDPOINT_REMEDIES
from sizewell.planning.rollout import callbacks
from sizewell.targets.ecs.instance_types import managed_instances_catalog
from sizewell.targets.ecs.service.plan_model import EcsServicePlan
from sizewell.targets.ecs.tasks_plan import ASSUMPTIONS, NAME, catalog_of_plan, task_fields
from sizewell.targets.serving.at_once import WATCHED, replicas_that_answer
from sizewell.targets.serving.on_ec2 import ec2_requirements, serve_on_ec2

#: What the load balancer counts of each task.
_SIGNALS = (Signal.INVOCATIONS,)
_MIN_ZONES = 2


def _plan(stated: Stated) -> Planned:
    policy = stated.policy
    served = serve_on_ec2(
        stated,
        ec2_requirements(stated.workload, policy, stated.measurements),
        managed_instances_catalog(policy.region, stated.catalog.refreshed),
        *ASSUMPTIONS,
        watched=WATCHED,
    )
    replicas = replicas_that_answer(stated, served, _SIGNALS)
    plan = EcsServicePlan(
        **served.fields,
        **replicas.fields,
        **task_fields(stated, served, replicas),
        # ECS ends a deployment when their periods are over: those of an hour would make it as long.
        # https://docs.aws.amazon.com/AmazonECS/latest/developerguide/deployment-alarm-failure.html
        rollback_alarms=callbacks(replicas.alarms, served.average_requests_per_second),
    )
    return plan, ()


def _too_few_zones(plan: EcsServicePlan, foundation: FoundationPlan, _: Catalog) -> Iterator[PlanFault]:
    """Yield a fault where a load balancer would be refused: it is in two Availability Zones at least.

    https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html
    """
    network = foundation.network
    zones, key = (
        (network.availability_zones, "availability_zones")
        if isinstance(network, NewNetworkPlan)
        else (len(network.subnet_ids), "subnet_ids")
    )
    if zones < _MIN_ZONES:
        yield PlanFault(
            ("network", key),
            f"one zone, but the load balancer of {plan.name} needs subnets in {_MIN_ZONES} at least",
            "name a second one",
        )


FACET = PlanKind(
    plan=_plan,
    name=NAME,
    remedies=lambda _: ENDPOINT_REMEDIES,
    needs=ec2_requirements,
    foundation_faults=_too_few_zones,
    services=lambda _: iter((*OF_TASKS, "logs")),
    catalog=catalog_of_plan,
)

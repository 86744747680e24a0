"""The decisions for a model that tasks of a service serve: its instances, its tasks, and what its VPC must reach for them."""

import math
from collections.abc import Iterator, Sequence

from sizewell.facts.interface_endpoints import OF_TASKS
from sizewell.facts.scaling import Signal
from sizewell.instance_selection import HardwareKind
from sizewell.instance_selection.catalog import InstanceType, load_ec2_catalog
from sizewell.instance_selection.estimation.hardware import BASE_VOLUME_GIB
from sizewell.planning.errors import PlanFault
from sizewell.planning.foundation_plan_model import FoundationPlan, NewNetworkPlan
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.name_limits import NameLimit
from sizewell.planning.remedies import ENDPOINT_REMEDIES
from sizewell.planning.rollout import callbacks
from sizewell.targets.ecs.cluster import EcsCluster
from sizewell.targets.ecs.instance_types import (
    CPU_UNITS_PER_VCPU,
    PROXY_MEMORY_MIB,
    managed_instances_catalog,
    task_memory_mib,
)
from sizewell.targets.ecs.service.plan_model import EcsClusterPlan, EcsServicePlan, TaskPlan
from sizewell.targets.served_on_ec2 import ec2_requirements, serve_on_ec2

#: API reference: CreateService, serviceName.
_NAME = NameLimit("the service", 255)
#: What the load balancer counts of each task.
_SIGNALS = (Signal.INVOCATIONS,)
_MIN_ZONES = 2
#: Ours. What an instance has of images at once: those before and after a deployment, each as large as one for LLMs.
_GENERATIONS, _IMAGE_GIB = 2, 30
_ARCHITECTURES = {"x86_64": "X86_64", "arm64": "ARM64"}


def _plan(stated: Stated) -> Planned:
    cluster, policy, names = stated.cluster, stated.policy, stated.names
    catalog = managed_instances_catalog(policy.region)
    served = serve_on_ec2(stated, catalog, *_ASSUMPTIONS, signals=_SIGNALS)
    nodes = [load_ec2_catalog(policy.region).get(instance_type.name) for instance_type in served.types]
    vcpus = min(instance_type.vcpus for instance_type in nodes)
    plan = EcsServicePlan(
        **served.fields,
        cluster=_plan_cluster(stated.workload.target, cluster),
        service_name=names.workload(stated.name),
        task=TaskPlan(
            architecture=_ARCHITECTURES[served.types[0].cpu_architecture],
            vcpus=vcpus,
            cpu_units=vcpus * CPU_UNITS_PER_VCPU,
            memory_mib=_least_memory_mib(nodes),
            proxy_memory_mib=PROXY_MEMORY_MIB,
            gpu_count=served.hosted.gpu_count,
            neuron=served.kind is HardwareKind.NEURON,
            volume_size_gib=_volume_size_gib(served.artifact_gib),
            startup_s=served.hosted.startup_timeout_s,
            longest_answer_s=served.longest_answer_s,
        ),
        # ECS ends a deployment when their periods are over: those of an hour would make it as long.
        # https://docs.aws.amazon.com/AmazonECS/latest/developerguide/deployment-alarm-failure.html
        rollback_alarms=callbacks(served.fields["alarms"], served.fields["average_requests_per_second"]),
        vcpus=max(instance_type.vcpus for instance_type in nodes),
    )
    return plan, ()


def _volume_size_gib(artifact_gib: float) -> int:
    """Return the volume of an instance: a task that starts there again leaves its image and model behind.

    ECS removes neither while the instance lives (measured by a public project: four starts left four models).
    """
    return BASE_VOLUME_GIB + _GENERATIONS * _IMAGE_GIB + math.ceil((_GENERATIONS + 1) * artifact_gib)


def _least_memory_mib(types: Sequence[InstanceType]) -> int:
    rooms = [task_memory_mib(instance_type) for instance_type in types]
    return min(room for room in rooms if room is not None)


def _plan_cluster(key: str, cluster: EcsCluster) -> EcsClusterPlan:
    return EcsClusterPlan(
        key=key,
        name=cluster.name,
        certificate_arn=cluster.certificate_arn,
        caller_security_groups=cluster.caller_security_groups,
        proxy_image=cluster.proxy_image,
    )


def _too_few_zones(plan: EcsServicePlan, foundation: FoundationPlan) -> Iterator[PlanFault]:
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


_ASSUMPTIONS = (
    "ECS keeps an eighth of the memory of an instance, 1 GiB at least, and a task takes all the rest: no page of AWS states it",
    "ECS replaces each instance after two to three weeks, with a machine image and driver of its own choice",
    "all containers of a task share its network and its role: isolation is a security group that lets HTTPS out alone",
)

FACET = PlanKind(
    plan=_plan,
    name=_NAME,
    remedies=lambda _: ENDPOINT_REMEDIES,
    needs=ec2_requirements,
    foundation_faults=_too_few_zones,
    services=lambda _: iter((*OF_TASKS, "logs")),
    catalog=lambda _, catalog: managed_instances_catalog(catalog.region),
)

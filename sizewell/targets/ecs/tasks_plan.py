"""The decisions for the tasks of a model, whoever waits for its answers: their instances, and what they ask for."""

import math
from collections.abc import Sequence
from typing import Any

from sizewell.instance_selection import Catalog, HardwareKind
from sizewell.instance_selection.catalog import InstanceType, load_ec2_catalog
from sizewell.instance_selection.estimation.hardware import BASE_VOLUME_GIB
from sizewell.planning.kind import Stated
from sizewell.planning.name_limits import NameLimit
from sizewell.targets.ecs.cluster import EcsCluster
from sizewell.targets.ecs.instance_types import (
    CPU_UNITS_PER_VCPU,
    PROXY_MEMORY_MIB,
    managed_instances_catalog,
    task_memory_mib,
)
from sizewell.targets.ecs.tasks_plan_model import EcsClusterPlan, EcsTasksPlan, TaskPlan
from sizewell.targets.serving.on_ec2 import Replicas, ServedOnEc2

#: API reference: CreateService, serviceName.
NAME = NameLimit("the service", 255)
#: Ours. What an instance has of images at once: those before and after a deployment, each as large as one for LLMs.
_GENERATIONS, _IMAGE_GIB = 2, 30
_ARCHITECTURES = {"x86_64": "X86_64", "arm64": "ARM64"}
ASSUMPTIONS = (
    "ECS keeps an eighth of the memory of an instance, 1 GiB at least, and a task takes all the rest: no page of AWS states it",
    "ECS replaces each instance after two to three weeks, with a machine image and driver of its own choice",
    "all containers of a task share its network and its role: isolation is a security group that lets HTTPS out alone",
)


def task_fields(stated: Stated, served: ServedOnEc2, replicas: Replicas) -> dict[str, Any]:
    """Return what the plan says of the cluster, the tasks of a workload and their instances."""
    # With the memory of the hardware.
    catalog = load_ec2_catalog(stated.policy.region, refreshed=stated.catalog.refreshed)
    nodes = [catalog.get(instance_type.name) for instance_type in served.types]
    vcpus = min(instance_type.vcpus for instance_type in nodes)
    return {
        "cluster": _plan_cluster(stated.workload.target, stated.cluster),
        "service_name": stated.names.workload(stated.name),
        "task": TaskPlan(
            architecture=_ARCHITECTURES[served.types[0].cpu_architecture],
            vcpus=vcpus,
            cpu_units=vcpus * CPU_UNITS_PER_VCPU,
            memory_mib=_least_memory_mib(nodes),
            proxy_memory_mib=PROXY_MEMORY_MIB,
            gpu_count=served.hosted.gpu_count,
            neuron=served.kind is HardwareKind.NEURON,
            volume_size_gib=_volume_size_gib(served.artifact_gib),
            startup_s=served.hosted.startup_timeout_s,
            longest_answer_s=replicas.longest_answer_s,
        ),
        "vcpus": max(instance_type.vcpus for instance_type in nodes),
    }


def catalog_of_plan(_: EcsTasksPlan, catalog: Catalog) -> Catalog:
    """Return the catalog that the type of a plan is chosen from; ``catalog`` is that of SageMaker in its region."""
    return managed_instances_catalog(catalog.region, catalog.refreshed)


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

"""What stacks of tasks of ECS have in common: the instances of a workload, and its task definition."""

from typing import Any

from constructs_lib.clusters.managed_instances import ManagedInstances, ManagedInstancesProps
from constructs_lib.clusters.model_task import Companion, ModelTask, ModelTaskProps
from sizewell.stacks.workload_stack import WorkloadStack
from sizewell.targets.contract import program
from sizewell.targets.ecs.tasks_plan_model import EcsTasksPlan


def add_instances(stack: WorkloadStack, plan: EcsTasksPlan) -> ManagedInstances:
    """Add what launches the instances of a workload."""
    task = plan.task
    return ManagedInstances(
        stack,
        "Instances",
        props=stack.props(
            ManagedInstancesProps,
            task,
            cluster_name=plan.cluster.name,
            instance_types=plan.instance_pools,
            accelerator="cuda" if task.gpu_count else "neuron" if task.neuron else None,
        ),
    )


def add_task(stack: WorkloadStack, plan: EcsTasksPlan, companion: Companion, **given: Any) -> ModelTask:
    """Add the task definition of a workload."""
    return ModelTask(
        stack,
        "Task",
        props=stack.props(
            ModelTaskProps,
            plan.task,
            service_name=plan.service_name,
            image_uri=plan.image.uri,
            repository_arn=plan.image.repository_arn,
            environment_variables=plan.environment,
            artifact_key=plan.artifact_key,
            artifact_compression=plan.artifact_compression,
            loader=program("load_model"),
            companion=companion,
            **given,
        ),
    )

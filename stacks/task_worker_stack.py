"""The stack of a model whose tasks of a service of Amazon ECS work off a queue."""

from typing import Any

from constructs import Construct

from constructs_lib.clusters.managed_instances import ManagedInstances
from constructs_lib.clusters.model_task import ModelTask, worker
from constructs_lib.clusters.working_service import WorkingScaling, WorkingService, WorkingServiceProps
from sizewell.stacks.queue_stack import QueueStack
from sizewell.stacks.scaling_policies import scaling_policy
from sizewell.stacks.task_parts import add_instances, add_task
from sizewell.stacks.workload_stack import props_of
from sizewell.targets.contract import program
from sizewell.targets.contract.worker import worker_variables
from sizewell.targets.ecs.queue_worker.plan_model import EcsQueueWorkerPlan

#: Ours: what the worker takes to tell of its last answer.
_END_S = 30


class TaskWorkerStack(QueueStack):
    """Queue, instances, tasks, scaling and alarms of one workload."""

    instances: ManagedInstances
    task: ModelTask
    service: WorkingService

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: EcsQueueWorkerPlan, **kwargs: Any
    ) -> None:
        first_look = f"the events of the service {plan.service_name}: tasks that end, or for which there is no capacity"
        super().__init__(scope, construct_id, plan=plan, first_look=first_look, **kwargs)
        self.instances = add_instances(self, plan)
        self.task = add_task(
            self,
            plan,
            worker(
                plan.image.uri,
                program("work_queue"),
                worker_variables(plan, self.foundation.artifact_bucket_name),
                plan.task.longest_answer_s + _END_S,
            ),
            statements=self.worker_statements(),
            wildcards=self.worker_wildcards(),
        )
        self.service = WorkingService(
            self,
            "Service",
            props=self.props(
                WorkingServiceProps,
                plan,
                cluster_name=plan.cluster.name,
                capacity_provider=self.instances.provider,
                task=self.task,
                desired_count=plan.initial_instance_count,
                max_percent=plan.max_percent,
                scaling=_scaling(plan),
            ),
        )


def _scaling(plan: EcsQueueWorkerPlan) -> WorkingScaling | None:
    if plan.scaling is None:
        return None
    policies = [scaling_policy(policy) for policy in plan.policies]
    return props_of(WorkingScaling, plan.scaling, policies=policies)

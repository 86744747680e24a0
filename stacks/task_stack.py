"""The stack of a model that tasks of a service of Amazon ECS serve."""

import json
from collections.abc import Mapping
from typing import Any

from constructs import Construct

from constructs_lib.alarms.target_group_alarms import (
    TargetGroupAlarms,
    TargetGroupAlarmsProps,
)
from constructs_lib.clusters.balanced_service import BalancedService, BalancedServiceProps, RequestScaling
from constructs_lib.clusters.managed_instances import ManagedInstances
from constructs_lib.clusters.model_task import PROXY_PORT, ModelTask, proxy
from sizewell.planning.workload_plan import AlarmPlan
from sizewell.stacks.alarm_thresholds import alarm_limits
from sizewell.stacks.task_parts import add_instances, add_task
from sizewell.stacks.workload_stack import WorkloadStack, props_of
from sizewell.targets.contract.proxy import PROXY_ARGUMENTS, proxy_configuration
from sizewell.targets.ecs.service.plan_model import EcsServicePlan
from sizewell.targets.serving.plan_model import ReplicaScalingPlan

_SECONDS_PER_MINUTE = 60


class TaskStack(WorkloadStack):
    """Instances, tasks, load balancer, scaling and alarms of one workload."""

    instances: ManagedInstances
    task: ModelTask
    service: BalancedService
    alarms: TargetGroupAlarms

    def __init__(self, scope: Construct, construct_id: str, *, plan: EcsServicePlan, **kwargs: Any) -> None:
        super().__init__(scope, construct_id, **kwargs)
        task, cluster = plan.task, plan.cluster
        self.instances = add_instances(self, plan)
        self.task = add_task(self, plan, proxy(cluster.proxy_image, _proxy_arguments(plan)))
        self.service = BalancedService(
            self,
            "Service",
            props=self.props(
                BalancedServiceProps,
                cluster,
                service_name=plan.service_name,
                cluster_name=cluster.name,
                capacity_provider=self.instances.provider,
                task=self.task,
                desired_count=None if plan.scaling else plan.initial_instance_count,
                max_percent=plan.max_percent,
                startup_s=task.startup_s,
                longest_answer_s=task.longest_answer_s,
            ),
        )
        self.alarms = self._add_alarms("Alarms", plan, plan.alarms)
        rollback = self._add_alarms(
            "RollbackAlarms", plan, plan.rollback_alarms, alarm_topic_arn=None, name_suffix="-Rollback"
        )
        started = self.service.start(rollback.alarm_names, _scaling(plan.scaling) if plan.scaling else None)
        self.alarms.tell_of_outage(started)

    def _add_alarms(
        self, construct_id: str, plan: EcsServicePlan, alarms: Mapping[str, AlarmPlan], **given: Any
    ) -> TargetGroupAlarms:
        return TargetGroupAlarms(
            self,
            construct_id,
            props=self.props(
                TargetGroupAlarmsProps,
                plan,
                alarms=alarm_limits(alarms),
                load_balancer_full_name=self.service.load_balancer.attr_load_balancer_full_name,
                target_group_full_name=self.service.target_group.attr_target_group_full_name,
                **given,
            ),
        )


def _proxy_arguments(plan: EcsServicePlan) -> list[str]:
    configuration = proxy_configuration(port=PROXY_PORT, max_concurrency=plan.max_concurrent_requests)
    return ["--config-yaml", json.dumps(configuration, sort_keys=True), *PROXY_ARGUMENTS]


def _scaling(plan: ReplicaScalingPlan) -> RequestScaling:
    per_minute = plan.target_value * _SECONDS_PER_MINUTE
    return props_of(RequestScaling, plan, requests_per_minute=per_minute)

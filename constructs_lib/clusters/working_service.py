"""A service of Amazon ECS whose tasks work off a queue: nobody calls them, and there may be none.

Where new tasks do not stay, a deployment brings the old ones back
(https://docs.aws.amazon.com/AmazonECS/latest/developerguide/deployment-circuit-breaker.html).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import aws_ecs as ecs
from constructs import Construct

from constructs_lib.clusters.model_task import ModelTask
from constructs_lib.clusters.service_parts import (
    in_subnets,
    on_instances,
    replaced_by_tasks_that_stay,
    scalable_target,
)
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.scaling.scaling_policies import ScalingPolicy, add_policy


@dataclass(frozen=True, kw_only=True)
class WorkingScaling:
    """Between which numbers of tasks, and by which policies."""

    min_instance_count: int
    max_instance_count: int
    policies: Sequence[ScalingPolicy]


@dataclass(frozen=True, kw_only=True)
class WorkingServiceProps:
    """The service, what its tasks are and run on.

    ``scaling`` None keeps ``desired_count`` tasks. ``max_percent`` is how many may run during a deployment, in percent of those
    that should.
    """

    service_name: str
    cluster_name: str
    capacity_provider: ecs.CfnCapacityProvider
    task: ModelTask
    desired_count: int
    max_percent: int
    scaling: WorkingScaling | None
    foundation: FoundationReferences


class WorkingService(Construct):
    """The service and its scaling."""

    service: ecs.CfnService

    def __init__(self, scope: Construct, construct_id: str, *, props: WorkingServiceProps) -> None:
        super().__init__(scope, construct_id)
        scaling = props.scaling
        self.service = ecs.CfnService(
            self,
            "Service",
            service_name=props.service_name,
            cluster=props.cluster_name,
            task_definition=props.task.definition.ref,
            # A number here would come back with each deployment: where it scales, that number is kept.
            desired_count=None if scaling else props.desired_count,
            capacity_provider_strategy=on_instances(props.capacity_provider),
            network_configuration=in_subnets(props.foundation),
            deployment_configuration=replaced_by_tasks_that_stay(props.max_percent),
            enable_ecs_managed_tags=True,
            propagate_tags="SERVICE",
        )
        if scaling is not None:
            target = scalable_target(
                self,
                self.service,
                props.cluster_name,
                props.service_name,
                min_capacity=scaling.min_instance_count,
                max_capacity=scaling.max_instance_count,
            )
            for policy in scaling.policies:
                add_policy(self, target, policy, id_prefix="", alarm_prefix=props.service_name)

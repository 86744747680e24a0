"""What services of Amazon ECS have in common, whoever asks their tasks."""

from aws_cdk import aws_applicationautoscaling as autoscaling
from aws_cdk import aws_ecs as ecs
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences

_Service = ecs.CfnService


def on_instances(provider: ecs.CfnCapacityProvider) -> list[_Service.CapacityProviderStrategyItemProperty]:
    """Return that tasks run on the instances of one capacity provider."""
    return [_Service.CapacityProviderStrategyItemProperty(capacity_provider=provider.ref, weight=1)]


def in_subnets(
    foundation: FoundationReferences, *security_groups: str
) -> _Service.NetworkConfigurationProperty:
    """Return that tasks call AWS from the subnets of the environment; ``security_groups`` are more than that takes."""
    return _Service.NetworkConfigurationProperty(
        awsvpc_configuration=_Service.AwsVpcConfigurationProperty(
            subnets=foundation.subnet_ids,
            security_groups=[foundation.endpoint_security_group_id, *security_groups],
            assign_public_ip="DISABLED",
        )
    )


def replaced_by_tasks_that_stay(
    max_percent: int, alarms: _Service.DeploymentAlarmsProperty | None = None
) -> _Service.DeploymentConfigurationProperty:
    """Return that new tasks take the place of old ones, and that the old ones come back where they do not stay."""
    return _Service.DeploymentConfigurationProperty(
        minimum_healthy_percent=100,
        maximum_percent=max_percent,
        deployment_circuit_breaker=_Service.DeploymentCircuitBreakerProperty(enable=True, rollback=True),
        alarms=alarms,
    )


def scalable_target(
    scope: Construct,
    service: ecs.CfnService,
    cluster_name: str,
    service_name: str,
    *,
    min_capacity: int,
    max_capacity: int,
) -> autoscaling.CfnScalableTarget:
    """Add the number of tasks as what scales."""
    target = autoscaling.CfnScalableTarget(
        scope,
        "ScalableTarget",
        service_namespace="ecs",
        scalable_dimension="ecs:service:DesiredCount",
        resource_id=f"service/{cluster_name}/{service_name}",
        min_capacity=min_capacity,
        max_capacity=max_capacity,
    )
    target.add_resource_dependency(service)
    return target

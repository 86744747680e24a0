"""Target tracking of the provisioned concurrency of a serverless endpoint or a function's alias, and its bounds by the clock.

"Automatically scale Provisioned Concurrency for a serverless endpoint",
https://docs.aws.amazon.com/sagemaker/latest/dg/serverless-endpoints-autoscale.html, and "AWS Lambda and Application Auto
Scaling", https://docs.aws.amazon.com/autoscaling/application/userguide/services-that-can-integrate-lambda.html. Neither has an
instance type that an update could change under its target, so these need no switch as those of ``endpoint_scaling`` do.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import CfnResource
from aws_cdk import aws_applicationautoscaling as autoscaling
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.scaling.scaling_policies import TargetTracking, add_policy
from sizewell.facts import lambda_functions
from sizewell.facts.cron import require_cron
from sizewell.facts.scaling import (
    PROVISIONED_CONCURRENCY,
    PROVISIONED_CONCURRENCY_UTILIZATION,
    SERVICE_NAMESPACE,
)
from sizewell.facts.serving_modes import Mode, limit

POLICY_NAME = "ProvisionedConcurrencyUtilization"


@dataclass(frozen=True, kw_only=True)
class ConcurrencyTarget:
    """What has provisioned concurrency, as Application Auto Scaling calls it; ``most`` None leaves it to the account's quota."""

    resource: CfnResource
    resource_id: str
    service_namespace: str
    scalable_dimension: str
    metric: str
    most: int | None = None


def concurrency_of_variant(
    endpoint: sagemaker.CfnEndpoint, endpoint_name: str, variant_name: str
) -> ConcurrencyTarget:
    """Return the serverless variant of an endpoint."""
    return ConcurrencyTarget(
        resource=endpoint,
        resource_id=f"endpoint/{endpoint_name}/variant/{variant_name}",
        service_namespace=SERVICE_NAMESPACE,
        scalable_dimension=PROVISIONED_CONCURRENCY,
        metric=PROVISIONED_CONCURRENCY_UTILIZATION,
        most=int(limit(Mode.SERVERLESS, "max_concurrency")),
    )


def concurrency_of_alias(alias: lambda_.CfnAlias, function_name: str) -> ConcurrencyTarget:
    """Return the alias of a function."""
    return ConcurrencyTarget(
        resource=alias,
        resource_id=f"function:{function_name}:{alias.name}",
        service_namespace=lambda_functions.SCALING_NAMESPACE,
        scalable_dimension=lambda_functions.PROVISIONED_CONCURRENCY,
        metric=lambda_functions.PROVISIONED_CONCURRENCY_UTILIZATION,
    )


@dataclass(frozen=True, kw_only=True)
class ConcurrencyAction:
    """Bounds that hold from a moment on, until another action begins.

    ``schedule`` is a cron expression of Application Auto Scaling, such as ``cron(0 20 ? * MON-FRI *)``, in a time zone of the
    IANA database. Raises ValueError for what Application Auto Scaling refuses.
    """

    name: str
    schedule: str
    time_zone: str = "UTC"
    min_provisioned_concurrency: int
    max_provisioned_concurrency: int

    def __post_init__(self) -> None:
        """Check what would be refused in the middle of a deployment, or when the moment comes."""
        _check_bounds(self.min_provisioned_concurrency, self.max_provisioned_concurrency)
        require_cron(self.schedule, self.name)


@dataclass(frozen=True, kw_only=True)
class ConcurrencyScalingProps:
    """Bounds and target; ``target_utilization`` is the share of the provisioned concurrency that is busy, above 0 to 1.

    ``target`` is made by ``concurrency_of_variant`` or ``concurrency_of_alias``. Cooldowns are seconds after one change before
    the next. Raises ValueError.
    """

    target: ConcurrencyTarget
    min_provisioned_concurrency: int
    max_provisioned_concurrency: int
    target_utilization: float
    scale_out_cooldown_s: int
    scale_in_cooldown_s: int
    scheduled_actions: Sequence[ConcurrencyAction] = ()

    def __post_init__(self) -> None:
        """Check what Application Auto Scaling would refuse in the middle of a deployment."""
        bounds = [(self.min_provisioned_concurrency, self.max_provisioned_concurrency)]
        for action in self.scheduled_actions:
            bounds.append((action.min_provisioned_concurrency, action.max_provisioned_concurrency))
        for least, most in bounds:
            _check_bounds(least, most, self.target.most)
        if not 0 < self.target_utilization <= 1:
            raise ValueError(
                f"target_utilization must be above 0 and at most 1, got {self.target_utilization!r}"
            )
        for name in ("scale_out_cooldown_s", "scale_in_cooldown_s"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)}")
        names = [action.name for action in self.scheduled_actions]
        if len(set(names)) < len(names):
            raise ValueError(f"each scheduled action has a name of its own, got {names}")


def _check_bounds(least: int, most: int, ceiling: int | None = None) -> None:
    if not 1 <= least <= most or (ceiling is not None and most > ceiling):
        end = f" <= {ceiling}" if ceiling else ""
        raise ValueError(
            f"need 1 <= min_provisioned_concurrency <= max_provisioned_concurrency{end}, got {least} and {most}"
        )


class ConcurrencyScaling(Construct):
    """A scalable target and a policy."""

    def __init__(self, scope: Construct, construct_id: str, *, props: ConcurrencyScalingProps) -> None:
        super().__init__(scope, construct_id)
        target = autoscaling.CfnScalableTarget(
            self,
            "Target",
            service_namespace=props.target.service_namespace,
            scalable_dimension=props.target.scalable_dimension,
            resource_id=props.target.resource_id,
            min_capacity=props.min_provisioned_concurrency,
            max_capacity=props.max_provisioned_concurrency,
            scheduled_actions=[_scheduled_action(action) for action in props.scheduled_actions] or None,
        )
        target.add_resource_dependency(props.target.resource)
        policy = TargetTracking(
            name=POLICY_NAME,
            metric=props.target.metric,
            target_value=props.target_utilization,
            scale_out_cooldown_s=props.scale_out_cooldown_s,
            scale_in_cooldown_s=props.scale_in_cooldown_s,
        )
        add_policy(self, target, policy, id_prefix="", alarm_prefix="")


def _scheduled_action(action: ConcurrencyAction) -> autoscaling.CfnScalableTarget.ScheduledActionProperty:
    return autoscaling.CfnScalableTarget.ScheduledActionProperty(
        scheduled_action_name=action.name,
        schedule=action.schedule,
        timezone=action.time_zone,
        scalable_target_action=autoscaling.CfnScalableTarget.ScalableTargetActionProperty(
            min_capacity=action.min_provisioned_concurrency, max_capacity=action.max_provisioned_concurrency
        ),
    )

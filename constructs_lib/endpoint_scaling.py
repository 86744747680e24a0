"""Target-tracking autoscaling of the variants of an endpoint, which a stack parameter turns off for a deployment.

SageMaker refuses to change the instance type of a variant that is a registered scalable target, or to remove it ("Update
endpoints that use auto scaling", https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-scaling-update.html), and
CloudFormation updates an endpoint before it deletes a target. So target and policy depend on the parameter
``Autoscaling``; ``sizewell deploy`` sets it to ``off`` before such a change and to ``on`` after it.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from weakref import WeakSet

from aws_cdk import CfnCondition, CfnParameter, CfnResource, Fn, ICfnConditionExpression, Stack, Token
from aws_cdk import aws_applicationautoscaling as autoscaling
from aws_cdk import aws_events as events
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sizewell.facts.cron import cron_fault
from sizewell.facts.scaling import (
    AUTOSCALING_PARAMETER,
    INSTANCE_COUNT,
    INVOCATIONS_PER_INSTANCE,
    OFF,
    ON,
    SERVICE_NAMESPACE,
)

POLICY_NAME = "InvocationsPerInstance"
#: Longer than most changes of an instance type take, so that only a stack that was left off reminds people.
REMINDER_INTERVAL = "rate(1 hour)"
_CONDITION = "AutoscalingOn"
_switched: WeakSet[Stack] = WeakSet()
"""The stacks that have the parameter: asking the kernel would take three calls for each endpoint."""


@dataclass(frozen=True, kw_only=True)
class ScheduledAction:
    """Bounds that hold from a moment on, until another action begins.

    ``schedule`` is a cron expression of Application Auto Scaling, such as ``cron(0 20 ? * MON-FRI *)``, in a time zone of the
    IANA database. Both bounds are set: one alone may cross the other that happens to hold. Raises ValueError for bounds that a
    plain variant does not take.
    """

    name: str
    schedule: str
    time_zone: str = "UTC"
    min_instance_count: int
    max_instance_count: int

    def __post_init__(self) -> None:
        """Check what Application Auto Scaling would refuse in the middle of a deployment, or when the moment comes."""
        _check_bounds(self.min_instance_count, self.max_instance_count)
        inside = re.fullmatch(r"cron\((.*)\)", self.schedule)
        reason = cron_fault(inside[1]) if inside else "it is no cron(...)"
        if reason:
            raise ValueError(f"schedule {self.schedule} of {self.name}: {reason}")


@dataclass(frozen=True, kw_only=True)
class VariantScaling:
    """Bounds and target of one variant.

    ``target_invocations_per_instance_per_minute`` is what one instance should serve: the metric counts per minute.
    Cooldowns are seconds after one scaling activity before the next. Zero instances are refused because a plain variant
    cannot scale to zero; only inference components can ("Scale an endpoint to zero instances",
    https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-auto-scaling-zero-instances.html). ``scheduled_actions`` change the
    bounds by the clock; each deployment that changes the target sets those here again. Raises ValueError.
    """

    variant_name: str
    min_instance_count: int
    max_instance_count: int
    target_invocations_per_instance_per_minute: float
    scale_out_cooldown_s: int
    scale_in_cooldown_s: int
    scheduled_actions: Sequence[ScheduledAction] = ()

    def __post_init__(self) -> None:
        """Check what Application Auto Scaling would refuse in the middle of a deployment."""
        _check_bounds(self.min_instance_count, self.max_instance_count)
        names = [action.name for action in self.scheduled_actions]
        if len(set(names)) < len(names):
            raise ValueError(f"each scheduled action has a name of its own, got {names}")
        if not 0 < self.target_invocations_per_instance_per_minute < float("inf"):
            raise ValueError(
                f"target_invocations_per_instance_per_minute must be a positive number, "
                f"got {self.target_invocations_per_instance_per_minute!r}"
            )
        for name in ("scale_out_cooldown_s", "scale_in_cooldown_s"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)}")


def _check_bounds(min_instance_count: int, max_instance_count: int) -> None:
    if not 1 <= min_instance_count <= max_instance_count:
        raise ValueError(
            f"need 1 <= min_instance_count <= max_instance_count, got {min_instance_count} and {max_instance_count}"
        )


@dataclass(frozen=True, kw_only=True)
class EndpointScalingProps:
    """``endpoint_name`` is that of ``endpoint``; ``alarm_topic_arn`` hears of an endpoint that was left without autoscaling.

    A variant without an entry in ``variants`` keeps a fixed number of instances. Raises ValueError for a variant that is
    named twice, and without any.
    """

    endpoint: sagemaker.CfnEndpoint
    endpoint_name: str
    alarm_topic_arn: str
    variants: Sequence[VariantScaling]

    def __post_init__(self) -> None:
        """Check that each variant scales once."""
        names = [variant.variant_name for variant in self.variants]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"at least one variant scales, and each of them once, got {names}")


class EndpointScaling(Construct):
    """A scalable target and a policy for each variant while ``Autoscaling`` is on; a reminder every hour while it is off."""

    def __init__(self, scope: Construct, construct_id: str, *, props: EndpointScalingProps) -> None:
        super().__init__(scope, construct_id)
        _add_switch(Stack.of(self))
        for variant in props.variants:
            self._scale(variant, props)
        self._remind(props)

    def _scale(self, variant: VariantScaling, props: EndpointScalingProps) -> None:
        target = autoscaling.CfnScalableTarget(
            self,
            f"{variant.variant_name}Target",
            service_namespace=SERVICE_NAMESPACE,
            scalable_dimension=INSTANCE_COUNT,
            resource_id=f"endpoint/{props.endpoint_name}/variant/{variant.variant_name}",
            min_capacity=variant.min_instance_count,
            max_capacity=variant.max_instance_count,
            scheduled_actions=[_scheduled_action(action) for action in variant.scheduled_actions] or None,
        )
        target.add_resource_dependency(props.endpoint)
        policy = autoscaling.CfnScalingPolicy(
            self,
            f"{variant.variant_name}Policy",
            policy_name=POLICY_NAME,
            policy_type="TargetTrackingScaling",
            scaling_target_id=target.ref,
            target_tracking_scaling_policy_configuration=(
                autoscaling.CfnScalingPolicy.TargetTrackingScalingPolicyConfigurationProperty(
                    target_value=variant.target_invocations_per_instance_per_minute,
                    predefined_metric_specification=autoscaling.CfnScalingPolicy.PredefinedMetricSpecificationProperty(
                        predefined_metric_type=INVOCATIONS_PER_INSTANCE
                    ),
                    scale_out_cooldown=variant.scale_out_cooldown_s,
                    scale_in_cooldown=variant.scale_in_cooldown_s,
                )
            ),
        )
        _only_while_on(target)
        _only_while_on(policy)

    def _remind(self, props: EndpointScalingProps) -> None:
        text = (
            f"Autoscaling of endpoint {props.endpoint_name} is off: its stack has {AUTOSCALING_PARAMETER}={OFF}, as during a "
            f"change of the instance type. Run sizewell deploy for the stack to turn it on."
        )
        events.CfnRule(
            self,
            "OffReminder",
            description=f"Tells every hour that {props.endpoint_name} does not scale, while {AUTOSCALING_PARAMETER} is {OFF}",
            schedule_expression=REMINDER_INTERVAL,
            state=_enabled_while_off(),
            targets=[
                events.CfnRule.TargetProperty(
                    id="AlarmTopic", arn=props.alarm_topic_arn, input=json.dumps(text)
                )
            ],
        )


def _scheduled_action(action: ScheduledAction) -> autoscaling.CfnScalableTarget.ScheduledActionProperty:
    return autoscaling.CfnScalableTarget.ScheduledActionProperty(
        scheduled_action_name=action.name,
        schedule=action.schedule,
        timezone=action.time_zone,
        scalable_target_action=autoscaling.CfnScalableTarget.ScalableTargetActionProperty(
            min_capacity=action.min_instance_count, max_capacity=action.max_instance_count
        ),
    )


def _add_switch(stack: Stack) -> None:
    """Add the parameter and its condition to a stack, once for all its endpoints."""
    if stack in _switched:
        return
    _switched.add(stack)
    CfnParameter(
        stack,
        AUTOSCALING_PARAMETER,
        type="String",
        default=ON,
        allowed_values=[ON, OFF],
        description=f"{OFF} while a deployment changes the instance type of a scaled variant or removes one",
    )
    CfnCondition(stack, _CONDITION, expression=_is_on())


@cache
def _is_on() -> ICfnConditionExpression:
    """Return one expression for all stacks: each is three calls of the kernel."""
    return Fn.condition_equals(Fn.ref(AUTOSCALING_PARAMETER), ON)


@cache
def _enabled_while_off() -> str:
    """Return one token for all stacks: the condition has the same logical id in each."""
    return Token.as_string({"Fn::If": [_CONDITION, "DISABLED", "ENABLED"]})


def _only_while_on(resource: CfnResource) -> None:
    # The text of the template itself: cfn_options takes two calls of the kernel for the same.
    resource.add_override("Condition", _CONDITION)

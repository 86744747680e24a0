"""Autoscaling of the variants of an endpoint, which a stack parameter turns off for a deployment.

SageMaker refuses to change the instance type of a variant that is a registered scalable target, or to remove it ("Update
endpoints that use auto scaling", https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-scaling-update.html), and
CloudFormation updates an endpoint before it deletes a target. So target and policy depend on the parameter
``Autoscaling``; ``sizewell deploy`` sets it to ``off`` before such a change and to ``on`` after it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from weakref import WeakSet

from aws_cdk import CfnCondition, CfnParameter, CfnResource, Fn, ICfnConditionExpression, Stack, Token
from aws_cdk import aws_applicationautoscaling as autoscaling
from aws_cdk import aws_events as events
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from constructs_lib.notifications.message import message
from constructs_lib.scaling.scaling_policies import ScalingPolicy, StepScaling, TargetTracking, add_policy
from sizewell.facts.cron import require_cron
from sizewell.facts.scaling import (
    AUTOSCALING_PARAMETER,
    INSTANCE_COUNT,
    OFF,
    ON,
    SERVICE_NAMESPACE,
)

#: Longer than most changes of an instance type take, so that only a stack that was left off reminds people.
REMINDER_INTERVAL = "rate(1 hour)"
_CONDITION = "AutoscalingOn"
_switched: WeakSet[Stack] = WeakSet()
"""The stacks that have the parameter: asking the kernel would take three calls for each endpoint."""


@dataclass(frozen=True, kw_only=True)
class ScheduledAction:
    """Bounds that hold from a moment on, until another action begins.

    ``schedule`` is a cron expression of Application Auto Scaling, such as ``cron(0 20 ? * MON-FRI *)``, in a time zone of the
    IANA database. Both bounds are set: one alone may cross the other that happens to hold. Raises ValueError for bounds that no
    variant takes.
    """

    name: str
    schedule: str
    time_zone: str = "UTC"
    min_instance_count: int
    max_instance_count: int

    def __post_init__(self) -> None:
        """Check what Application Auto Scaling would refuse in the middle of a deployment, or when the moment comes."""
        _check_bounds(self, least=0)
        require_cron(self.schedule, self.name)


@dataclass(frozen=True, kw_only=True)
class VariantScaling:
    """Bounds and policies of one variant.

    Each of ``policies`` has a name of its own, and a metric is tracked by one of them (aws-cdk#17956); where several ask for a
    number, the largest holds. Zero instances are for an asynchronous variant, which ``may_sleep``, and for one that a step
    policy wakes: a plain variant cannot scale to zero ("Scale an endpoint to zero instances",
    https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-auto-scaling-zero-instances.html). ``scheduled_actions`` change the
    bounds by the clock; each deployment that changes the target sets those here again. Raises ValueError.
    """

    variant_name: str
    min_instance_count: int
    max_instance_count: int
    policies: Sequence[ScalingPolicy]
    scheduled_actions: Sequence[ScheduledAction] = ()
    may_sleep: bool = False

    def __post_init__(self) -> None:
        """Check what Application Auto Scaling would refuse in the middle of a deployment."""
        all_bounds: list[VariantScaling | ScheduledAction] = [self, *self.scheduled_actions]
        for bounds in all_bounds:
            _check_bounds(bounds, least=0 if self.may_sleep else 1)
        for what, names in (
            ("scheduled action", [action.name for action in self.scheduled_actions]),
            ("policy", [policy.name for policy in self.policies]),
        ):
            if len(set(names)) < len(names):
                raise ValueError(f"each {what} has a name of its own, got {names}")
        tracked = [str(policy.metric) for policy in self.policies if isinstance(policy, TargetTracking)]
        if len(set(tracked)) < len(tracked):
            raise ValueError(f"Application Auto Scaling tracks one target for a metric, got {tracked}")
        sleeps = min(bounds.min_instance_count for bounds in all_bounds) == 0
        if sleeps and not any(isinstance(policy, StepScaling) for policy in self.policies):
            raise ValueError(
                f"{self.variant_name} scales to zero, and no step policy wakes it: target tracking waits for its target"
            )


def _check_bounds(bounds: VariantScaling | ScheduledAction, *, least: int) -> None:
    if not least <= bounds.min_instance_count <= bounds.max_instance_count or bounds.max_instance_count < 1:
        raise ValueError(
            f"need {least} <= min_instance_count <= max_instance_count, got {bounds.min_instance_count} and "
            f"{bounds.max_instance_count}"
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
    """A scalable target and the policies of each variant while ``Autoscaling`` is on; a reminder every hour while it is off."""

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
        _only_while_on(target)
        for policy in variant.policies:
            added = add_policy(
                self,
                target,
                policy,
                id_prefix=variant.variant_name,
                alarm_prefix=f"{props.endpoint_name}-{variant.variant_name}",
            )
            for resource in added:
                _only_while_on(resource)

    def _remind(self, props: EndpointScalingProps) -> None:
        told = message(
            f"Endpoint {props.endpoint_name} does not scale",
            f"Its stack has {AUTOSCALING_PARAMETER}={OFF}, as during a change of the instance type.",
            next_step="Turn autoscaling on: sizewell deploy for the stack",
            context={"endpointName": props.endpoint_name},
        )
        events.CfnRule(
            self,
            "OffReminder",
            description=f"Tells every hour that {props.endpoint_name} does not scale, while {AUTOSCALING_PARAMETER} is {OFF}",
            schedule_expression=REMINDER_INTERVAL,
            state=_enabled_while_off(),
            targets=[
                events.CfnRule.TargetProperty(
                    id="AlarmTopic", arn=props.alarm_topic_arn, input=json.dumps(told)
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

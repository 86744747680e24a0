"""Application Auto Scaling: every target is registered with its bounds and not suspended, its policies and actions exist.

* ``Ref`` of a target is ``resource|dimension|namespace``:
  https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-applicationautoscaling-scalabletarget.html
* A scheduled action changes the bounds of the target until another one does:
  https://docs.aws.amazon.com/autoscaling/application/userguide/scheduled-scaling-using-cron-expressions.html
* What is suspended does not scale:
  https://docs.aws.amazon.com/autoscaling/application/userguide/application-auto-scaling-suspend-resume-scaling.html
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.account.aws_account import AwsAccount
from sizewell.account.check import Answer, fails, passes, warns
from sizewell.account.deployed import DeployedResource, DeployedStack, check_of_stacks
from sizewell.facts.scaling import AUTOSCALING_PARAMETER, OFF
from sizewell.templates.values import maps, number, text

_SUSPENDED = {
    "DynamicScalingInSuspended": "scaling in",
    "DynamicScalingOutSuspended": "scaling out",
    "ScheduledScalingSuspended": "scheduled scaling",
}


def _ask(aws: AwsAccount, stack: DeployedStack) -> Iterator[Answer]:
    if stack.parameters.get(AUTOSCALING_PARAMETER) == OFF:
        yield fails(
            stack.name,
            "Autoscaling=off: a deployment that did not finish left its variants at a fixed count",
            f"sizewell deploy for {stack.name}",
        )
    policies = list(stack.resources("AWS::ApplicationAutoScaling::ScalingPolicy"))
    for target in stack.resources("AWS::ApplicationAutoScaling::ScalableTarget"):
        resource_id, dimension, namespace = target.physical_id.split("|")
        key = {"ServiceNamespace": namespace, "ScalableDimension": dimension}
        yield from _ask_target(aws, target, resource_id, key)
    for namespace in sorted({_namespace(policy) for policy in policies}):
        yield from _ask_policies(
            aws, namespace, [policy for policy in policies if _namespace(policy) == namespace]
        )


def _ask_target(
    aws: AwsAccount, target: DeployedResource, resource_id: str, key: Mapping[str, str]
) -> Iterator[Answer]:
    client = aws.client("application-autoscaling")
    found = client.describe_scalable_targets(ResourceIds=[resource_id], **key)["ScalableTargets"]
    if not found:
        yield fails(
            resource_id,
            "no scalable target is registered: it does not scale",
            _registered_again(target.stack),
        )
        return
    actions = [action for _, action in maps(target.stated.get("ScheduledActions"))]
    suspended = [words for flag, words in _SUSPENDED.items() if found[0].get("SuspendedState", {}).get(flag)]
    bounds = (found[0]["MinCapacity"], found[0]["MaxCapacity"])
    allowed = {_bounds(target.stated)} | {
        _bounds(action.get("ScalableTargetAction", {})) for action in actions
    }
    # A bound that an action leaves out stays as it was, and one that CloudFormation works out is not known here.
    is_planned = bounds in allowed or any(None in pair for pair in allowed)
    if suspended:
        yield fails(
            resource_id,
            f"suspended: {', '.join(suspended)}",
            _register(
                aws, resource_id, key, f"--suspended-state {','.join(f'{flag}=false' for flag in _SUSPENDED)}"
            ),
        )
    if not is_planned:
        planned = " or ".join(
            f"{least:g} to {most:g}" for least, most in sorted(allowed) if None not in (least, most)
        )
        yield fails(
            resource_id,
            f"scales from {bounds[0]} to {bounds[1]}, planned {planned}",
            _register(
                aws,
                resource_id,
                key,
                f"--min-capacity {target.stated.get('MinCapacity')} --max-capacity {target.stated.get('MaxCapacity')}",
            ),
        )
    if actions:
        yield from _ask_actions(aws, target, resource_id, key, actions)
    if is_planned and not suspended:
        yield passes(resource_id, f"scales from {bounds[0]} to {bounds[1]}")


def _ask_actions(
    aws: AwsAccount,
    target: DeployedResource,
    resource_id: str,
    key: Mapping[str, str],
    planned: list[Mapping[str, Any]],
) -> Iterator[Answer]:
    pages = aws.client("application-autoscaling").get_paginator("describe_scheduled_actions")
    found = {
        action["ScheduledActionName"]: action
        for page in pages.paginate(ResourceId=resource_id, **key)
        for action in page["ScheduledActions"]
    }
    for action in planned:
        name, schedule = text(action.get("ScheduledActionName")), text(action.get("Schedule"))
        if name is None:
            continue
        if name not in found:
            yield fails(
                resource_id, f"the scheduled action {name} is not there", _registered_again(target.stack)
            )
        elif schedule is not None and found[name]["Schedule"] != schedule:
            yield fails(
                resource_id,
                f"the scheduled action {name} is at {found[name]['Schedule']}, planned {schedule}",
                _registered_again(target.stack),
            )


def _ask_policies(aws: AwsAccount, namespace: str, planned: list[DeployedResource]) -> Iterator[Answer]:
    pages = aws.client("application-autoscaling").get_paginator("describe_scaling_policies")
    found = {
        policy["PolicyARN"]: policy
        for page in pages.paginate(ServiceNamespace=namespace)
        for policy in page["ScalingPolicies"]
    }
    for policy in planned:
        subject = f"{policy.stack.name}: {policy.stated.get('PolicyName', policy.name)}"
        if policy.physical_id not in found:
            yield fails(subject, "there is no such scaling policy", _registered_again(policy.stack))
            continue
        tracking = "TargetTrackingScalingPolicyConfiguration"
        wanted = number(policy.stated.get(tracking, {}).get("TargetValue"))
        value = found[policy.physical_id].get(tracking, {}).get("TargetValue")
        if wanted is not None and value != wanted:
            yield fails(
                subject,
                f"follows {value:g}, planned {wanted:g}"
                if value is not None
                else f"follows nothing, planned {wanted:g}",
                _registered_again(policy.stack),
            )
        elif wanted is not None and not found[policy.physical_id].get("Alarms"):
            yield warns(
                subject, "CloudWatch has no alarm for it, so it never scales", _registered_again(policy.stack)
            )


def _register(aws: AwsAccount, resource_id: str, key: Mapping[str, str], change: str) -> str:
    return (
        f"aws application-autoscaling register-scalable-target --resource-id {resource_id} --service-namespace "
        f"{key['ServiceNamespace']} --scalable-dimension {key['ScalableDimension']} --region {aws.region} {change}"
    )


def _registered_again(stack: DeployedStack) -> str:
    """CloudFormation changes nothing that its template has not changed: the switch of the stack makes it anew."""
    if AUTOSCALING_PARAMETER not in stack.parameters:
        return f"delete {stack.name}, and deploy it again"
    deploy = f"cdk deploy -c env=ENV {stack.name} --exclusively"
    switch = f"{deploy} --parameters {stack.name}:{AUTOSCALING_PARAMETER}="
    return f"make it anew: {switch}off, then {switch}on"


def _bounds(stated: Mapping[str, Any]) -> tuple[float | None, float | None]:
    return number(stated.get("MinCapacity")), number(stated.get("MaxCapacity"))


def _namespace(policy: DeployedResource) -> str:
    """Of a policy by its ARN, ``arn:aws:autoscaling:region:account:scalingPolicy:id:resource/namespace/...``:

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-applicationautoscaling-scalingpolicy.html
    """
    return policy.physical_id.partition(":resource/")[2].partition("/")[0]


SCALING = check_of_stacks(
    "scaling",
    (
        "application-autoscaling:DescribeScalableTargets",
        "application-autoscaling:DescribeScalingPolicies",
        "application-autoscaling:DescribeScheduledActions",
    ),
    _ask,
)

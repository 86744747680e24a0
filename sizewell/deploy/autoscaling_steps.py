"""Which stacks must not be deployed while their variants are registered with Application Auto Scaling, and why.

SageMaker refuses to change the instance type of a registered variant, or to remove it: "Update endpoints that use auto
scaling", https://docs.aws.amazon.com/sagemaker/latest/dg/endpoint-scaling-update.html. A deployment that registers a
variant and changes its type must not be one, either: when it fails after the registration, its rollback is refused.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sizewell.facts.scaling import AUTOSCALING_PARAMETER, OFF, ON
from sizewell.templates.endpoints import EndpointChange
from sizewell.templates.propagation import diff_stacks
from sizewell.templates.template import Stack, StackPair
from sizewell.templates.values import mapping


@dataclass(frozen=True)
class DeployedStack:
    """A stack as it is in the account."""

    name: str
    status: str
    template: Mapping[str, Any]
    parameters: Mapping[str, str]
    termination_protection: bool = False
    """Whether CloudFormation refuses to delete it."""

    @property
    def autoscaling(self) -> str | None:
        """``on`` or ``off``; None for a stack without the parameter."""
        return self.parameters.get(AUTOSCALING_PARAMETER)


@dataclass(frozen=True)
class AutoscalingSteps:
    """What is done around the deployment of one stack."""

    reasons: tuple[str, ...]
    """What SageMaker refuses while it is autoscaled: one text for each variant; empty where it was left off."""
    turn_off: bool
    """Set the parameter of the deployed template to ``off`` first."""
    deploy_off: bool
    """Deploy the new template with ``off``, and turn it ``on`` in an update of its own; it has the parameter."""

    def __bool__(self) -> bool:
        return self.turn_off or self.deploy_off


def autoscaling_steps(deployed: DeployedStack | None, wanted: Stack) -> AutoscalingSteps:
    """Return the steps for a stack; none where ``cdk deploy`` alone does it."""
    if deployed is None:
        return AutoscalingSteps((), turn_off=False, deploy_off=False)
    reasons = tuple(_refused(deployed, wanted))
    has_switch = AUTOSCALING_PARAMETER in mapping(wanted.template.get("Parameters"))
    was_left_off = deployed.autoscaling == OFF
    return AutoscalingSteps(
        reasons,
        turn_off=bool(reasons) and deployed.autoscaling == ON,
        deploy_off=has_switch and (bool(reasons) or was_left_off),
    )


def _refused(deployed: DeployedStack, wanted: Stack) -> Iterator[str]:
    base = Stack(wanted.name, wanted.account, wanted.region, _as_if_on(deployed.template))
    head = Stack(wanted.name, wanted.account, wanted.region, _as_if_on(wanted.template))
    for endpoint in diff_stacks((StackPair("", wanted.name, base, head),)).kept_endpoints:
        yield from _refused_of(endpoint)


def _refused_of(endpoint: EndpointChange) -> Iterator[str]:
    scaled = endpoint.base.scaling.keys() | endpoint.head.scaling.keys()
    for name in sorted(endpoint.base.variants.keys() & scaled):
        before, after = endpoint.base.variants[name], endpoint.head.variants.get(name)
        if after is None:
            yield f"variant {name} of {endpoint.subject} is removed"
        elif before.instance_type != after.instance_type:
            yield f"variant {name} of {endpoint.subject} changes from {before.instance_type} to {after.instance_type}"


def _as_if_on(template: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a template whose conditions are read with autoscaling on, whatever its default or the deployment says."""
    parameters = mapping(template.get("Parameters"))
    if AUTOSCALING_PARAMETER not in parameters:
        return template
    switch = {**mapping(parameters[AUTOSCALING_PARAMETER]), "Default": ON}
    return {**template, "Parameters": {**parameters, AUTOSCALING_PARAMETER: switch}}

"""Parts of the network that SageMaker still uses when CloudFormation wants to delete them."""

from collections.abc import Iterator
from typing import Any

from sizewell.review.hazards.rule import Environment, Found, hazard_rule
from sizewell.review.words import counted, listed
from sizewell.templates.deployment import ResourceImpact
from sizewell.templates.endpoints import MODEL
from sizewell.templates.template import Resource
from sizewell.templates.values import references_in

#: Resources in which network interfaces stand, or which are attached to them.
_HELD = ("AWS::EC2::SecurityGroup", "AWS::EC2::Subnet", "AWS::EC2::VPC")


@hazard_rule("availability")
def network_in_use(environment: Environment) -> Iterator[Found]:
    """A subnet, security group or VPC is removed while network interfaces of endpoints use it."""
    gone: dict[str, list[str]] = {}
    for change in environment.diff.changes:
        is_gone = change.action == "removed" or change.is_replaced
        if change.resource_type in _HELD and is_gone and not _is_of_interface_endpoints(environment, change):
            gone.setdefault(change.stack, []).append(change.logical_id)
    if not gone or not _has_models_in_a_network(environment):
        return
    for stack, logical_ids in sorted(gone.items()):
        yield Found(
            "warning",
            stack,
            logical_ids[0] if len(logical_ids) == 1 else None,
            f"network of stack {stack}",
            f"{counted(len(logical_ids), 'subnet, security group or VPC', 'subnets, security groups or VPCs')} removed or "
            f"replaced: {listed(sorted(logical_ids))}",
            "SageMaker's network interfaces use the old ones until each endpoint that runs there is updated. CloudFormation "
            "cannot delete them, gives up, and leaves them outside of any stack.",
            "Deploy all workloads right after this stack, then delete what it left behind.",
        )


def _is_of_interface_endpoints(environment: Environment, change: ResourceImpact) -> bool:
    """Tell whether nothing but VPC endpoints uses it, which go with it."""
    stack = next(pair.base for pair in environment.diff.stacks if pair.name == change.stack)
    if stack is None or change.base is None or _refers(stack.sections.get("Outputs"), change.base):
        return False
    users = {
        resource.resource_type
        for resource in stack.resources.values()
        if _refers(resource.properties, change.base)
    }
    return users == {"AWS::EC2::VPCEndpoint"}


def _refers(value: Any, resource: Resource) -> bool:
    return any(reference.name == resource.logical_id for reference in references_in(value))


def _has_models_in_a_network(environment: Environment) -> bool:
    return any(
        resource.resource_type == MODEL and "VpcConfig" in (resource.body.get("Properties") or {})
        for stack in environment.diff.stacks
        if stack.base
        for resource in stack.base.resources.values()
    )

"""Ways from and to the internet that are new."""

from collections.abc import Iterator

from sizewell.review.model import SecurityChange
from sizewell.review.security.rule import ABSENT, StackChange, stack_rule
from sizewell.templates.alternatives import texts
from sizewell.templates.template import Resource

_GATEWAYS = ("AWS::EC2::InternetGateway", "AWS::EC2::EgressOnlyInternetGateway")
_ROUTE = "AWS::EC2::Route"
_EVERYWHERE = ("0.0.0.0/0", "::/0")
_TARGETS = ("GatewayId", "EgressOnlyInternetGatewayId", "NatGatewayId", "TransitGatewayId", "InstanceId")


@stack_rule
def internet_gateways(stack: StackChange) -> Iterator[SecurityChange]:
    """Yield new gateways to the internet."""
    for pair in stack.changed_of(*_GATEWAYS):
        if pair.base is None:
            yield stack.change(
                "internet-gateway-added",
                "weaker",
                pair.either.logical_id,
                base=ABSENT,
                head=pair.either.resource_type,
                why="Subnets with a route to it are on the internet.",
            )


@stack_rule
def internet_routes(stack: StackChange) -> Iterator[SecurityChange]:
    """Yield new routes to every address."""
    for pair in stack.changed_of(_ROUTE):
        before, after = _default_route(pair.base), _default_route(pair.head)
        if after and after != before:
            yield stack.change(
                "internet-route-added",
                "weaker",
                pair.either.logical_id,
                base=before or "no route to every address",
                head=after,
                why="Everything in the subnets of this route table can reach every address.",
            )


def _default_route(route: Resource | None) -> str:
    if route is None:
        return ""
    properties = route.properties
    destinations = [
        cidr
        for key in ("DestinationCidrBlock", "DestinationIpv6CidrBlock")
        for cidr in texts(properties.get(key))
        if cidr in _EVERYWHERE
    ]
    targets = [f"{key} {name}" for key in _TARGETS for name in texts(properties.get(key))]
    return (
        f"{', '.join(destinations)} through {', '.join(targets) or 'nothing known'}" if destinations else ""
    )

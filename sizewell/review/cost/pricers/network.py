"""VPC endpoints, NAT gateways, public addresses and load balancers."""

from collections.abc import Iterator

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.review.cost.charges import Amounts, Charge, Count, by_count, by_use, unknown
from sizewell.review.cost.pricer import PlannedStack, prices
from sizewell.templates.template import Resource
from sizewell.templates.values import is_given, text

SERVICE = "VPC"
_ELB = "ELB"
ONE = Amounts.fixed(1)
#: By the type of the endpoint, AWS's default first: the name of its price and its own.
_ENDPOINTS = {
    "Gateway": ("gateway_endpoint", "gateway endpoint"),
    "Interface": ("interface_endpoint", "VPC interface endpoint"),
    "GatewayLoadBalancer": ("gateway_load_balancer_endpoint", "Gateway Load Balancer endpoint"),
}


@prices("AWS::EC2::VPCEndpoint")
def vpc_endpoint(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what an endpoint costs in each of its availability zones, and for the data through it."""
    kind = text(resource.written.get("VpcEndpointType", "Gateway"))
    if kind is None or kind not in _ENDPOINTS:
        yield from unknown(SERVICE, "VPC endpoint")
        return
    price_name, noun = _ENDPOINTS[kind]
    price = stack.price(SERVICE, f"{price_name}_hour")
    zones = 1 if kind == "Gateway" else _zones(resource, stack)
    if zones is None:
        yield from unknown(SERVICE, noun)
    else:
        name = f"{noun} x {zones} zone{'' if zones == 1 else 's'}"
        count = Count(ONE, name, zones * HOURS_PER_MONTH, "hours")
        yield from by_count(SERVICE, name, count, price)
    if kind != "Gateway":
        yield from by_use(SERVICE, f"data through {noun}s", stack.price(SERVICE, f"{price_name}_gb"))


@prices("AWS::EC2::NatGateway")
def nat_gateway(_: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what a NAT gateway costs by the hour and for the data through it."""
    hours = Count(ONE, "NAT gateway", HOURS_PER_MONTH, "hours")
    yield from by_count(SERVICE, "NAT gateway", hours, stack.price(SERVICE, "nat_gateway_hour"))
    yield from by_use(SERVICE, "data through NAT gateways", stack.price(SERVICE, "nat_gateway_gb"))


@prices("AWS::EC2::EIP")
def elastic_ip(_: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what a public IPv4 address costs, in use or idle."""
    hours = Count(ONE, "public IPv4 address", HOURS_PER_MONTH, "hours")
    yield from by_count(SERVICE, "public IPv4 address", hours, stack.price(SERVICE, "public_ipv4_hour"))


@prices("AWS::ElasticLoadBalancingV2::LoadBalancer")
def load_balancer(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what an Application Load Balancer costs by the hour and by use; others have prices that are not known here."""
    kind = text(resource.written.get("Type", "application"))
    if kind != "application":
        yield from unknown(_ELB, "load balancer")
        return
    hours = Count(ONE, "load balancer", HOURS_PER_MONTH, "hours")
    yield from by_count(_ELB, "load balancer", hours, stack.price(_ELB, "application_hour"))
    yield from by_use(_ELB, "capacity units", stack.price(_ELB, "application_lcu_hour"))


@prices("AWS::EC2::FlowLog")
def flow_log(resource: Resource, stack: PlannedStack) -> Iterator[Charge]:
    """Yield what the delivery of flow logs costs: they are vended logs."""
    target = resource.written.get("LogDestinationType", "cloud-watch-logs")
    price = {"cloud-watch-logs": "vended_log_gb", "s3": "vended_log_to_s3_gb"}.get(str(target))
    yield from by_use("CloudWatch", "flow logs", stack.price("CloudWatch", price) if price else None)


def _zones(resource: Resource, stack: PlannedStack) -> int | None:
    """An endpoint has at most one subnet in each zone."""
    subnets = resource.properties.get("SubnetIds")
    if isinstance(subnets, list) and all(isinstance(subnet, str) for subnet in subnets):
        return len(subnets) or None
    return stack.availability_zones if is_given(resource.written, "SubnetIds") else None

"""Which function prices which resource type, and which types cost nothing."""

import csv
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sizewell.review.cost import compute, network, observability, storage_and_keys
from sizewell.review.cost.charges import Charge
from sizewell.review.cost.endpoints import endpoint_charges
from sizewell.review.cost.stack_view import RawResource, StackView

Pricer = Callable[[RawResource, StackView], Iterable[Charge]]

_FREE_TYPES = Path(__file__).with_name("free_types.csv")

PRICERS: Mapping[str, Pricer] = {
    "AWS::ApplicationAutoScaling::ScalingPolicy": observability.scaling_policy,
    "AWS::CloudWatch::Alarm": observability.alarm,
    "AWS::CloudWatch::CompositeAlarm": observability.composite_alarm,
    "AWS::CloudWatch::Dashboard": observability.dashboard,
    "AWS::EC2::EIP": network.elastic_ip,
    "AWS::EC2::FlowLog": network.flow_log,
    "AWS::EC2::NatGateway": network.nat_gateway,
    "AWS::EC2::VPCEndpoint": network.vpc_endpoint,
    "AWS::Events::Rule": compute.rule,
    "AWS::KMS::Key": storage_and_keys.key,
    "AWS::KMS::ReplicaKey": storage_and_keys.key,
    "AWS::Lambda::Alias": compute.function_version,
    "AWS::Lambda::Function": compute.function,
    "AWS::Lambda::Version": compute.function_version,
    "AWS::Logs::LogGroup": observability.log_group,
    "AWS::Logs::MetricFilter": observability.metric_filter,
    "AWS::S3::Bucket": storage_and_keys.bucket,
    "AWS::SNS::Topic": storage_and_keys.topic,
    "AWS::SQS::Queue": storage_and_keys.queue,
    "AWS::SSM::Parameter": storage_and_keys.parameter,
    "AWS::SageMaker::Endpoint": endpoint_charges,
    "AWS::Scheduler::Schedule": compute.schedule,
    "AWS::StepFunctions::StateMachine": compute.state_machine,
    "Custom::EndpointScaling": observability.endpoint_scaling,
}


@dataclass(frozen=True, slots=True)
class StackBill:
    """What the resources of one template cost."""

    charges: tuple[Charge, ...]
    not_priced: frozenset[str]
    """Resource types that cost money or may."""


@cache
def free_types() -> Mapping[str, str]:
    """Return the types that cost nothing, with the reason."""
    with _FREE_TYPES.open(encoding="utf-8", newline="") as file:
        return {row["resource_type"]: row["reason"] for row in csv.DictReader(file)}


def price_stack(stack: StackView) -> StackBill:
    """Price every resource of a template; one with a condition counts, as it may be made."""
    free = free_types()
    charges: list[Charge] = []
    not_priced: set[str] = set()
    for resource in stack.resources.values():
        if pricer := PRICERS.get(resource.resource_type):
            charges.extend(pricer(resource, stack))
        elif resource.resource_type not in free:
            not_priced.add(resource.resource_type)
    return StackBill(tuple(charges), frozenset(not_priced))

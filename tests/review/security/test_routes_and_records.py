from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.review.security import compare_security
from tests.review.builders import pair, resource, template

Json = Mapping[str, Any]
VPC = resource("AWS::EC2::VPC")


def rules(base: Json, head: Json) -> list[tuple[str, str, str]]:
    return [(c.rule, c.direction, c.subject) for c in compare_security(pair(base, head)).others]


def route(destination: str, **target: Any) -> dict[str, Any]:
    return template(R=resource("AWS::EC2::Route", {"DestinationCidrBlock": destination, **target}))


def test_a_new_gateway_is_weaker_and_a_removed_one_silent() -> None:
    gateway = template(G=resource("AWS::EC2::InternetGateway"))
    assert rules(template(), gateway) == [("internet-gateway-added", "weaker", "G")]
    assert rules(gateway, template()) == []


def test_a_route_to_everywhere_is_weaker() -> None:
    everywhere = route("0.0.0.0/0", GatewayId={"Ref": "G"})
    assert rules(template(), everywhere) == [("internet-route-added", "weaker", "R")]
    assert rules(route("10.0.0.0/8", GatewayId={"Ref": "G"}), everywhere) == [
        ("internet-route-added", "weaker", "R")
    ]
    assert rules(template(), route("10.0.0.0/8", GatewayId={"Ref": "G"})) == []
    assert rules(everywhere, template()) == []


def flow_log(vpc: str = "Vpc", name: str = "Log") -> dict[str, Any]:
    log = resource("AWS::EC2::FlowLog", {"ResourceId": {"Ref": vpc}, "TrafficType": "ALL"})
    return template(**{"Vpc": VPC, name: log})


def test_a_flow_log_that_is_gone_is_missed_as_long_as_its_network_is_there() -> None:
    without = template(Vpc=VPC)
    assert rules(flow_log(), without) == [("flow-log-removed", "weaker", "Vpc")]
    assert rules(without, flow_log()) == [("flow-log-added", "stronger", "Vpc")]
    assert rules(flow_log(), template()) == []
    assert rules(template(), flow_log()) == []


def test_another_flow_log_of_the_same_network_is_as_good() -> None:
    assert rules(flow_log(name="One"), flow_log(name="Two")) == []


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("AWS::CloudTrail::Trail", "trail-removed"),
        ("AWS::GuardDuty::Detector", "threat-detector-removed"),
        ("AWS::Config::ConfigurationRecorder", "configuration-recorder-removed"),
    ],
)
def test_what_watches_the_account_is_missed(kind: str, rule: str) -> None:
    assert rules(template(T=resource(kind)), template()) == [(rule, "weaker", "T")]

from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.review.security import compare_security
from tests.review.builders import pair, resource, template

Json = Mapping[str, Any]


def entry(**given: Any) -> dict[str, Any]:
    properties = {"NetworkAclId": "acl-1", "RuleNumber": 100, "Protocol": 6, "RuleAction": "allow", **given}
    return template(Entry=resource("AWS::EC2::NetworkAclEntry", properties))


def rules(base: Json, head: Json) -> list[tuple[str, str]]:
    return [(c.rule, c.direction) for c in compare_security(pair(base, head)).others]


@pytest.mark.parametrize("everybody", [{"CidrBlock": "0.0.0.0/0"}, {"Ipv6CidrBlock": "::/0"}])
@pytest.mark.parametrize("base", [template(), entry(CidrBlock="10.0.0.0/8")])
def test_an_entry_that_admits_everybody_opens_the_subnets(base: Json, everybody: Json) -> None:
    head = entry(**everybody)
    assert rules(base, head) == [("network-acl-opened", "weaker")]
    assert rules(head, base) == [("network-acl-closed", "stronger")]
    assert rules(head, {**head, "Description": "new"}) == []


@pytest.mark.parametrize("other", [{"Egress": True}, {"RuleAction": "deny"}])
def test_what_goes_out_or_is_refused_opens_nothing(other: Json) -> None:
    assert rules(template(), entry(CidrBlock="0.0.0.0/0", **other)) == []


def test_a_refusal_that_becomes_a_permission_opens_the_subnets() -> None:
    base, head = entry(CidrBlock="0.0.0.0/0", RuleAction="deny"), entry(CidrBlock="0.0.0.0/0")
    assert rules(base, head) == [("network-acl-opened", "weaker")]

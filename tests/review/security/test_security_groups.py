from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.review.model import SecurityChange
from sizewell.review.security import compare_security
from tests.review.builders import pair, resource, template

Json = Mapping[str, Any]
OTHER = resource("AWS::SNS::Topic")
NOTHING = {"CidrIp": "255.255.255.255/32", "IpProtocol": "icmp", "FromPort": 252, "ToPort": 86}


def rule(peer: str = "10.0.0.0/16", port: Any = 443, **rest: Any) -> dict[str, Any]:
    return {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, "CidrIp": peer, **rest}


def group(*ingress: Json, egress: list[Json] | None = None, **standalone: Json) -> dict[str, Any]:
    properties = {
        "SecurityGroupIngress": list(ingress),
        "SecurityGroupEgress": [NOTHING] if egress is None else egress,
    }
    return template(Group=resource("AWS::EC2::SecurityGroup", properties), **standalone)


def standalone(kind: str = "Ingress", **given: Any) -> dict[str, Any]:
    return resource(
        f"AWS::EC2::SecurityGroup{kind}", {"GroupId": {"Fn::GetAtt": ["Group", "GroupId"]}, **given}
    )


def changes(base: Json, head: Json) -> tuple[SecurityChange, ...]:
    return compare_security(pair(base, head)).others


def test_a_new_rule_opens_a_group() -> None:
    (change,) = changes(group(), group(rule()))
    assert (change.rule, change.direction, change.logical_id) == ("security-group-opened", "weaker", "Group")
    assert (change.base, change.head) == ("no such rule", "tcp 443 from 10.0.0.0/16")


@pytest.mark.parametrize("everybody", [{"CidrIp": "0.0.0.0/0"}, {"CidrIpv6": "::/0"}])
def test_everybody_is_called_out(everybody: Json) -> None:
    opened = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, **everybody}
    (change,) = changes(group(rule()), group(rule(), opened))
    assert change.head == f"tcp 22 from {next(iter(everybody.values()))} (everybody)"
    assert change.why == "Everybody on the internet is allowed in."


def test_a_removed_rule_closes_a_group() -> None:
    (change,) = changes(group(rule()), group())
    assert (change.rule, change.direction) == ("security-group-closed", "stronger")
    assert (change.base, change.head) == ("tcp 443 from 10.0.0.0/16", "no such rule")


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (group(rule("10.0.0.0/16"), rule("10.1.0.0/16")), group(rule("10.1.0.0/16"), rule("10.0.0.0/16"))),
        (group(rule("10.0.0.0/16")), group(rule("10.0.0.0/17"), rule("10.0.128.0/17"))),
        (group(rule("10.0.0.0/17"), rule("10.0.128.0/17")), group(rule("10.0.0.0/16"))),
        (group(rule(port=443)), group(rule(port="443"))),
        (group(rule(Description="one")), group(rule(Description="two"))),
        (group(rule(IpProtocol="6")), group(rule(IpProtocol="tcp"))),
        (group(rule()), group(Rule=standalone(**rule()))),
        (group(), group(egress=[{"CidrIp": "127.0.0.1/32", "IpProtocol": "-1"}])),
        (group(egress=[], Other=OTHER), group(egress=[])),
        (group(rule(port=443), rule(port=444)), group(rule(FromPort=443, ToPort=444))),
        (
            group(rule(FromPort=0, ToPort=1023), rule(FromPort=1024, ToPort=65535)),
            group(rule(FromPort=0, ToPort=65535)),
        ),
        (
            group(rule("10.0.0.0/8", FromPort=0, ToPort=99), rule(FromPort=100, ToPort=200)),
            group(rule("10.0.0.0/8", FromPort=0, ToPort=99), rule(FromPort=50, ToPort=200)),
        ),
    ],
)
def test_another_spelling_is_no_change(base: Json, head: Json) -> None:
    assert changes(base, head) == ()
    assert changes(head, base) == ()


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        (rule("10.0.0.0/16"), rule("10.0.0.0/8")),
        (rule(), {"IpProtocol": "-1", "CidrIp": "10.0.0.0/16"}),
        (rule(), rule(FromPort=400, ToPort=500)),
    ],
)
def test_a_wider_rule_only_opens_and_a_narrower_one_only_closes(narrow: Json, wide: Json) -> None:
    assert [c.rule for c in changes(group(narrow), group(wide))] == ["security-group-opened"]
    assert [c.rule for c in changes(group(wide), group(narrow))] == ["security-group-closed"]


def test_ports_that_are_missing_in_between_are_opened() -> None:
    base = group(rule(FromPort=0, ToPort=99), rule(FromPort=101, ToPort=200))
    (change,) = changes(base, group(rule(FromPort=0, ToPort=200)))
    assert (change.rule, change.head) == ("security-group-opened", "tcp 0-200 from 10.0.0.0/16")


EVERYWHERE = {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}


def rule_names(base: Json, head: Json) -> list[str]:
    return [change.rule for change in changes(base, head)]


def test_egress_rules_that_are_removed_leave_nothing_open() -> None:
    (change,) = changes(group(egress=[rule("0.0.0.0/0")]), group(egress=[]))
    assert (change.rule, change.base) == ("security-group-closed", "tcp 443 to 0.0.0.0/0 (everybody)")
    assert rule_names(group(egress=[EVERYWHERE]), group(egress=[])) == ["security-group-closed"]
    out = standalone("Egress", **rule("0.0.0.0/0"))
    assert rule_names(group(egress=[], Out=out), group(egress=[])) == ["security-group-closed"]


def test_the_rule_that_lets_everything_out_is_gone_with_the_first_of_its_own() -> None:
    out = standalone("Egress", **rule())
    for head in (group(egress=[], Out=out), group(egress=[rule()])):
        (change,) = changes(group(egress=[]), head)
        assert (change.rule, change.base) == ("security-group-closed", "all to 0.0.0.0/0 (everybody)")
    assert changes(group(egress=[]), group(egress=[EVERYWHERE])) == ()


def test_a_group_that_is_made_anew_lets_everything_out() -> None:
    def described(text: str, *egress: Json) -> dict[str, Any]:
        return template(
            Group=resource(
                "AWS::EC2::SecurityGroup", {"GroupDescription": text, "SecurityGroupEgress": list(egress)}
            )
        )

    (change,) = changes(described("one", rule()), described("two"))
    assert (change.rule, change.head) == ("security-group-opened", "all to 0.0.0.0/0 (everybody)")
    assert rule_names(described("one", rule()), described("one")) == ["security-group-closed"]


@pytest.mark.parametrize("most", [{"CidrIp": "0.0.0.0/1"}, {"CidrIpv6": "2000::/3"}])
def test_a_range_of_most_addresses_is_everybody(most: Json) -> None:
    opened = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, **most}
    assert rule_names(template(), group(opened)) == ["security-group-opened"]
    (change,) = changes(group(), group(opened))
    assert change.why == "Everybody on the internet is allowed in."


@pytest.mark.parametrize("few", [{"CidrIp": "10.0.0.0/8"}, {"CidrIpv6": "fc00::/7"}])
def test_private_addresses_are_not_everybody(few: Json) -> None:
    assert rule_names(template(), group({"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, **few})) == []


def test_a_rule_of_its_own_opens_a_group() -> None:
    itself: dict[str, Any] = {
        "IpProtocol": "-1",
        "SourceSecurityGroupId": {"Fn::GetAtt": ["Group", "GroupId"]},
    }
    (change,) = changes(group(), group(Rule=standalone(**itself)))
    assert (change.subject, change.head) == ("Group", "all from Group")


def test_a_rule_on_a_group_of_another_stack() -> None:
    head = template(R=resource("AWS::EC2::SecurityGroupIngress", {**rule(), "GroupId": "sg-1"}))
    (change,) = changes(template(), head)
    assert (change.subject, change.logical_id) == ("sg-1", None)


def test_of_a_new_group_only_what_everybody_reaches_is_reported() -> None:
    assert changes(template(), group(rule(), egress=[])) == ()
    assert [c.rule for c in changes(template(), group(rule("0.0.0.0/0")))] == ["security-group-opened"]


def test_a_removed_group_is_silent() -> None:
    assert changes(group(rule("0.0.0.0/0")), template()) == ()


def test_unknown_values_are_rules_of_their_own() -> None:
    unknown = rule({"Fn::ImportValue": "cidr"}, port={"Ref": "Port"})  # type: ignore[arg-type]
    assert [c.rule for c in changes(group(), group(unknown))] == ["security-group-opened"]
    assert changes(group(unknown), group(dict(reversed(unknown.items())))) == ()

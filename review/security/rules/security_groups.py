"""Rules of security groups as sets, wherever they are written.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-securitygroup.html
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from review.model import SecurityChange
from review.saved.stack import Resource
from review.security.alternatives import items, texts
from review.security.conditions import network_covers
from review.security.sources import Policies
from review.security.view import StackChange
from template_checks.literals import number

_GROUP = "AWS::EC2::SecurityGroup"
_STANDALONE = {"AWS::EC2::SecurityGroupIngress": "from", "AWS::EC2::SecurityGroupEgress": "to"}
_INLINE = {"SecurityGroupIngress": "from", "SecurityGroupEgress": "to"}
_PEERS = (
    "CidrIp",
    "CidrIpv6",
    "SourceSecurityGroupId",
    "DestinationSecurityGroupId",
    "SourceSecurityGroupName",
    "SourcePrefixListId",
    "DestinationPrefixListId",
)
_ALL = "all"
#: https://www.iana.org/assignments/protocol-numbers
_PROTOCOLS = {"-1": _ALL, "6": "tcp", "17": "udp", "1": "icmp", "58": "icmpv6"}
_PUBLIC = ("0.0.0.0/0", "::/0")
#: What CDK and people write to say "nothing": no packet goes there.
_NOWHERE = ("255.255.255.255/32", "127.0.0.1/32", "::1/128")
_NO_RULE = "no such rule"


class Rule(NamedTuple):
    """One rule; ``direction`` is ``from`` for ingress and ``to`` for egress."""

    direction: str
    protocol: str
    first_port: str
    last_port: str
    peer: str

    @property
    def is_public(self) -> bool:
        """Whether it is about all addresses there are."""
        return self.peer in _PUBLIC

    def covers(self, other: "Rule") -> bool:
        """Tell whether it admits for certain all that another one does."""
        return (
            self.direction == other.direction
            and self.protocol in (_ALL, other.protocol)
            and (self.protocol == _ALL or self._ports_cover(other))
            and network_covers(self.peer, other.peer)
        )

    def _ports_cover(self, other: "Rule") -> bool:
        if (self.first_port, self.last_port) == (other.first_port, other.last_port):
            return True
        bounds = [number(p) for p in (self.first_port, other.first_port, other.last_port, self.last_port)]
        known = [bound for bound in bounds if bound is not None]
        return len(known) == len(bounds) and self.protocol in ("tcp", "udp") and known == sorted(known)

    def __str__(self) -> str:
        ports = "" if self.protocol == _ALL or not self.first_port else f" {self.first_port}"
        if ports and self.last_port != self.first_port:
            ports += f"-{self.last_port}"
        everybody = " (everybody)" if self.is_public else ""
        return f"{self.protocol}{ports} {self.direction} {self.peer}{everybody}"


#: What a group that names no egress rules lets out.
_DEFAULT_EGRESS = Rule("to", _ALL, "", "", "0.0.0.0/0")


def security_groups(stack: StackChange) -> Iterator[SecurityChange]:
    """Yield what groups admit that they did not, and the other way round; of new groups what they admit from everybody."""
    if not any(stack.changed_of(_GROUP, *_STANDALONE)):
        return
    before, after = _rules(stack.base), _rules(stack.head)
    for group in sorted({*before, *after}):
        if stack.is_gone(group):
            continue
        base, head = before.get(group, set()), after.get(group, set())
        opened = _uncovered(head - base, base)
        closed = _uncovered(base - head, head)
        if stack.is_new(group):
            opened = [rule for rule in opened if rule.is_public and rule.direction == "from"]
        if opened:
            yield stack.change(
                "security-group-opened",
                "weaker",
                group,
                base=_NO_RULE,
                head=_shown(opened),
                why="Everybody on the internet is admitted."
                if any(rule.is_public and rule.direction == "from" for rule in opened)
                else "Connections pass that were refused before.",
            )
        if closed:
            yield stack.change(
                "security-group-closed",
                "stronger",
                group,
                base=_shown(closed),
                head=_NO_RULE,
                why="Connections are refused that passed before.",
            )


def _uncovered(rules: set[Rule], by: set[Rule]) -> list[Rule]:
    return sorted(rule for rule in rules if not any(other.covers(rule) for other in by))


def _shown(rules: list[Rule]) -> str:
    return ", ".join(str(rule) for rule in rules)


def _rules(resources: Mapping[str, Resource]) -> Mapping[str, set[Rule]]:
    """Return the rules by group: a logical id, else the name as written."""
    found: dict[str, set[Rule]] = {}
    names = Policies(resources)
    for resource in resources.values():
        if resource.resource_type == _GROUP:
            found.setdefault(resource.logical_id, set()).update(_inline(resource, names))
        elif direction := _STANDALONE.get(resource.resource_type):
            group = resource.properties.get("GroupId", resource.properties.get("GroupName"))
            for name in texts(group):
                found.setdefault(names.owner(name), set()).update(
                    _read(resource.properties, direction, names)
                )
    return found


def _inline(group: Resource, names: Policies) -> Iterator[Rule]:
    if not group.properties.get("SecurityGroupEgress"):
        yield _DEFAULT_EGRESS
    for key, direction in _INLINE.items():
        for rule in items(group.properties.get(key)):
            if isinstance(rule, Mapping):
                yield from _read(rule, direction, names)


def _read(rule: Mapping[str, Any], direction: str, names: Policies) -> Iterator[Rule]:
    protocol = str(rule.get("IpProtocol", "-1")).lower()
    protocol = _PROTOCOLS.get(protocol, protocol)
    ports = ("", "") if protocol == _ALL else (_port(rule.get("FromPort")), _port(rule.get("ToPort")))
    if protocol in ("tcp", "udp") and ports in (("0", "65535"), ("-1", "-1"), ("", "")):
        ports = ("0", "65535")
    for key in _PEERS:
        for peer in texts(rule.get(key)):
            if peer not in _NOWHERE:
                yield Rule(direction, protocol, *ports, names.owner(peer))


def _port(value: Any) -> str:
    return "" if value is None else str(value)

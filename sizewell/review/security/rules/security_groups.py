"""Rules of security groups as sets, wherever they are written.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-securitygroup.html
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sizewell.review.model import SecurityChange
from sizewell.review.security.rule import StackChange, stack_rule
from sizewell.templates.alternatives import items, may_be_missing, texts
from sizewell.templates.iam.conditions import is_everywhere, joined, network_covers
from sizewell.templates.iam.sources import Policies
from sizewell.templates.template import Resource
from sizewell.templates.values import number

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
#: Properties that no update can change.
_REPLACED_WITH = ("GroupDescription", "GroupName", "VpcId")
_ALL = "all"
#: https://www.iana.org/assignments/protocol-numbers
_PROTOCOLS = {"-1": _ALL, "6": "tcp", "17": "udp", "1": "icmp", "58": "icmpv6"}
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
        """Whether it is about all addresses there are, or so many that it makes no difference."""
        return is_everywhere(self.peer)

    @property
    def ports(self) -> tuple[float, float] | None:
        """The numbers of its ports; None where they are unknown, or no ports."""
        first, last = number(self.first_port), number(self.last_port)
        if first is None or last is None or self.protocol not in ("tcp", "udp"):
            return None
        return first, last

    def is_covered(self, by: Iterable["Rule"]) -> bool:
        """Tell whether some other rules together admit for certain all that it does."""
        others = [
            other
            for other in by
            if other.direction == self.direction
            and other.protocol in (_ALL, self.protocol)
            and network_covers(other.peer, self.peer)
        ]
        same = (self.first_port, self.last_port)
        if any(o.protocol == _ALL or (o.first_port, o.last_port) == same for o in others):
            return True
        if self.ports is None:
            return False
        missing, last = self.ports
        for ports in sorted(o.ports for o in others if o.ports):
            if ports[0] <= missing:
                missing = max(missing, ports[1] + 1)
        return missing > last

    def __str__(self) -> str:
        ports = "" if self.protocol == _ALL or not self.first_port else f" {self.first_port}"
        if ports and self.last_port != self.first_port:
            ports += f"-{self.last_port}"
        everybody = " (everybody)" if self.is_public else ""
        return f"{self.protocol}{ports} {self.direction} {self.peer}{everybody}"


#: What a new group lets out for which nobody wrote an egress rule. It is gone with the first one that somebody writes, and
#: does not come back when that one is removed.
_DEFAULT_EGRESS = Rule("to", _ALL, "", "", "0.0.0.0/0")


@stack_rule
def security_groups(stack: StackChange) -> Iterator[SecurityChange]:
    """Yield what groups admit that they did not, and the other way round; of new groups what they admit from everybody."""
    if not any(stack.changed_of(_GROUP, *_STANDALONE)):
        return
    before, after = _rules(stack.base), _rules(stack.head)
    had_default = {*_with_default_egress(stack.base)}
    for group in had_default:
        before[group].add(_DEFAULT_EGRESS)
    for group in _with_default_egress(stack.head):
        if group in had_default or _is_made(stack, group):
            after[group].add(_DEFAULT_EGRESS)
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
                why="Everybody on the internet is allowed in."
                if any(rule.is_public and rule.direction == "from" for rule in opened)
                else "Connections are allowed that were refused before.",
            )
        if closed:
            yield stack.change(
                "security-group-closed",
                "stronger",
                group,
                base=_shown(closed),
                head=_NO_RULE,
                why="Connections are refused that were allowed before.",
            )


def _uncovered(rules: set[Rule], by: set[Rule]) -> list[Rule]:
    peers: dict[Rule, list[str]] = {}
    for rule in by:
        peers.setdefault(rule._replace(peer=""), []).append(rule.peer)
    wide = {rule._replace(peer=peer) for rule, ranges in peers.items() for peer in joined(ranges)}
    return sorted(rule for rule in rules if not rule.is_covered(by | wide))


def _shown(rules: list[Rule]) -> str:
    return ", ".join(str(rule) for rule in rules)


def _rules(resources: Mapping[str, Resource]) -> dict[str, set[Rule]]:
    """Return the rules by group: a logical id, else the name as written."""
    found: dict[str, set[Rule]] = {}
    names = Policies(resources)
    for resource in resources.values():
        if resource.resource_type == _GROUP:
            found.setdefault(resource.logical_id, set()).update(_inline(resource, names))
        elif direction := _STANDALONE.get(resource.resource_type):
            for name in _group_names(resource):
                found.setdefault(names.owner(name), set()).update(
                    _read(resource.properties, direction, names)
                )
    return found


def _with_default_egress(resources: Mapping[str, Resource]) -> Iterator[str]:
    """Yield the groups that have the default rule if they are new."""
    names = Policies(resources)
    written = {
        names.owner(name)
        for resource in resources.values()
        if _STANDALONE.get(resource.resource_type) == "to"
        for name in _group_names(resource)
    }
    for resource in resources.values():
        if resource.resource_type == _GROUP and resource.logical_id not in written:
            egress = resource.properties.get("SecurityGroupEgress")
            if may_be_missing(egress) or not any(items(egress)):
                yield resource.logical_id


def _is_made(stack: StackChange, group: str) -> bool:
    """Tell whether a group will be created, if only in the place of another one."""
    base, head = stack.base.get(group), stack.head.get(group)
    if base is None or head is None or base.resource_type != head.resource_type:
        return True
    return any(base.properties.get(key) != head.properties.get(key) for key in _REPLACED_WITH)


def _group_names(rule: Resource) -> Sequence[str]:
    return texts(rule.properties.get("GroupId", rule.properties.get("GroupName")))


def _inline(group: Resource, names: Policies) -> Iterator[Rule]:
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

"""Entries of network ACLs that admit everybody.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-networkaclentry.html
"""

from collections.abc import Iterator

from sizewell.review.model import SecurityChange
from sizewell.review.security.rule import StackChange, stack_rule
from sizewell.templates.alternatives import texts
from sizewell.templates.iam.conditions import is_everywhere
from sizewell.templates.template import Resource
from sizewell.templates.values import flag

_ENTRY = "AWS::EC2::NetworkAclEntry"
_NOBODY = "not everybody"


@stack_rule
def network_acls(stack: StackChange) -> Iterator[SecurityChange]:
    """Yield entries that admit everybody and did not, or no longer do."""
    for pair in stack.changed_of(_ENTRY):
        before, after = _admitted(pair.base), _admitted(pair.head)
        if bool(before) != bool(after):
            yield stack.change(
                "network-acl-opened" if after else "network-acl-closed",
                "weaker" if after else "stronger",
                pair.either.logical_id,
                base=before or _NOBODY,
                head=after or _NOBODY,
                why="Packets from everywhere reach the subnets. Only security groups can refuse them there."
                if after
                else "Packets from everywhere no longer reach the subnets.",
            )


def _admitted(entry: Resource | None) -> str:
    if entry is None or flag(entry.properties.get("Egress")) or entry.properties.get("RuleAction") == "deny":
        return ""
    return ", ".join(
        addresses
        for key in ("CidrBlock", "Ipv6CidrBlock")
        for addresses in texts(entry.properties.get(key))
        if is_everywhere(addresses)
    )

"""Texts without what two environments always differ in: their names, accounts, regions and addresses."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sizewell.review.saved.output import Assembly
from sizewell.templates.template import Stack
from sizewell.templates.values import SUB_VARIABLE

_VPC = "AWS::EC2::VPC"
#: ``https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html``: a prefix, and 8 or 17 digits.
_RESOURCE_ID = re.compile(r"\b(subnet|vpc|sg|rtb|vpce|eni|igw|nat|acl|pl)-(?:[0-9a-f]{17}|[0-9a-f]{8})\b")
#: The registry of an image: the same image has another one in each account and region.
_REGISTRY = re.compile(r"\b\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?/")
_INSTANCE_TYPE = re.compile(r"\bml\.[a-z0-9-]+\.[0-9a-z-]+\b")
#: Types of which there is one for each availability zone, numbered.
_ZONED = frozenset(
    {
        "AWS::EC2::EIP",
        "AWS::EC2::NatGateway",
        "AWS::EC2::Route",
        "AWS::EC2::RouteTable",
        "AWS::EC2::Subnet",
        "AWS::EC2::SubnetNetworkAclAssociation",
        "AWS::EC2::SubnetRouteTableAssociation",
        "AWS::EFS::MountTarget",
    }
)
_NUMBER = re.compile(r"\d+")
_ANY_NUMBER = "#"
#: What CDK ends logical ids with: eight digits of the hash of the path.
_LOGICAL_ID_HASH = re.compile(r"(?<=.)[0-9A-F]{8}$")


@dataclass(frozen=True)
class EnvironmentNormaliser:
    """What belongs to one environment."""

    assembly: Assembly

    @cached_property
    def _replacements(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        stacks = self.assembly.stacks.values()
        accounts = sorted({stack.account for stack in stacks if stack.account})
        regions = sorted({stack.region for stack in stacks if stack.region})
        name = re.escape(self.assembly.environment)
        return (
            *((re.compile(rf"\b{account}\b"), "<account>") for account in accounts),
            *((re.compile(rf"\b{re.escape(region)}(?:[a-z]\b|\b)"), "<region>") for region in regions),
            (re.compile(rf"(?<![A-Za-z0-9]){name}(?![A-Za-z0-9])", re.IGNORECASE), "<environment>"),
        )

    @cached_property
    def _networks(self) -> frozenset[str]:
        return frozenset(
            str(resource.properties["CidrBlock"])
            for stack in self.assembly.stacks.values()
            for resource in stack.resources.values()
            if resource.resource_type == _VPC and "CidrBlock" in resource.properties
        )

    def normalise(self, text: str) -> str:
        """Return a text without names of this environment."""
        if text in self._networks:
            return "<network>"
        for pattern, token in self._replacements:
            text = pattern.sub(token, text)
        return text


@dataclass(frozen=True)
class StackNormaliser:
    """What belongs to one stack of it."""

    environment: EnvironmentNormaliser
    stack: Stack

    @cached_property
    def paths(self) -> Mapping[str, str]:
        """The construct path within the stack of each resource, by logical id.

        Where the template does not say it, the logical id without its hash.
        """
        hashless = {logical_id: _LOGICAL_ID_HASH.sub("", logical_id) for logical_id in self.stack.resources}
        count = Counter(hashless.values())
        return {
            logical_id: self.environment.normalise(
                resource.path.partition("/")[2]
                or (hashless[logical_id] if count[hashless[logical_id]] == 1 else logical_id)
            )
            for logical_id, resource in self.stack.resources.items()
        }

    @cached_property
    def _families(self) -> Mapping[str, str]:
        return {
            logical_id: zone_family(self.stack.resources[logical_id].resource_type, path)
            for logical_id, path in self.paths.items()
        }

    def _reference(self, found: re.Match[str]) -> str:
        logical_id, dot, attribute = found[1].partition(".")
        return "${" + self._families.get(logical_id, logical_id) + dot + attribute + "}"

    def normalise(self, text: str) -> str:
        """Return a text in which only what is a difference of shape can differ."""
        if "${" in text:
            text = SUB_VARIABLE.sub(self._reference, text)
            if _ANY_NUMBER in text and "," in text:
                text = ",".join(dict.fromkeys(text.split(",")))
        text = _REGISTRY.sub("<registry>/", _RESOURCE_ID.sub(r"<\1>", text))
        if " " in text:
            text = _INSTANCE_TYPE.sub("<instance type>", text)
        return self.environment.normalise(text)


def zone_family(resource_type: str, path: str) -> str:
    """Return a path that is the same for the resources of all availability zones."""
    return _NUMBER.sub(_ANY_NUMBER, path) if resource_type in _ZONED else path

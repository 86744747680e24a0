"""The network of an environment: a new one, or one that exists and is named by its ids or found by its tags."""

from ipaddress import IPv4Network
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import CHOICES, ConfigModel, fault
from sizewell.config.effects import Below, Computed, OnChange, OnItems
from sizewell.config.interface_endpoints import endpoint_fault
from sizewell.config.proxy import ON_PROXY, Proxy
from sizewell.config.tags import TagKey, TagValue
from sizewell.facts.interface_endpoints import MAX_INTERFACE_ENDPOINTS
from sizewell.facts.regions import MAX_AVAILABILITY_ZONES
from sizewell.facts.tags import MAX_TAGS
from sizewell.facts.vpc import RESERVED_ADDRESSES, SUBNET_PREFIX_BITS

SubnetId = Annotated[str, Field(pattern=r"^subnet-[0-9a-f]{8,17}$", examples=["subnet-0123456789abcdef0"])]

#: Not the letters of zones, which AWS maps to other places in other accounts of its oldest regions
#: (https://docs.aws.amazon.com/global-infrastructure/latest/regions/az-ids.html).
ZoneId = Annotated[str, Field(pattern=r"^[a-z]{3,6}[0-9]-az[1-8]$", examples=["use1-az1"])]

#: Address ranges that EC2 refuses for a VPC, and the one that SageMaker's own containers use
#: (https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html).
_UNUSABLE_RANGES = {
    IPv4Network("0.0.0.0/8"): "this network",
    IPv4Network("127.0.0.0/8"): "loopback",
    IPv4Network("169.254.0.0/16"): "link-local addresses",
    IPv4Network("172.17.0.0/16"): "the containers of SageMaker",
    IPv4Network("224.0.0.0/3"): "multicast and reserved addresses",
}


_ON_VPC = OnChange("another VPC: everything moves")
_ANOTHER_VPC = "another VPC may be found: everything would move"
_ON_VPC_TAGS = OnChange(changed=_ANOTHER_VPC, added=_ANOTHER_VPC, removed=_ANOTHER_VPC)
_OTHER_SUBNETS = "other subnets: instances move"
_ON_SUBNET_TAG = OnChange(changed=_OTHER_SUBNETS, added=_OTHER_SUBNETS, removed=_OTHER_SUBNETS)


class NewNetwork(ConfigModel):
    """A VPC of our own: private subnets without a route to the internet, and VPC endpoints instead."""

    mode: Annotated[Literal["new"], _ON_VPC]
    """Make a VPC with private subnets."""
    cidr: Annotated[
        str,
        Field(pattern=r"^[0-9]{1,3}(\.[0-9]{1,3}){3}/(1[6-9]|2[0-4])$", examples=["10.0.0.0/16"]),
        OnChange("the VPC is replaced: everything moves"),
    ] = "10.0.0.0/16"
    """The address range of the VPC, /16 to /24; each availability zone gets an eighth of it."""
    availability_zones: Annotated[int, Field(ge=1, le=MAX_AVAILABILITY_ZONES), Computed.ZONES] = 2
    """The number of availability zones that get a subnet; an endpoint needs two, even with one instance."""
    availability_zone_ids: Annotated[
        tuple[ZoneId, ...] | None, Field(min_length=1, max_length=MAX_AVAILABILITY_ZONES), Computed.ZONE_IDS
    ] = None
    """The ids of these zones, for example [use1-az1, use1-az4], as many as availability_zones. By
    default the first zones of the account."""
    interface_endpoints: Annotated[
        tuple[
            Annotated[
                str,
                Field(
                    max_length=60,
                    examples=["sagemaker.runtime"],
                    json_schema_extra={CHOICES: "InterfaceEndpointService"},
                ),
            ],
            ...,
        ]
        | None,
        Field(max_length=MAX_INTERFACE_ENDPOINTS),
        OnItems(
            lost="{items} can no longer be reached",
            gained="{items} can be reached",
            removed="what the workloads need can be reached",
            added="{items} can be reached, and no other service",
        ),
    ] = None
    """AWS services that the VPC reaches through interface endpoints; each costs by the hour in each availability zone. By
    default those that the workloads need."""
    proxy: Annotated[Proxy | None, ON_PROXY] = None
    """The HTTP proxy of containers without network isolation; the VPC needs a way to it."""
    s3_prefix_list_id: Annotated[
        str | None,
        Field(pattern=r"^pl-([0-9a-f]{8}|[0-9a-f]{17})$", examples=["pl-0123abcd"]),
        OnChange(
            changed="containers reach the addresses of another prefix list",
            added="containers reach S3 and the interface endpoints over HTTPS, and no other address",
            removed="containers reach any address over HTTPS that the VPC has a way to",
        ),
    ] = None
    """The id of AWS's prefix list of S3 in the region. Security groups then let HTTPS out to S3 and the interface endpoints
    alone; by default to any address, in a VPC that has no way to others."""

    @model_validator(mode="after")
    def _range_is_usable(self) -> Self:
        try:
            network = IPv4Network(self.cidr)
        except ValueError:
            try:
                whole = IPv4Network(self.cidr, strict=False)
            except ValueError:
                raise fault("cidr", "each of the four numbers is at most 255") from None
            raise fault("cidr", f"has host bits set: write {whole}") from None
        for unusable, use in _UNUSABLE_RANGES.items():
            if network.overlaps(unusable):
                raise fault("cidr", f"{unusable} is for {use}: take a private range such as 10.0.0.0/16")
        addresses = network.num_addresses // 2**SUBNET_PREFIX_BITS - RESERVED_ADDRESSES
        endpoints = len(self.interface_endpoints or ())
        if endpoints >= addresses:
            raise fault(
                "cidr",
                f"leaves {addresses} addresses to each zone, and {endpoints} interface endpoints take them all: take a "
                "wider range",
            )
        return self

    @model_validator(mode="after")
    def _zone_ids_fit(self) -> Self:
        if (zone_ids := self.availability_zone_ids) is None:
            return self
        for index, zone_id in enumerate(zone_ids):
            if zone_id in zone_ids[:index]:
                raise fault(f"availability_zone_ids.{index}", f"{zone_id} stands twice")
        if len(zone_ids) != self.availability_zones:
            raise fault(
                "availability_zone_ids",
                f"names {len(zone_ids)} zones, but availability_zones is {self.availability_zones}: make them agree",
            )
        return self

    @model_validator(mode="after")
    def _endpoints_exist(self) -> Self:
        if (found := endpoint_fault(self.interface_endpoints or ())) is not None:
            raise fault(f"interface_endpoints.{found[0]}", found[1])
        return self


class ExistingNetwork(ConfigModel):
    """A VPC that exists, named by its ids: nothing is looked up, so synth works offline."""

    mode: Annotated[Literal["existing"], _ON_VPC]
    """Use a VPC by its ids; nothing is looked up, so that synth works offline."""
    vpc_id: Annotated[
        str, Field(pattern=r"^vpc-[0-9a-f]{8,17}$", examples=["vpc-0123456789abcdef0"]), _ON_VPC
    ]
    """The id of the VPC."""
    subnet_ids: Annotated[tuple[SubnetId, ...], Field(min_length=1, max_length=16), Computed.SUBNETS]
    """The ids of private subnets, one for each availability zone; an endpoint needs two, even with one instance."""
    proxy: Annotated[Proxy | None, ON_PROXY] = None
    """The HTTP proxy of containers without network isolation."""

    @property
    def availability_zones(self) -> int:
        """How many availability zones the subnets stand for: one each."""
        return len(self.subnet_ids)

    @model_validator(mode="after")
    def _subnets_differ(self) -> Self:
        for index, subnet_id in enumerate(self.subnet_ids):
            if subnet_id in self.subnet_ids[:index]:
                raise fault(
                    f"subnet_ids.{index}",
                    f"{subnet_id} stands twice; each subnet stands for an availability zone of its own",
                )
        return self


class LookupNetwork(ConfigModel):
    """A VPC that exists, found by its tags once; cdk.context.json, which is committed, keeps what was found."""

    mode: Annotated[Literal["lookup"], _ON_VPC]
    """Find a VPC by its tags: the CDK CLI asks AWS once, and writes the answer to cdk.context.json, to be committed."""
    vpc_tags: Annotated[
        # Each is a filter of DescribeVpcs, and AWS takes no more tags of a resource.
        dict[TagKey, TagValue],
        Field(min_length=1, max_length=MAX_TAGS),
        Below(_ON_VPC_TAGS),
    ]
    """Tags that one VPC of the account and region carries, all of them, for example {Name: ml}."""
    subnet_tag: Annotated[
        dict[TagKey, TagValue],
        Field(min_length=1, max_length=1),
        Below(_ON_SUBNET_TAG),
    ]
    """The tag of its private subnets to take, for example {tier: ml}, one for each availability zone. Every subnet of the
    VPC must carry the key, with any value; public subnets are never taken."""
    proxy: Annotated[Proxy | None, ON_PROXY] = None
    """The HTTP proxy of containers without network isolation."""


Network = Annotated[NewNetwork | ExistingNetwork | LookupNetwork, Field(discriminator="mode")]

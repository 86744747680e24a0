"""The network of an environment: a new one, or one that exists."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from config.base import ConfigModel, fault

SubnetId = Annotated[str, Field(pattern=r"^subnet-[0-9a-f]{8,17}$", examples=["subnet-0123456789abcdef0"])]

#: Interface endpoints that containers and jobs in private subnets need. S3 has a gateway endpoint, always.
DEFAULT_INTERFACE_ENDPOINTS = (
    "ecr.api",
    "ecr.dkr",
    "kms",
    "logs",
    "monitoring",
    "sagemaker.api",
    "sagemaker.runtime",
    "sts",
)


class NewNetwork(ConfigModel):
    """A VPC of our own: private subnets without a route to the internet, and VPC endpoints instead."""

    mode: Literal["new"]
    cidr: Annotated[
        str, Field(pattern=r"^\d{1,3}(\.\d{1,3}){3}/(1[6-9]|2[0-4])$", examples=["10.0.0.0/16"])
    ] = "10.0.0.0/16"
    """The address range, /16 to /24."""
    availability_zones: Annotated[int, Field(ge=1, le=6)] = 2
    """How many availability zones have a subnet."""
    interface_endpoints: tuple[str, ...] = DEFAULT_INTERFACE_ENDPOINTS
    """AWS services reached through interface endpoints; each costs by the hour in each zone."""


class ExistingNetwork(ConfigModel):
    """A VPC that exists, named by its ids: nothing is looked up, so synth works offline."""

    mode: Literal["existing"]
    vpc_id: Annotated[str, Field(pattern=r"^vpc-[0-9a-f]{8,17}$", examples=["vpc-0123456789abcdef0"])]
    subnet_ids: Annotated[tuple[SubnetId, ...], Field(min_length=1, max_length=16)]
    """Private subnets, one for each availability zone."""

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


Network = Annotated[NewNetwork | ExistingNetwork, Field(discriminator="mode")]

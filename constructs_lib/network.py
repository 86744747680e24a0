"""Where containers run: a new VPC without a way to the internet, or one that exists; with the security groups of both."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from aws_cdk import CustomResource, Duration, Fn, RemovalPolicy
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from constructs_lib.acknowledge import acknowledge_all

#: AWS services that containers and jobs reach through interface endpoints; S3 has a gateway endpoint, always.
DEFAULT_INTERFACE_ENDPOINT_SERVICES = (
    "ecr.api",
    "ecr.dkr",
    "kms",
    "logs",
    "monitoring",
    "sagemaker.api",
    "sagemaker.runtime",
    "sts",
)
MAX_AVAILABILITY_ZONES = 6
SUBNET_PREFIX_BITS = 3  # eight equal blocks, however many are used: a zone that is added moves no other subnet
MAX_SUBNET_PREFIX_LENGTH = 28
HTTPS_PORT = 443

_Statement = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class NetworkProps:
    """A new VPC.

    Each of the ``availability_zone_count`` zones gets one eighth of ``cidr`` as its subnet. ``interface_endpoint_services``
    are service names without the region, such as ``sagemaker.runtime``; each endpoint costs by the hour in each zone.
    Raises ValueError for what EC2 would refuse (https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html).
    """

    cidr: str
    availability_zone_count: int
    operations_key_arn: str
    log_retention_days: int
    removal_policy: RemovalPolicy
    interface_endpoint_services: tuple[str, ...] = DEFAULT_INTERFACE_ENDPOINT_SERVICES

    def __post_init__(self) -> None:
        """Check the address range, the number of zones and the names of services."""
        prefix_length = IPv4Network(self.cidr).prefixlen
        longest = MAX_SUBNET_PREFIX_LENGTH - SUBNET_PREFIX_BITS
        if not 16 <= prefix_length <= longest:
            raise ValueError(f"cidr must be a /16 to /{longest}, got {self.cidr}")
        if not 1 <= self.availability_zone_count <= MAX_AVAILABILITY_ZONES:
            raise ValueError(
                f"availability_zone_count must be 1 to {MAX_AVAILABILITY_ZONES}, got {self.availability_zone_count}"
            )
        services = self.interface_endpoint_services
        if "s3" in services or len(set(services)) < len(services):
            raise ValueError(f"interface endpoints must differ, and s3 has its gateway endpoint, got {services}")

    @property
    def subnet_cidrs(self) -> tuple[str, ...]:
        """One block for each availability zone."""
        blocks = list(IPv4Network(self.cidr).subnets(SUBNET_PREFIX_BITS))
        return tuple(str(block) for block in blocks[: self.availability_zone_count])


@dataclass(frozen=True, kw_only=True)
class ExistingNetworkProps:
    """A VPC that somebody else looks after, named by its ids, so that nothing has to be looked up.

    Its subnets must reach S3, ECR, SageMaker, CloudWatch, KMS and STS, by endpoints or otherwise.
    """

    vpc_id: str
    subnet_ids: tuple[str, ...]


class WorkloadSecurityGroups(Construct):
    """What endpoints and training jobs may talk to.

    HTTPS goes to any address, because the gateway endpoint of S3 answers on public ones; where that leads is up to
    the route table. Nothing comes in to an endpoint: SageMaker hands it requests by another way.
    """

    def __init__(self, scope: Construct, construct_id: str, *, vpc_id: str) -> None:
        super().__init__(scope, construct_id)
        self.endpoint_security_group = self._https_out("Endpoint", "Endpoints: HTTPS out, nothing in", vpc_id)
        self.training_security_group = self._https_out(
            "Training", "Training jobs: HTTPS out, and all traffic among the instances of a job", vpc_id
        )
        # Instances of one job talk to each other on ports of their own choice, and EFA is admitted by no other rule
        # than the group itself on all protocols, both ways:
        # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security
        group_id = self.training_security_group.attr_group_id
        ec2.CfnSecurityGroupIngress(
            self,
            "TrainingFromItself",
            group_id=group_id,
            source_security_group_id=group_id,
            ip_protocol="-1",
            description="Instances of one job",
        )
        ec2.CfnSecurityGroupEgress(
            self,
            "TrainingToItself",
            group_id=group_id,
            destination_security_group_id=group_id,
            ip_protocol="-1",
            description="Instances of one job",
        )

    def _https_out(self, construct_id: str, description: str, vpc_id: str) -> ec2.CfnSecurityGroup:
        return ec2.CfnSecurityGroup(
            self,
            construct_id,
            group_description=description,
            vpc_id=vpc_id,
            security_group_egress=[
                ec2.CfnSecurityGroup.EgressProperty(
                    ip_protocol="tcp",
                    from_port=HTTPS_PORT,
                    to_port=HTTPS_PORT,
                    cidr_ip="0.0.0.0/0",
                    description="AWS services",
                )
            ],
        )

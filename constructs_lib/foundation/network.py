"""Where containers run: a new VPC without a way to the internet, or one that exists; with the security groups of both."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from aws_cdk import Fn, RemovalPolicy
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_logs as logs
from constructs import Construct

from constructs_lib.foundation.default_security_group import close_default_security_group
from constructs_lib.foundation.existing import NOTHING_EXISTS, ExistingResources
from constructs_lib.foundation.security_groups import HTTPS_PORT, MountedGroup, WorkloadSecurityGroups
from constructs_lib.policies.statements import (
    INVOKE,
    INVOKE_ASYNC,
    INVOKE_STREAM,
    WRITE_LOGS,
    Statement,
    allow,
    policy_document,
    service_role,
)
from sizewell.facts.interface_endpoints import (
    EXPERIMENTS,
    EXPERIMENTS_PREFIX,
    PRIVATE_APIS,
    REGISTRY,
    RUNTIME,
)
from sizewell.facts.regions import MAX_AVAILABILITY_ZONES
from sizewell.facts.vpc import MAX_SUBNET_PREFIX_LENGTH, SUBNET_PREFIX_BITS

#: Up to zone 8, because the range of a VPC has eight blocks; AWS has zones 1 to 6.
_ZONE_ID = re.compile(r"[a-z]{3,6}[0-9]-az[1-8]")


@dataclass(frozen=True, kw_only=True)
class NewNetworkProps:
    """The addresses of a new VPC, and the AWS services that are reached in it.

    Each of the ``availability_zone_count`` zones gets one eighth of ``cidr`` as its subnet; two zones, because SageMaker
    asks for two where there is an endpoint, and the largest range that EC2 allows, because it cannot be changed later.
    ``availability_zone_ids`` says which zones, such as ``use1-az4``; without it, the first ones of the account.
    ``interface_endpoint_services`` are service names without the region; each endpoint costs by the hour in each zone.
    The default is for callers in the VPC: a container with network isolation calls nothing, and SageMaker moves its
    image, its data and its logs. A container without isolation needs what it calls, such as ``monitoring``.
    ``proxy_port`` is let out as well, to a proxy that somebody gives the VPC a way to. ``readable_bucket_names`` are buckets that
    are not of the foundation and that models are loaded from. ``s3_prefix_list_id`` is AWS's own in the region, such as
    ``pl-0123abcd``: containers then reach nothing over HTTPS but S3 and the interface endpoints, whatever way the VPC gets.
    Raises ValueError for what EC2 would refuse (https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html).
    """

    cidr: str = "10.0.0.0/16"
    availability_zone_count: int = 2
    availability_zone_ids: tuple[str, ...] | None = None
    interface_endpoint_services: tuple[str, ...] = (RUNTIME,)
    readable_bucket_names: tuple[str, ...] = ()
    proxy_port: int | None = None
    s3_prefix_list_id: str | None = None

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
        zone_ids = self.availability_zone_ids
        if zone_ids is not None and (
            len(set(zone_ids)) != self.availability_zone_count or not all(map(_ZONE_ID.fullmatch, zone_ids))
        ):
            raise ValueError(
                f"availability_zone_ids must be {self.availability_zone_count} different ids such as use1-az1, got {zone_ids}"
            )
        services = self.interface_endpoint_services
        if "s3" in services or len(set(services)) < len(services):
            raise ValueError(
                f"interface endpoints must differ, and s3 has its gateway endpoint, got {services}"
            )

    @property
    def subnet_cidrs(self) -> tuple[str, ...]:
        """One block for each availability zone.

        A zone that is known by its id has a block of its own, counted from the last one: CloudFormation makes a subnet
        before it deletes the one that goes, so what one zone leaves must not be what another one takes.
        """
        blocks = [str(block) for block in IPv4Network(self.cidr).subnets(SUBNET_PREFIX_BITS)]
        if self.availability_zone_ids is None:
            return tuple(blocks[: self.availability_zone_count])
        return tuple(blocks[-_zone_number(zone_id)] for zone_id in self.availability_zone_ids)


@dataclass(frozen=True, kw_only=True)
class NetworkProps(NewNetworkProps):
    """A new VPC with the buckets that its containers use, and the key, the retention and the removal of its log groups.

    ``bucket_names`` are those that can be reached from the VPC, and no others; only in the one of checkpoints, which is among
    them, objects can be deleted. ``endpoint_name_wildcard`` is what the names of
    the endpoints match that can be invoked from it, with stars for any text.
    """

    bucket_names: tuple[str, ...]
    checkpoint_bucket_name: str
    endpoint_name_wildcard: str
    operations_key_arn: str
    log_retention_days: int
    removal_policy: RemovalPolicy


@dataclass(frozen=True, kw_only=True)
class ExistingNetworkProps:
    """A VPC that somebody else looks after, named by its ids, so that nothing has to be looked up.

    Its subnets must reach S3, by its gateway endpoint or otherwise, and what containers without network isolation call;
    an endpoint needs two subnets in different zones. Callers in the VPC need ``sagemaker.runtime``. ``proxy_port`` is let
    out as well, where containers call through a proxy. ``mounted_groups`` are those of the file systems that training jobs mount.
    """

    vpc_id: str
    subnet_ids: tuple[str, ...]
    proxy_port: int | None = None
    mounted_groups: tuple[MountedGroup, ...] = ()


class ExistingNetwork(Construct):
    """Security groups in a VPC that exists, unless they exist as well; offers what ``Network`` offers."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        props: ExistingNetworkProps,
        existing: ExistingResources = NOTHING_EXISTS,
    ) -> None:
        super().__init__(scope, construct_id)
        groups = WorkloadSecurityGroups(
            self,
            "SecurityGroups",
            vpc_id=props.vpc_id,
            existing=existing,
            proxy_port=props.proxy_port,
            mounted_groups=props.mounted_groups,
        )
        self.vpc_id = props.vpc_id
        self.subnet_ids = list(props.subnet_ids)
        self.endpoint_security_group = groups.endpoint_security_group
        self.training_security_group = groups.training_security_group
        self.endpoint_security_group_id = groups.endpoint_security_group_id
        self.training_security_group_id = groups.training_security_group_id


class Network(Construct):
    """A VPC of private subnets that no packet leaves but to AWS services, with flow logs.

    There is no internet gateway, no NAT gateway and no public address: what a container needs from outside AWS has to
    be in its image or in the artifact bucket. ``subnet_ids`` has one subnet for each availability zone. The policy of
    ``s3_endpoint`` allows the buckets of the environment only, that of ``sagemaker.runtime`` its endpoints only, and
    that of ``execute-api`` the APIs of the account.
    """

    def __init__(self, scope: Construct, construct_id: str, *, props: NetworkProps) -> None:
        super().__init__(scope, construct_id)
        vpc = ec2.CfnVPC(
            self, "Vpc", cidr_block=props.cidr, enable_dns_support=True, enable_dns_hostnames=True
        )
        self.vpc_id = vpc.attr_vpc_id
        route_table = ec2.CfnRouteTable(self, "PrivateRouteTable", vpc_id=self.vpc_id)
        self.subnet_ids = self._private_subnets(props, route_table)
        self.s3_endpoint = self._s3_endpoint(props, route_table)
        groups = WorkloadSecurityGroups(
            self,
            "SecurityGroups",
            vpc_id=self.vpc_id,
            proxy_port=props.proxy_port,
            s3_prefix_list_id=props.s3_prefix_list_id,
            interface_endpoint_group_id=self._interface_endpoints(props),
        )
        self.endpoint_security_group = groups.endpoint_security_group
        self.training_security_group = groups.training_security_group
        self.endpoint_security_group_id = groups.endpoint_security_group_id
        self.training_security_group_id = groups.training_security_group_id
        self._flow_log(vpc, props)
        close_default_security_group(
            self,
            vpc.attr_default_security_group,
            self._log_group("CloseDefaultSecurityGroupLogGroup", props),
        )

    def _private_subnets(self, props: NetworkProps, route_table: ec2.CfnRouteTable) -> list[str]:
        zone_ids = props.availability_zone_ids
        zones = Fn.get_azs()  # an account does not have every letter, and a lookup would need credentials
        subnet_ids = []
        for index, cidr in enumerate(props.subnet_cidrs):
            zone_id = zone_ids[index] if zone_ids else None
            construct_id = (
                f"PrivateSubnetOfZone{_zone_number(zone_id)}" if zone_id else f"PrivateSubnet{index + 1}"
            )
            subnet = ec2.CfnSubnet(
                self,
                construct_id,
                vpc_id=self.vpc_id,
                availability_zone=None if zone_id else Fn.select(index, zones),
                availability_zone_id=zone_id,
                cidr_block=cidr,
                map_public_ip_on_launch=False,
            )
            ec2.CfnSubnetRouteTableAssociation(
                self,
                f"{construct_id}RouteTable",
                subnet_id=subnet.ref,
                route_table_id=route_table.ref,
            )
            subnet_ids.append(subnet.ref)
        return subnet_ids

    def _s3_endpoint(self, props: NetworkProps, route_table: ec2.CfnRouteTable) -> ec2.CfnVPCEndpoint:
        return ec2.CfnVPCEndpoint(
            self,
            "S3Endpoint",
            vpc_id=self.vpc_id,
            vpc_endpoint_type="Gateway",
            service_name=Fn.sub("com.amazonaws.${AWS::Region}.s3"),  # the same in all partitions
            route_table_ids=[route_table.ref],
            policy_document={"Version": "2012-10-17", "Statement": _s3_statements(props)},
        )

    def _interface_endpoints(self, props: NetworkProps) -> str | None:
        """Return the id of their security group; None where there are none."""
        if not props.interface_endpoint_services:
            return None
        security_group = ec2.CfnSecurityGroup(
            self,
            "InterfaceEndpointSecurityGroup",
            group_description="Interface endpoints: HTTPS from the VPC in, nothing out",
            vpc_id=self.vpc_id,
            security_group_ingress=[
                ec2.CfnSecurityGroup.IngressProperty(
                    ip_protocol="tcp",
                    from_port=HTTPS_PORT,
                    to_port=HTTPS_PORT,
                    cidr_ip=props.cidr,
                    description="HTTPS from the VPC",
                )
            ],
            # A group without any egress rule is given one that allows everything; a rule to nowhere prevents it:
            # https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-securitygroup.html
            security_group_egress=[
                ec2.CfnSecurityGroup.EgressProperty(
                    ip_protocol="-1", cidr_ip="127.0.0.1/32", description="Nothing"
                )
            ],
        )
        for service in props.interface_endpoint_services:
            ec2.CfnVPCEndpoint(
                self,
                f"InterfaceEndpoint-{service}",
                vpc_id=self.vpc_id,
                vpc_endpoint_type="Interface",
                # Knows the services whose name has another beginning in the China regions.
                service_name=ec2.InterfaceVpcEndpointAwsService(
                    service, EXPERIMENTS_PREFIX if service == EXPERIMENTS else None
                ).name,
                private_dns_enabled=True,
                subnet_ids=self.subnet_ids,
                security_group_ids=[security_group.attr_group_id],
                policy_document=_service_policy(service, props),
            )
        return security_group.attr_group_id

    def _flow_log(self, vpc: ec2.CfnVPC, props: NetworkProps) -> None:
        log_group = self._log_group("FlowLogGroup", props)
        # https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-iam-role.html, for this log group only
        role = service_role(
            self,
            "FlowLogRole",
            "vpc-flow-logs.amazonaws.com",
            [allow((*WRITE_LOGS, "logs:DescribeLogStreams"), log_group.attr_arn)],
            {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}},
        )
        ec2.CfnFlowLog(
            self,
            "FlowLog",
            resource_id=vpc.ref,
            resource_type="VPC",
            traffic_type="ALL",
            log_destination_type="cloud-watch-logs",
            log_group_name=log_group.ref,
            deliver_logs_permission_arn=role.attr_arn,
        )

    def _log_group(self, construct_id: str, props: NetworkProps) -> logs.CfnLogGroup:
        log_group = logs.CfnLogGroup(
            self,
            construct_id,
            kms_key_id=props.operations_key_arn,
            retention_in_days=props.log_retention_days,
        )
        log_group.apply_removal_policy(props.removal_policy)
        return log_group


def _zone_number(zone_id: str) -> int:
    return int(zone_id[-1])


def _s3_statements(props: NetworkProps) -> list[Statement]:
    """Return what passes the gateway endpoint: the policy of a role can be wider than that, and gains nothing by it.

    What SageMaker itself loads and saves for a job or a model in a VPC passes here, with the role of the workload:
    https://docs.aws.amazon.com/sagemaker/latest/dg/mkt-algo-model-internet-free.html. Images do not, SageMaker pulls them
    outside of the VPC: https://docs.aws.amazon.com/sagemaker/latest/dg/train-vpc.html.
    """
    bucket_arns = [_bucket_arn(name) for name in props.bucket_names]
    statements = [
        _anybody(["s3:ListBucket"], bucket_arns),
        _anybody(
            ["s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"],
            [_bucket_arn(name, "/*") for name in props.bucket_names],
        ),
        _anybody(["s3:DeleteObject"], [_bucket_arn(props.checkpoint_bucket_name, "/*")]),
    ]
    if props.readable_bucket_names:
        names = props.readable_bucket_names
        statements.append(_anybody(["s3:ListBucket"], [_bucket_arn(name) for name in names]))
        statements.append(_anybody(["s3:GetObject"], [_bucket_arn(name, "/*") for name in names]))
    if REGISTRY in props.interface_endpoint_services:
        # Where a container pulls an image: https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html
        layers = {"Fn::Sub": "arn:${AWS::Partition}:s3:::prod-${AWS::Region}-starport-layer-bucket/*"}
        statements.append(_anybody(["s3:GetObject"], [layers]))
    return statements


def _service_policy(service: str, props: NetworkProps) -> dict[str, object] | None:
    """Return what passes the interface endpoint of a service; None is everything."""
    if service == RUNTIME:
        return policy_document([_invoke_statement(props)])
    if service == PRIVATE_APIS:
        # Those of the account: which of them are of this environment shows when they are made, and each says who calls it.
        apis = "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:*"
        return policy_document([_anybody(["execute-api:Invoke"], [{"Fn::Sub": apis}])])
    return None


def _invoke_statement(props: NetworkProps) -> Statement:
    """Return what passes the interface endpoint of the runtime: calls of this account to the endpoints of this environment.

    The ARN of an endpoint is in lower case, whatever its name is:
    https://github.com/philschmid/cdk-samples/issues/2
    """
    endpoints = f"endpoint/{props.endpoint_name_wildcard.lower()}"
    arn = {"Fn::Sub": f"arn:${{AWS::Partition}}:sagemaker:${{AWS::Region}}:${{AWS::AccountId}}:{endpoints}"}
    return {
        **_anybody([INVOKE, INVOKE_ASYNC, INVOKE_STREAM], [arn]),
        "Condition": {"StringEquals": {"aws:PrincipalAccount": {"Ref": "AWS::AccountId"}}},
    }


def _anybody(actions: Sequence[str], resources: Sequence[dict[str, Any]]) -> Statement:
    return {"Effect": "Allow", "Principal": "*", "Action": list(actions), "Resource": list(resources)}


def _bucket_arn(name: str, objects: str = "") -> dict[str, Any]:
    # Fn::Join, because the name may be a token.
    return {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, f":s3:::{name}{objects}"]]}

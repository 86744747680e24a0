"""What the plan says of the network: no way to the internet, and one to each service that it names."""

from ipaddress import IPv4Network

from tests.integration.readers.common import Properties
from tests.integration.readers.plan_foundation import Foundation

EVERYWHERE = "0.0.0.0/0"


def subnet_cidrs(foundation: Foundation) -> list[str]:
    """Return one eighth of the network for each zone, so that a zone more moves no other."""
    blocks = list(IPv4Network(foundation.network.cidr).subnets(3))
    return [str(block) for block in blocks[: foundation.network.availability_zones]]


def https_out() -> Properties:
    return {
        "IpProtocol": "tcp",
        "FromPort": 443,
        "ToPort": 443,
        "CidrIp": EVERYWHERE,
        "Description": "AWS services",
    }


def among_themselves(member: str, group_id: str) -> Properties:
    return {"IpProtocol": "-1", "Description": "Instances of one job", member: group_id}


def https_from_vpc(foundation: Foundation) -> Properties:
    cidr = foundation.network.cidr
    return {
        "IpProtocol": "tcp",
        "FromPort": 443,
        "ToPort": 443,
        "CidrIp": cidr,
        "Description": "HTTPS from the VPC",
    }


def nowhere() -> Properties:
    """A rule that keeps EC2 from adding its own, which lets everything out."""
    return {"IpProtocol": "-1", "CidrIp": "127.0.0.1/32", "Description": "Nothing"}


def interface_endpoint(service: str, group_id: str, foundation: Foundation) -> Properties:
    expected = {
        "VpcEndpointType": "Interface",
        "VpcId": foundation.vpc_id,
        "ServiceName": f"com.amazonaws.{foundation.deployed.plan.region}.{service}",
        "SubnetIds": foundation.subnet_ids,
        "SecurityGroupIds": [group_id],
        "PrivateDnsEnabled": True,
    }
    if service == "sagemaker.runtime":
        statement = invoking_statement(foundation)
        expected["PolicyDocument"] = {"Version": "2012-10-17", "Statement": [statement]}
    return expected


def invoking_statement(foundation: Foundation) -> Properties:
    """Return who may invoke what through the VPC: this account, and the endpoints of the environment alone."""
    plan = foundation.deployed.plan
    return {
        "Effect": "Allow",
        "Principal": "*",
        "Action": [
            "sagemaker:InvokeEndpoint",
            "sagemaker:InvokeEndpointAsync",
            "sagemaker:InvokeEndpointWithResponseStream",
        ],
        "Resource": [foundation.arn("sagemaker", f"endpoint/{plan.platform}-{plan.environment}-*")],
        "Condition": {"StringEquals": {"aws:PrincipalAccount": plan.account}},
    }


def s3_endpoint(foundation: Foundation) -> Properties:
    tables = foundation.in_vpc("describe_route_tables", "RouteTables")
    of_subnets = {
        association.get("SubnetId"): table["RouteTableId"]
        for table in tables
        for association in table["Associations"]
    }
    return {
        "VpcEndpointType": "Gateway",
        "VpcId": foundation.vpc_id,
        "ServiceName": f"com.amazonaws.{foundation.deployed.plan.region}.s3",
        "RouteTableIds": sorted({of_subnets[subnet_id] for subnet_id in foundation.subnet_ids}),
        "PolicyDocument": {"Version": "2012-10-17", "Statement": passing_statements(foundation)},
    }


def passing_statements(foundation: Foundation) -> list[Properties]:
    """Return what reaches S3: the buckets that workloads read and write, and no others."""
    names = (foundation.plan.artifact_bucket_name, foundation.plan.checkpoint_bucket_name)
    buckets = [f"arn:aws:s3:::{name}" for name in names]
    everybody = {"Effect": "Allow", "Principal": "*"}
    return [
        {**everybody, "Action": ["s3:ListBucket"], "Resource": buckets},
        {
            **everybody,
            "Action": ["s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"],
            "Resource": [f"{bucket}/*" for bucket in buckets],
        },
        {**everybody, "Action": ["s3:DeleteObject"], "Resource": [f"{buckets[1]}/*"]},
    ]

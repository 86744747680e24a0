"""Networks, as EC2 describes them."""

import json
from typing import Any

from tests.integration.readers.common import ClientFactory, Properties, picked, present, user_tags


def read_vpc(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("ec2")
    (found,) = api.describe_vpcs(VpcIds=[physical_id])["Vpcs"]
    support = api.describe_vpc_attribute(VpcId=physical_id, Attribute="enableDnsSupport")
    names = api.describe_vpc_attribute(VpcId=physical_id, Attribute="enableDnsHostnames")
    return present(
        CidrBlock=found["CidrBlock"],
        EnableDnsSupport=support["EnableDnsSupport"]["Value"],
        EnableDnsHostnames=names["EnableDnsHostnames"]["Value"],
        Tags=user_tags(found["Tags"]),
    )


def read_subnet(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    (found,) = client("ec2").describe_subnets(SubnetIds=[physical_id])["Subnets"]
    members = picked(found, "AvailabilityZone", "CidrBlock", "MapPublicIpOnLaunch", "VpcId")
    return members | {"Tags": user_tags(found["Tags"])}


def read_route_table(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    (found,) = client("ec2").describe_route_tables(RouteTableIds=[physical_id])["RouteTables"]
    return {"VpcId": found["VpcId"], "Tags": user_tags(found["Tags"])}


def read_route_table_association(
    client: ClientFactory, physical_id: str, properties: Properties
) -> Properties:
    tables = client("ec2").describe_route_tables()["RouteTables"]
    (found,) = (
        association
        for table in tables
        for association in table["Associations"]
        if association["RouteTableAssociationId"] == physical_id
    )
    return picked(found, "RouteTableId", "SubnetId")


def read_vpc_endpoint(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    (found,) = client("ec2").describe_vpc_endpoints(VpcEndpointIds=[physical_id])["VpcEndpoints"]
    return present(
        VpcEndpointType=found["VpcEndpointType"],
        VpcId=found["VpcId"],
        ServiceName=found["ServiceName"],
        RouteTableIds=found.get("RouteTableIds"),
        SubnetIds=found.get("SubnetIds"),
        PolicyDocument=_policy(found),
        SecurityGroupIds=[group["GroupId"] for group in found.get("Groups", [])],
        # A gateway has no names of its own, and says False.
        PrivateDnsEnabled=found.get("PrivateDnsEnabled") or None,
        Tags=user_tags(found["Tags"]),
    )


def _policy(endpoint: Properties) -> Any:
    """Return what passes an endpoint; without a policy of ours, everything does, and the emulator may not say so."""
    if "PolicyDocument" not in endpoint:
        return None
    document = json.loads(endpoint["PolicyDocument"])
    return None if any(one["Action"] == "*" for one in document["Statement"]) else document


def read_flow_log(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    (found,) = client("ec2").describe_flow_logs(FlowLogIds=[physical_id])["FlowLogs"]
    # Older flow logs name their group in a member of its own.
    group = found.get("LogGroupName") or found.get("LogDestination", "").removesuffix(":*").rpartition(":")[2]
    return present(
        DeliverLogsPermissionArn=found.get("DeliverLogsPermissionArn"),
        LogDestinationType=found["LogDestinationType"],
        LogGroupName=group,
        ResourceId=found["ResourceId"],
        # The API tells a VPC from a subnet by the id.
        ResourceType={"vpc": "VPC", "subnet": "Subnet", "eni": "NetworkInterface"}[
            found["ResourceId"].partition("-")[0]
        ],
        TrafficType=found["TrafficType"],
        Tags=user_tags(found["Tags"]),
    )

"""VPC endpoints are described as those of the VPC that is asked about."""

from tests.integration.emulator.lab import Lab


def test_endpoints_of_another_vpc_are_not_described(lab: Lab) -> None:
    ec2 = lab("ec2")
    mine, other = (ec2.create_vpc(CidrBlock=f"10.{number}.0.0/16")["Vpc"]["VpcId"] for number in (1, 2))
    made = ec2.create_vpc_endpoint(VpcId=mine, ServiceName="com.amazonaws.us-east-1.s3")["VpcEndpoint"]

    def described(vpc_id: str) -> list[str]:
        found = ec2.describe_vpc_endpoints(Filters=[{"Name": "vpc-id", "Values": [vpc_id]}])
        return [endpoint["VpcEndpointId"] for endpoint in found["VpcEndpoints"]]

    assert described(mine) == [made["VpcEndpointId"]]
    assert described(other) == []
    assert made["VpcEndpointId"] in [
        endpoint["VpcEndpointId"] for endpoint in ec2.describe_vpc_endpoints()["VpcEndpoints"]
    ]

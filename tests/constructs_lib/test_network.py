import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from aws_cdk import App, Environment, RemovalPolicy, Stack
from aws_cdk.assertions import Match, Template

from constructs_lib.network import (
    CLOSE_DEFAULT_SECURITY_GROUP_CODE,
    ExistingNetwork,
    ExistingNetworkProps,
    Network,
    NetworkProps,
)
from sizewell.facts.interface_endpoints import DEFAULT_INTERFACE_ENDPOINTS

pytestmark = pytest.mark.cdk

KEY_ARN = "arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-00000000000e"
HTTPS_OUT = {
    "IpProtocol": "tcp",
    "FromPort": 443,
    "ToPort": 443,
    "CidrIp": "0.0.0.0/0",
    "Description": "AWS services",
}


def _props(**changes: Any) -> NetworkProps:
    values: dict[str, Any] = {
        "cidr": "10.0.0.0/16",
        "availability_zone_count": 2,
        "operations_key_arn": KEY_ARN,
        "log_retention_days": 90,
        "removal_policy": RemovalPolicy.RETAIN,
    }
    return NetworkProps(**values | changes)


def _stack(context: dict[str, Any], region: str = "us-east-1") -> Stack:
    app = App(context=context, analytics_reporting=False)
    return Stack(app, "Stack", env=Environment(account="111122223333", region=region))


def _template(context: dict[str, Any], region: str = "us-east-1", **changes: Any) -> Template:
    stack = _stack(context, region)
    Network(stack, "Network", props=_props(**changes))
    return Template.from_stack(stack)


@pytest.fixture(scope="module")
def template(cdk_context: dict[str, Any]) -> Template:
    return _template(cdk_context)


@pytest.fixture(scope="module")
def existing_template(cdk_context: dict[str, Any]) -> Template:
    stack = _stack(cdk_context)
    props = ExistingNetworkProps(vpc_id="vpc-0123456789abcdef0", subnet_ids=("subnet-0a", "subnet-0b"))
    network = ExistingNetwork(stack, "Network", props=props)
    assert network.subnet_ids == ["subnet-0a", "subnet-0b"]
    return Template.from_stack(stack)


def _security_group(template: Template, description: str) -> tuple[str, dict[str, Any]]:
    groups = template.find_resources(
        "AWS::EC2::SecurityGroup",
        {"Properties": {"GroupDescription": Match.string_like_regexp(f"^{description}")}},
    )
    ((logical_id, group),) = groups.items()
    properties: dict[str, Any] = group["Properties"]
    return logical_id, properties


def test_there_is_no_way_to_the_internet(template: Template) -> None:
    kinds = {resource["Type"] for resource in template.to_json()["Resources"].values()}

    assert not kinds & {
        "AWS::EC2::InternetGateway",
        "AWS::EC2::VPCGatewayAttachment",
        "AWS::EC2::EgressOnlyInternetGateway",
        "AWS::EC2::NatGateway",
        "AWS::EC2::EIP",
        "AWS::EC2::Route",
    }
    template.all_resources_properties("AWS::EC2::Subnet", {"MapPublicIpOnLaunch": False})


def test_every_zone_has_its_own_subnet_on_the_private_route_table(template: Template) -> None:
    subnets = template.find_resources("AWS::EC2::Subnet")
    zones = [s["Properties"]["AvailabilityZone"] for s in subnets.values()]
    (route_table_id,) = template.find_resources("AWS::EC2::RouteTable")
    associations = template.find_resources("AWS::EC2::SubnetRouteTableAssociation").values()

    assert zones == [{"Fn::Select": [0, {"Fn::GetAZs": ""}]}, {"Fn::Select": [1, {"Fn::GetAZs": ""}]}]
    assert sorted(a["Properties"]["SubnetId"]["Ref"] for a in associations) == sorted(subnets)
    assert all(a["Properties"]["RouteTableId"] == {"Ref": route_table_id} for a in associations)


def test_nothing_is_looked_up(cdk_context: dict[str, Any]) -> None:
    app = App(context=cdk_context, analytics_reporting=False)
    stack = Stack(app, "Stack", env=Environment(account="111122223333", region="us-east-1"))
    Network(stack, "Network", props=_props())

    manifest = json.loads(Path(app.synth().directory, "manifest.json").read_text("utf-8"))
    assert "missing" not in manifest


def test_a_zone_that_is_added_moves_no_other_subnet() -> None:
    six = _props(availability_zone_count=6).subnet_cidrs

    assert six[:3] == ("10.0.0.0/19", "10.0.32.0/19", "10.0.64.0/19")
    for count in range(1, 7):
        assert _props(availability_zone_count=count).subnet_cidrs == six[:count]


def test_names_of_services_resolve_to_private_addresses(template: Template) -> None:
    template.has_resource_properties(
        "AWS::EC2::VPC",
        {"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": True, "EnableDnsHostnames": True},
    )


def test_s3_is_reached_through_a_gateway_endpoint(template: Template) -> None:
    (route_table_id,) = template.find_resources("AWS::EC2::RouteTable")
    template.has_resource_properties(
        "AWS::EC2::VPCEndpoint",
        {
            "VpcEndpointType": "Gateway",
            "ServiceName": {"Fn::Sub": "com.amazonaws.${AWS::Region}.s3"},
            "RouteTableIds": [{"Ref": route_table_id}],
        },
    )


def _interface_endpoints(template: Template) -> list[dict[str, Any]]:
    interface = {"Properties": {"VpcEndpointType": "Interface"}}
    found = template.find_resources("AWS::EC2::VPCEndpoint", interface)
    return [endpoint["Properties"] for endpoint in found.values()]


def test_other_services_are_reached_through_interface_endpoints_in_every_zone(template: Template) -> None:
    endpoints = _interface_endpoints(template)
    group_id, _ = _security_group(template, "Interface endpoints")
    subnets = [{"Ref": subnet} for subnet in template.find_resources("AWS::EC2::Subnet")]

    assert sorted(endpoint["ServiceName"] for endpoint in endpoints) == [
        f"com.amazonaws.us-east-1.{service}" for service in sorted(DEFAULT_INTERFACE_ENDPOINTS)
    ]
    for endpoint in endpoints:
        assert endpoint["PrivateDnsEnabled"] is True
        assert endpoint["SubnetIds"] == subnets
        assert endpoint["SecurityGroupIds"] == [{"Fn::GetAtt": [group_id, "GroupId"]}]


def test_services_of_the_china_regions_are_called_by_their_own_names(cdk_context: dict[str, Any]) -> None:
    template = _template(cdk_context, "cn-north-1", interface_endpoint_services=("sagemaker.api", "kms"))

    assert sorted(endpoint["ServiceName"] for endpoint in _interface_endpoints(template)) == [
        "cn.com.amazonaws.cn-north-1.sagemaker.api",
        "com.amazonaws.cn-north-1.kms",
    ]


def test_no_interface_endpoint_needs_no_security_group(cdk_context: dict[str, Any]) -> None:
    template = _template(cdk_context, interface_endpoint_services=())

    assert _interface_endpoints(template) == []
    template.resource_count_is("AWS::EC2::SecurityGroup", 2)


def test_interface_endpoints_admit_https_from_the_vpc_only(template: Template) -> None:
    _, group = _security_group(template, "Interface endpoints")

    (ingress,) = group["SecurityGroupIngress"]
    (egress,) = group["SecurityGroupEgress"]
    assert (ingress["IpProtocol"], ingress["FromPort"], ingress["ToPort"], ingress["CidrIp"]) == (
        "tcp",
        443,
        443,
        "10.0.0.0/16",
    )
    assert egress["CidrIp"] == "127.0.0.1/32"


@pytest.mark.parametrize("name", ["template", "existing_template"])
def test_endpoints_are_let_out_by_https_and_nothing_in(name: str, request: pytest.FixtureRequest) -> None:
    template: Template = request.getfixturevalue(name)
    group_id, group = _security_group(template, "Endpoints")

    assert "SecurityGroupIngress" not in group
    assert group["SecurityGroupEgress"] == [HTTPS_OUT]
    assert f"'{group_id}'" not in str(template.find_resources("AWS::EC2::SecurityGroupIngress"))


@pytest.mark.parametrize("name", ["template", "existing_template"])
def test_training_instances_may_talk_to_each_other_on_all_protocols(
    name: str, request: pytest.FixtureRequest
) -> None:
    template: Template = request.getfixturevalue(name)
    group_id, group = _security_group(template, "Training")
    itself = {"Fn::GetAtt": [group_id, "GroupId"]}
    (ingress,) = template.find_resources("AWS::EC2::SecurityGroupIngress").values()
    (egress,) = template.find_resources("AWS::EC2::SecurityGroupEgress").values()

    assert "SecurityGroupIngress" not in group
    assert group["SecurityGroupEgress"] == [HTTPS_OUT]
    rule = {"GroupId": itself, "IpProtocol": "-1", "Description": "Instances of one job"}
    assert ingress["Properties"] == rule | {"SourceSecurityGroupId": itself}
    assert egress["Properties"] == rule | {"DestinationSecurityGroupId": itself}


def test_an_existing_network_gets_security_groups_and_nothing_else(existing_template: Template) -> None:
    kinds = {resource["Type"] for resource in existing_template.to_json()["Resources"].values()}

    assert kinds == {
        "AWS::EC2::SecurityGroup",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::EC2::SecurityGroupEgress",
    }
    existing_template.all_resources_properties("AWS::EC2::SecurityGroup", {"VpcId": "vpc-0123456789abcdef0"})


def test_all_traffic_is_logged_to_an_encrypted_log_group(template: Template) -> None:
    (vpc_id,) = template.find_resources("AWS::EC2::VPC")
    (flow_log,) = template.find_resources("AWS::EC2::FlowLog").values()
    properties = flow_log["Properties"]
    log_group = template.find_resources("AWS::Logs::LogGroup")[properties["LogGroupName"]["Ref"]]

    assert properties["ResourceId"] == {"Ref": vpc_id}
    assert (properties["ResourceType"], properties["TrafficType"]) == ("VPC", "ALL")
    assert log_group["Properties"] == {"KmsKeyId": KEY_ARN, "RetentionInDays": 90}
    assert log_group["DeletionPolicy"] == "Retain"


def test_flow_logs_may_write_to_their_log_group_only(template: Template) -> None:
    (flow_log,) = template.find_resources("AWS::EC2::FlowLog").values()
    log_group_id = flow_log["Properties"]["LogGroupName"]["Ref"]
    role_id = flow_log["Properties"]["DeliverLogsPermissionArn"]["Fn::GetAtt"][0]
    role = template.find_resources("AWS::IAM::Role")[role_id]["Properties"]
    (policy_arn,) = role["ManagedPolicyArns"]
    policy = template.find_resources("AWS::IAM::ManagedPolicy")[policy_arn["Ref"]]["Properties"]

    (trust,) = role["AssumeRolePolicyDocument"]["Statement"]
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "vpc-flow-logs.amazonaws.com"}
    assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    assert statement["Resource"] == {"Fn::GetAtt": [log_group_id, "Arn"]}
    assert "logs:PutLogEvents" in statement["Action"]


def test_logs_go_with_an_environment_that_keeps_nothing(cdk_context: dict[str, Any]) -> None:
    template = _template(cdk_context, removal_policy=RemovalPolicy.DESTROY)

    log_groups = template.find_resources("AWS::Logs::LogGroup").values()
    assert [log_group["DeletionPolicy"] for log_group in log_groups] == ["Delete", "Delete"]


def test_the_default_security_group_of_the_vpc_is_closed(template: Template) -> None:
    (vpc_id,) = template.find_resources("AWS::EC2::VPC")
    (function_id,) = template.find_resources("AWS::Lambda::Function")
    default_group = {"Fn::GetAtt": [vpc_id, "DefaultSecurityGroup"]}

    template.has_resource_properties(
        "Custom::VpcRestrictDefaultSG",
        {"ServiceToken": {"Fn::GetAtt": [function_id, "Arn"]}, "DefaultSecurityGroupId": default_group},
    )
    template.has_resource_properties(
        "AWS::IAM::ManagedPolicy",
        {
            "PolicyDocument": {
                "Statement": Match.array_with(
                    [
                        {
                            "Effect": "Allow",
                            "Action": ["ec2:RevokeSecurityGroupEgress", "ec2:RevokeSecurityGroupIngress"],
                            "Resource": {
                                "Fn::Sub": [
                                    Match.string_like_regexp(r":security-group/\$\{GroupId\}$"),
                                    Match.any_value(),
                                ]
                            },
                        }
                    ]
                )
            }
        },
    )


class _ClientError(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.response = {"Error": {"Code": code}}


class _Ec2:
    """Stands in for the EC2 client; ``refusal`` is the error code of every call."""

    def __init__(self, refusal: str | None) -> None:
        self.refusal = refusal
        self.revoked: list[tuple[str, Any]] = []

    def revoke_security_group_ingress(self, **request: Any) -> None:
        self._revoke("ingress", request)

    def revoke_security_group_egress(self, **request: Any) -> None:
        self._revoke("egress", request)

    def _revoke(self, direction: str, request: dict[str, Any]) -> None:
        self.revoked.append((direction, request))
        if self.refusal is not None:
            raise _ClientError(self.refusal)


def _call_function(
    monkeypatch: pytest.MonkeyPatch, request_type: str, refusal: str | None = None
) -> tuple[_Ec2, list[tuple[Any, ...]]]:
    ec2 = _Ec2(refusal)
    answers: list[tuple[Any, ...]] = []
    members: dict[str, dict[str, Any]] = {
        "boto3": {"client": {"ec2": ec2}.__getitem__},
        "botocore": {},
        "botocore.exceptions": {"ClientError": _ClientError},
        "cfnresponse": {
            "SUCCESS": "SUCCESS",
            "FAILED": "FAILED",
            "send": lambda event, context, status, data, resource_id, reason=None: answers.append(
                (status, resource_id, reason)
            ),
        },
    }
    for name, attributes in members.items():
        module = ModuleType(name)
        module.__dict__.update(attributes)
        monkeypatch.setitem(sys.modules, name, module)
    namespace: dict[str, Any] = {}
    exec(CLOSE_DEFAULT_SECURITY_GROUP_CODE, namespace)
    event = {"RequestType": request_type, "ResourceProperties": {"DefaultSecurityGroupId": "sg-default"}}
    namespace["handler"](event, None)
    return ec2, answers


@pytest.mark.parametrize("request_type", ["Create", "Update"])
def test_closing_takes_both_rules_of_a_new_default_group(
    monkeypatch: pytest.MonkeyPatch, request_type: str
) -> None:
    ec2, answers = _call_function(monkeypatch, request_type)

    from_itself = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": "sg-default"}]}
    to_anywhere = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    assert ec2.revoked == [
        ("ingress", {"GroupId": "sg-default", "IpPermissions": [from_itself]}),
        ("egress", {"GroupId": "sg-default", "IpPermissions": [to_anywhere]}),
    ]
    assert answers == [("SUCCESS", "sg-default", None)]


def test_closing_a_closed_group_succeeds(monkeypatch: pytest.MonkeyPatch) -> None:
    ec2, answers = _call_function(monkeypatch, "Create", refusal="InvalidPermission.NotFound")

    assert len(ec2.revoked) == 2
    assert answers == [("SUCCESS", "sg-default", None)]


def test_a_group_that_stays_open_fails_the_deployment(monkeypatch: pytest.MonkeyPatch) -> None:
    _, answers = _call_function(monkeypatch, "Create", refusal="UnauthorizedOperation")

    assert answers == [("FAILED", "sg-default", "UnauthorizedOperation")]


def test_deleting_calls_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    ec2, answers = _call_function(monkeypatch, "Delete")

    assert ec2.revoked == []
    assert answers == [("SUCCESS", "sg-default", None)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cidr": "10.0.0.0/8"}, "cidr must be a /16 to /25, got 10.0.0.0/8"),
        ({"cidr": "10.0.0.0/26"}, "cidr must be a /16 to /25, got 10.0.0.0/26"),
        ({"cidr": "10.0.0.1/16"}, "has host bits set"),
        ({"availability_zone_count": 0}, "availability_zone_count must be 1 to 6, got 0"),
        ({"availability_zone_count": 7}, "availability_zone_count must be 1 to 6, got 7"),
        ({"interface_endpoint_services": ("s3",)}, "s3 has its gateway endpoint"),
        ({"interface_endpoint_services": ("kms", "kms")}, "interface endpoints must differ"),
    ],
)
def test_what_ec2_would_refuse_is_refused_at_once(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _props(**changes)

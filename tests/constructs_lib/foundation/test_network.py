import sys
from types import ModuleType
from typing import Any

import pytest
from aws_cdk import App, Environment, RemovalPolicy, Stack
from aws_cdk.assertions import Match, Template

from constructs_lib.foundation.default_security_group import CLOSE_DEFAULT_SECURITY_GROUP_CODE
from constructs_lib.foundation.network import (
    ExistingNetwork,
    ExistingNetworkProps,
    Network,
    NetworkProps,
    NewNetworkProps,
)
from tests.constructs_lib.resources import Resources

pytestmark = pytest.mark.cdk


def _props(**changes: Any) -> NetworkProps:
    values: dict[str, Any] = {
        "operations_key_arn": "arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-00000000000e",
        "log_retention_days": 90,
        "removal_policy": RemovalPolicy.RETAIN,
        "bucket_names": ("demo-artifacts", "demo-checkpoints"),
        "checkpoint_bucket_name": "demo-checkpoints",
        "endpoint_name_wildcard": "Demo-*",
    }
    return NetworkProps(**values | changes)


def test_a_zone_that_is_added_moves_no_other_subnet() -> None:
    six = NewNetworkProps(availability_zone_count=6).subnet_cidrs

    assert six[:3] == ("10.0.0.0/19", "10.0.32.0/19", "10.0.64.0/19")
    for count in range(1, 7):
        assert NewNetworkProps(availability_zone_count=count).subnet_cidrs == six[:count]


def test_without_ids_subnets_stand_in_the_first_zones_of_the_account(stack: Stack) -> None:
    Network(stack, "Network", props=_props())

    template = Template.from_stack(stack)
    template.resource_count_is("AWS::EC2::Subnet", 2)
    for index, cidr in enumerate(("10.0.0.0/19", "10.0.32.0/19")):
        template.has_resource_properties(
            "AWS::EC2::Subnet",
            {
                "AvailabilityZone": {"Fn::Select": [index, {"Fn::GetAZs": ""}]},
                "AvailabilityZoneId": Match.absent(),
                "CidrBlock": cidr,
            },
        )


def test_subnets_stand_in_the_zones_that_are_named(stack: Stack) -> None:
    network = Network(stack, "Network", props=_props(availability_zone_ids=("use1-az4", "use1-az1")))

    template = Template.from_stack(stack)
    template.resource_count_is("AWS::EC2::Subnet", 2)
    for zone_id, cidr in (("use1-az1", "10.0.224.0/19"), ("use1-az4", "10.0.128.0/19")):
        template.has_resource_properties(
            "AWS::EC2::Subnet",
            {"AvailabilityZone": Match.absent(), "AvailabilityZoneId": zone_id, "CidrBlock": cidr},
        )
    subnets = template.find_resources("AWS::EC2::Subnet")
    in_order = [subnets[stack.resolve(subnet_id)["Ref"]] for subnet_id in network.subnet_ids]
    assert [subnet["Properties"]["AvailabilityZoneId"] for subnet in in_order] == ["use1-az4", "use1-az1"]


def test_another_choice_of_zones_replaces_no_subnet_that_stays_and_takes_no_range(app: App) -> None:
    stacks = []
    for zone_ids in (("use1-az1", "use1-az2"), ("use1-az2", "use1-az4")):
        stacks.append(Stack(app, zone_ids[0], env=Environment(account="111122223333", region="us-east-1")))
        Network(stacks[-1], "Network", props=_props(availability_zone_ids=zone_ids))
    before, after = (Template.from_stack(stack).find_resources("AWS::EC2::Subnet") for stack in stacks)

    stays = before.keys() & after.keys()
    assert [before[subnet_id]["Properties"]["AvailabilityZoneId"] for subnet_id in stays] == ["use1-az2"]
    assert all(before[subnet_id] == after[subnet_id] for subnet_id in stays)
    ranges = [subnet["Properties"]["CidrBlock"] for subnet in {**before, **after}.values()]
    assert len(set(ranges)) == 3


def test_s3_is_reached_for_the_buckets_of_the_environment_only(stack: Stack) -> None:
    Network(stack, "Network", props=_props())

    def arns(ending: str, *names: str) -> list[Any]:
        return [
            {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, f":s3:::{name}{ending}"]]}
            for name in names or ("demo-artifacts", "demo-checkpoints")
        ]

    listing = {"Effect": "Allow", "Principal": "*", "Action": ["s3:ListBucket"], "Resource": arns("")}
    deleting = {
        "Effect": "Allow",
        "Principal": "*",
        "Action": ["s3:DeleteObject"],
        "Resource": arns("/*", "demo-checkpoints"),
    }
    objects = {
        "Effect": "Allow",
        "Principal": "*",
        "Action": ["s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"],
        "Resource": arns("/*"),
    }
    Template.from_stack(stack).has_resource_properties(
        "AWS::EC2::VPCEndpoint",
        {
            "VpcEndpointType": "Gateway",
            "PolicyDocument": {"Version": "2012-10-17", "Statement": [listing, objects, deleting]},
        },
    )


def test_layers_of_images_are_reached_where_a_registry_is(stack: Stack) -> None:
    network = Network(stack, "Network", props=_props(interface_endpoint_services=("ecr.api", "ecr.dkr")))

    assert stack.resolve(network.s3_endpoint.policy_document)["Statement"][3:] == [
        {
            "Effect": "Allow",
            "Principal": "*",
            "Action": ["s3:GetObject"],
            "Resource": [
                {"Fn::Sub": "arn:${AWS::Partition}:s3:::prod-${AWS::Region}-starport-layer-bucket/*"}
            ],
        }
    ]


def test_by_default_endpoints_can_be_invoked_and_nothing_else_is_reached(stack: Stack) -> None:
    Network(stack, "Network", props=_props())

    assert _names_of_interface_endpoints(stack) == ["com.amazonaws.us-east-1.sagemaker.runtime"]


def test_the_account_invokes_the_endpoints_of_the_environment_and_its_apis_and_other_services_are_open(
    stack: Stack,
) -> None:
    services = ("execute-api", "kms", "sagemaker.runtime")
    Network(stack, "Network", props=_props(interface_endpoint_services=services))

    interface = {"Properties": {"VpcEndpointType": "Interface"}}
    found = Template.from_stack(stack).find_resources("AWS::EC2::VPCEndpoint", interface).values()
    policies = {
        vpc_endpoint["Properties"]["ServiceName"]: vpc_endpoint["Properties"].get("PolicyDocument")
        for vpc_endpoint in found
    }
    invoke = {
        "Effect": "Allow",
        "Principal": "*",
        "Action": [
            "sagemaker:InvokeEndpoint",
            "sagemaker:InvokeEndpointAsync",
            "sagemaker:InvokeEndpointWithResponseStream",
        ],
        # The ARN of an endpoint is in lower case, whatever its name is.
        "Resource": [
            {"Fn::Sub": "arn:${AWS::Partition}:sagemaker:${AWS::Region}:${AWS::AccountId}:endpoint/demo-*"}
        ],
        "Condition": {"StringEquals": {"aws:PrincipalAccount": {"Ref": "AWS::AccountId"}}},
    }
    call = {
        "Effect": "Allow",
        "Principal": "*",
        "Action": ["execute-api:Invoke"],
        "Resource": [{"Fn::Sub": "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:*"}],
    }
    assert policies == {
        "com.amazonaws.us-east-1.execute-api": {"Version": "2012-10-17", "Statement": [call]},
        "com.amazonaws.us-east-1.kms": None,
        "com.amazonaws.us-east-1.sagemaker.runtime": {"Version": "2012-10-17", "Statement": [invoke]},
    }


def _names_of_interface_endpoints(stack: Stack) -> list[str]:
    interface = {"Properties": {"VpcEndpointType": "Interface"}}
    found = Template.from_stack(stack).find_resources("AWS::EC2::VPCEndpoint", interface)
    return sorted(endpoint["Properties"]["ServiceName"] for endpoint in found.values())


def test_services_of_the_china_regions_are_called_by_their_own_names(app: App) -> None:
    stack = Stack(app, "China", env=Environment(account="111122223333", region="cn-north-1"))
    Network(stack, "Network", props=_props(interface_endpoint_services=("sagemaker.api", "kms")))

    assert _names_of_interface_endpoints(stack) == [
        "cn.com.amazonaws.cn-north-1.sagemaker.api",
        "com.amazonaws.cn-north-1.kms",
    ]


def test_no_interface_endpoint_needs_no_security_group(stack: Stack, resources: Resources) -> None:
    Network(stack, "Network", props=_props(interface_endpoint_services=()))

    assert _names_of_interface_endpoints(stack) == []
    assert len(resources("AWS::EC2::SecurityGroup")) == 2


def test_an_existing_network_gets_security_groups_and_nothing_else(
    stack: Stack, resources: Resources
) -> None:
    props = ExistingNetworkProps(vpc_id="vpc-0123456789abcdef0", subnet_ids=("subnet-0a", "subnet-0b"))
    network = ExistingNetwork(stack, "Network", props=props)

    assert network.subnet_ids == ["subnet-0a", "subnet-0b"]
    kinds = [resource["Type"] for resource in Template.from_stack(stack).to_json()["Resources"].values()]
    assert sorted(kinds) == [
        "AWS::EC2::SecurityGroup",
        "AWS::EC2::SecurityGroup",
        "AWS::EC2::SecurityGroupEgress",
        "AWS::EC2::SecurityGroupIngress",
    ]
    groups = resources("AWS::EC2::SecurityGroup").values()
    assert {group["VpcId"] for group in groups} == {"vpc-0123456789abcdef0"}
    assert not any("SecurityGroupIngress" in group for group in groups)


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


BOTH_RULES = [
    (
        "ingress",
        {
            "GroupId": "sg-default",
            "IpPermissions": [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": "sg-default"}]}],
        },
    ),
    (
        "egress",
        {
            "GroupId": "sg-default",
            "IpPermissions": [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}],
        },
    ),
]


@pytest.mark.parametrize(
    ("request_type", "refusal", "revoked", "status", "reason"),
    [
        ("Create", None, BOTH_RULES, "SUCCESS", None),
        ("Update", None, BOTH_RULES, "SUCCESS", None),
        ("Delete", None, [], "SUCCESS", None),
        # The group is closed already.
        ("Create", "InvalidPermission.NotFound", BOTH_RULES, "SUCCESS", None),
        # A group that stays open fails the deployment.
        ("Create", "UnauthorizedOperation", BOTH_RULES[:1], "FAILED", "UnauthorizedOperation"),
    ],
)
def test_the_default_group_loses_both_rules_or_the_deployment_fails(
    monkeypatch: pytest.MonkeyPatch,
    request_type: str,
    refusal: str | None,
    revoked: list[tuple[str, Any]],
    status: str,
    reason: str | None,
) -> None:
    ec2, answers = _call_function(monkeypatch, request_type, refusal)

    assert ec2.revoked == revoked
    assert answers == [(status, "sg-default", reason)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cidr": "10.0.0.0/8"}, "cidr must be a /16 to /25, got 10.0.0.0/8"),
        ({"cidr": "10.0.0.0/26"}, "cidr must be a /16 to /25, got 10.0.0.0/26"),
        ({"cidr": "10.0.0.1/16"}, "has host bits set"),
        ({"availability_zone_count": 0}, "availability_zone_count must be 1 to 6, got 0"),
        ({"availability_zone_count": 7}, "availability_zone_count must be 1 to 6, got 7"),
        ({"availability_zone_ids": ()}, "availability_zone_ids must be 2 different ids such as use1-az1"),
        ({"availability_zone_ids": ("use1-az1", "use1-az1")}, "must be 2 different ids"),
        ({"availability_zone_ids": ("us-east-1a", "us-east-1b")}, "must be 2 different ids"),
        ({"availability_zone_ids": ("use1-az1", "use1-az9")}, "must be 2 different ids"),
        ({"interface_endpoint_services": ("s3",)}, "s3 has its gateway endpoint"),
        ({"interface_endpoint_services": ("kms", "kms")}, "interface endpoints must differ"),
    ],
)
def test_what_ec2_would_refuse_is_refused_at_once(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NewNetworkProps(**changes)


@pytest.mark.parametrize(("port", "out"), [(None, [443]), (443, [443]), (3128, [443, 3128])])
def test_containers_reach_aws_and_the_port_of_a_proxy(
    port: int | None, out: list[int], stack: Stack, resources: Resources
) -> None:
    props = ExistingNetworkProps(vpc_id="vpc-0", subnet_ids=("subnet-0",), proxy_port=port)
    ExistingNetwork(stack, "Network", props=props)

    groups = resources("AWS::EC2::SecurityGroup")
    assert len(groups) == 2
    for properties in groups.values():
        rules = properties["SecurityGroupEgress"]
        assert [(rule["FromPort"], rule["ToPort"]) for rule in rules] == [(port, port) for port in out]
        assert {(rule["IpProtocol"], rule["CidrIp"]) for rule in rules} == {("tcp", "0.0.0.0/0")}


@pytest.mark.parametrize(
    ("services", "port", "out"),
    [
        (("kms",), None, {("pl-0123abcd", 443), ("endpoints", 443)}),
        ((), None, {("pl-0123abcd", 443)}),
        ((), 3128, {("pl-0123abcd", 443), ("0.0.0.0/0", 3128)}),
        ((), 443, {("pl-0123abcd", 443), ("0.0.0.0/0", 443)}),
    ],
)
def test_containers_reach_s3_by_its_prefix_list_and_services_by_their_group(
    services: tuple[str, ...],
    port: int | None,
    out: set[tuple[str, int]],
    stack: Stack,
    resources: Resources,
) -> None:
    network = Network(
        stack,
        "Network",
        props=_props(s3_prefix_list_id="pl-0123abcd", interface_endpoint_services=services, proxy_port=port),
    )

    groups = resources("AWS::EC2::SecurityGroup")
    endpoints = next((name for name in groups if "InterfaceEndpoint" in name), None)
    for group_id in (network.endpoint_security_group_id, network.training_security_group_id):
        group = groups[stack.resolve(group_id)["Fn::GetAtt"][0]]
        found = set()
        for rule in group["SecurityGroupEgress"]:
            target = rule.get("DestinationPrefixListId") or rule.get("CidrIp")
            if "DestinationSecurityGroupId" in rule:
                assert rule["DestinationSecurityGroupId"]["Fn::GetAtt"][0] == endpoints
                target = "endpoints"
            found.add((target, rule["FromPort"]))
        assert found == out

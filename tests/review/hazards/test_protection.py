"""Settings that protect: which of them the tables know, in which direction, and how bad it is in production."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.review.builders import pair, resource, template
from tests.review.hazards.apps import hazards

Json = Mapping[str, Any]
BLOCKED = dict.fromkeys(
    ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"), True
)
OPEN = dict.fromkeys(BLOCKED, False)

#: Type, strong, weak, severity and rule of the worst that follows.
SETTINGS: list[tuple[str, Json, Json, str]] = [
    ("AWS::S3::Bucket", {"PublicAccessBlockConfiguration": BLOCKED}, {}, "danger less-secure"),
    (
        "AWS::S3::Bucket",
        {"PublicAccessBlockConfiguration": BLOCKED},
        {"PublicAccessBlockConfiguration": {**BLOCKED, "BlockPublicPolicy": False}},
        "danger less-secure",
    ),
    ("AWS::S3::Bucket", {}, {"AccessControl": "PublicRead"}, "danger publicly-reachable"),
    (
        "AWS::EC2::Subnet",
        {"MapPublicIpOnLaunch": False},
        {"MapPublicIpOnLaunch": True},
        "warning less-secure",
    ),
    (
        "AWS::RDS::DBInstance",
        {"PubliclyAccessible": "false"},
        {"PubliclyAccessible": "true"},
        "danger publicly-reachable",
    ),
    ("AWS::Lambda::Url", {"AuthType": "AWS_IAM"}, {"AuthType": "NONE"}, "danger publicly-reachable"),
    (
        "AWS::ApiGateway::Method",
        {"HttpMethod": "GET", "AuthorizationType": "AWS_IAM"},
        {"HttpMethod": "GET", "AuthorizationType": "NONE"},
        "danger publicly-reachable",
    ),
    ("AWS::ApiGatewayV2::Route", {"AuthorizationType": "JWT"}, {}, "danger publicly-reachable"),
    ("AWS::ElasticLoadBalancingV2::LoadBalancer", {"Scheme": "internal"}, {}, "danger publicly-reachable"),
    (
        "AWS::EKS::Cluster",
        {"ResourcesVpcConfig": {"EndpointPublicAccess": False}},
        {"ResourcesVpcConfig": {}},
        "danger publicly-reachable",
    ),
    ("AWS::S3::Bucket", {"LoggingConfiguration": {"LogFilePrefix": "a"}}, {}, "warning less-secure"),
    (
        "AWS::StepFunctions::StateMachine",
        {"LoggingConfiguration": {"Level": "ALL"}},
        {"LoggingConfiguration": {"Level": "ERROR"}},
        "warning slower-recovery",
    ),
    ("AWS::Logs::LogGroup", {"RetentionInDays": 365}, {"RetentionInDays": "30"}, "warning less-durable"),
    ("AWS::Logs::LogGroup", {}, {"RetentionInDays": 3653}, "warning less-durable"),
    ("AWS::CloudTrail::Trail", {"IsLogging": True}, {"IsLogging": False}, "danger less-secure"),
    ("AWS::RDS::DBCluster", {"DeletionProtection": True}, {}, "warning less-durable"),
    ("AWS::DynamoDB::Table", {"DeletionProtectionEnabled": True}, {}, "warning less-durable"),
    (
        "AWS::EC2::Instance",
        {"DisableApiTermination": True},
        {"DisableApiTermination": False},
        "warning less-durable",
    ),
    (
        "AWS::S3::Bucket",
        {"VersioningConfiguration": {"Status": "Enabled"}},
        {"VersioningConfiguration": {"Status": "Suspended"}},
        "warning slower-recovery",
    ),
    (
        "AWS::ElasticLoadBalancingV2::LoadBalancer",
        {
            "Scheme": "internal",
            "LoadBalancerAttributes": [{"Key": "deletion_protection.enabled", "Value": "true"}],
        },
        {"Scheme": "internal"},
        "warning less-available",
    ),
    ("AWS::KMS::Key", {"EnableKeyRotation": True}, {}, "warning less-secure"),
    ("AWS::SageMaker::Model", {"EnableNetworkIsolation": True}, {}, "warning less-secure"),
    ("AWS::SageMaker::Model", {"VpcConfig": {"Subnets": ["s"]}}, {}, "warning less-secure"),
    ("AWS::SageMaker::TrainingJob", {"EnableNetworkIsolation": True}, {}, "warning less-secure"),
    ("AWS::SageMaker::TrainingJob", {"VpcConfig": {"Subnets": ["s"]}}, {}, "warning less-secure"),
    (
        "AWS::Lambda::Function",
        {"VpcConfig": {"SubnetIds": {"Ref": "S"}}},
        {"VpcConfig": {"SubnetIds": []}},
        "warning less-available",
    ),
    (
        "AWS::EKS::Cluster",
        {"ResourcesVpcConfig": {"EndpointPublicAccess": False, "PublicAccessCidrs": ["198.51.100.0/24"]}},
        {"ResourcesVpcConfig": {"EndpointPublicAccess": False, "PublicAccessCidrs": ["0.0.0.0/1"]}},
        "danger publicly-reachable",
    ),
    (
        "AWS::EC2::Instance",
        {"NetworkInterfaces": [{"DeviceIndex": "0", "AssociatePublicIpAddress": False}]},
        {"NetworkInterfaces": [{"DeviceIndex": "0", "AssociatePublicIpAddress": True}]},
        "danger publicly-reachable",
    ),
    (
        "AWS::EC2::LaunchTemplate",
        {"LaunchTemplateData": {"NetworkInterfaces": [{"DeviceIndex": 0}]}},
        {"LaunchTemplateData": {"NetworkInterfaces": [{"AssociatePublicIpAddress": "true"}]}},
        "danger publicly-reachable",
    ),
    (
        "AWS::EC2::VPCEndpointServicePermissions",
        {"AllowedPrincipals": ["arn:aws:iam::111122223333:root"]},
        {"AllowedPrincipals": ["arn:aws:iam::111122223333:root", "*"]},
        "danger publicly-reachable",
    ),
    (
        "AWS::ApiGateway::RestApi",
        {"EndpointConfiguration": {"Types": ["PRIVATE"]}},
        {"EndpointConfiguration": {"Types": ["REGIONAL"]}},
        "danger publicly-reachable",
    ),
    (
        "AWS::Cognito::IdentityPool",
        {"AllowUnauthenticatedIdentities": False},
        {"AllowUnauthenticatedIdentities": True},
        "danger publicly-reachable",
    ),
    (
        "AWS::ApiGateway::Method",
        {"HttpMethod": "GET", "AuthorizationType": "AWS_IAM", "ApiKeyRequired": True},
        {"HttpMethod": "GET", "AuthorizationType": "AWS_IAM"},
        "warning less-secure",
    ),
    (
        "AWS::WAFv2::WebACL",
        {"DefaultAction": {"Block": {}}},
        {"DefaultAction": {"Allow": {}}},
        "danger publicly-reachable",
    ),
    (
        "AWS::EC2::LaunchTemplate",
        {"LaunchTemplateData": {"MetadataOptions": {"HttpTokens": "required"}}},
        {"LaunchTemplateData": {"MetadataOptions": {"HttpTokens": "optional"}}},
        "warning less-secure",
    ),
    (
        "AWS::SageMaker::NotebookInstance",
        {"DirectInternetAccess": "Disabled", "RootAccess": "Disabled"},
        {"DirectInternetAccess": "Disabled"},
        "warning less-secure",
    ),
    (
        "AWS::ECS::TaskDefinition",
        {"ContainerDefinitions": [{"Name": "a"}, {"Name": "b", "Privileged": False}]},
        {"ContainerDefinitions": [{"Name": "a"}, {"Name": "b", "Privileged": True}]},
        "danger less-secure",
    ),
    (
        "AWS::Batch::JobDefinition",
        {"ContainerProperties": {"Image": "i"}},
        {"ContainerProperties": {"Image": "i", "Privileged": True}},
        "danger less-secure",
    ),
    (
        "AWS::CodeBuild::Project",
        {"Environment": {"PrivilegedMode": False}},
        {"Environment": {"PrivilegedMode": True}},
        "warning less-secure",
    ),
    ("AWS::RDS::DBCluster", {"EnableIAMDatabaseAuthentication": True}, {}, "warning less-secure"),
    (
        "AWS::DynamoDB::GlobalTable",
        {"Replicas": [{"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}]},
        {"Replicas": [{"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False}}]},
        "warning slower-recovery",
    ),
    ("AWS::KMS::Key", {}, {"Enabled": False}, "danger less-available"),
    (
        "AWS::ElasticLoadBalancingV2::Listener",
        {"Protocol": "HTTPS"},
        {"Protocol": "HTTP"},
        "danger less-secure",
    ),
    (
        "AWS::CloudFront::Distribution",
        {"DistributionConfig": {"DefaultCacheBehavior": {"ViewerProtocolPolicy": "redirect-to-https"}}},
        {"DistributionConfig": {"DefaultCacheBehavior": {"ViewerProtocolPolicy": "allow-all"}}},
        "warning less-secure",
    ),
    (
        "AWS::CloudFront::Distribution",
        {"DistributionConfig": {"CacheBehaviors": [{"ViewerProtocolPolicy": "https-only"}]}},
        {
            "DistributionConfig": {
                "CacheBehaviors": [
                    {"ViewerProtocolPolicy": "https-only"},
                    {"ViewerProtocolPolicy": "allow-all"},
                ]
            }
        },
        "warning less-secure",
    ),
    ("AWS::GuardDuty::Detector", {"Enable": True}, {"Enable": False}, "danger less-secure"),
    (
        "AWS::CloudTrail::Trail",
        {},
        {"EventSelectors": [{"ReadWriteType": "WriteOnly"}]},
        "warning less-secure",
    ),
    (
        "AWS::CloudTrail::Trail",
        {"EventSelectors": [{"DataResources": [{"Type": "AWS::S3::Object", "Values": ["arn:aws:s3"]}]}]},
        {"EventSelectors": [{"ReadWriteType": "All"}]},
        "warning less-secure",
    ),
]


def found(kind: str, base: Json | None, head: Json | None) -> list[str]:
    sides = (
        template() if properties is None else template(R=resource(kind, properties))
        for properties in (base, head)
    )
    return [
        f"{hazard.severity} {hazard.rule}"
        for hazard in hazards(*sides, environment="prod", theme="consequences")
    ]


@pytest.mark.parametrize(("kind", "strong", "weak", "worst"), SETTINGS)
def test_a_setting_that_protects_less(kind: str, strong: Json, weak: Json, worst: str) -> None:
    assert found(kind, strong, weak)[0] == worst


@pytest.mark.parametrize(("kind", "strong", "weak", "worst"), SETTINGS)
def test_a_setting_that_protects_more(kind: str, strong: Json, weak: Json, worst: str) -> None:
    assert worst not in found(kind, weak, strong)


@pytest.mark.parametrize(("kind", "strong", "weak", "worst"), SETTINGS)
def test_a_new_secure_resource_is_silent(kind: str, strong: Json, weak: Json, worst: str) -> None:
    opens = {"danger publicly-reachable", "warning publicly-reachable", "warning less-secure"}
    assert not opens & set(found(kind, None, strong))


@pytest.mark.parametrize(
    ("kind", "properties", "says"),
    [
        ("AWS::S3::Bucket", {"PublicAccessBlockConfiguration": OPEN}, "warning less-secure"),
        ("AWS::S3::Bucket", {"AccessControl": "PublicReadWrite"}, "danger publicly-reachable"),
        ("AWS::EC2::Subnet", {"MapPublicIpOnLaunch": True}, "notice less-secure"),
        ("AWS::Lambda::Url", {"AuthType": "NONE"}, "danger publicly-reachable"),
        ("AWS::ApiGateway::Method", {"HttpMethod": "GET"}, "danger publicly-reachable"),
        ("AWS::ElasticLoadBalancingV2::LoadBalancer", {}, "warning publicly-reachable"),
        (
            "AWS::EC2::VPCEndpointServicePermissions",
            {"AllowedPrincipals": ["*"]},
            "danger publicly-reachable",
        ),
        (
            "AWS::Cognito::IdentityPool",
            {"AllowUnauthenticatedIdentities": True},
            "danger publicly-reachable",
        ),
    ],
)
def test_a_new_resource_that_lets_anybody_in(kind: str, properties: Json, says: str) -> None:
    assert says in found(kind, None, properties)


def test_a_preflight_asks_nobody() -> None:
    method = {"HttpMethod": "OPTIONS", "AuthorizationType": "NONE"}
    assert "danger publicly-reachable" not in found("AWS::ApiGateway::Method", None, method)


def test_both_branches_of_a_choice_count() -> None:
    choice = {"EnableKeyRotation": {"Fn::If": ["Prod", True, False]}}
    assert found("AWS::KMS::Key", {"EnableKeyRotation": True}, choice) == ["warning less-secure"]


def test_what_the_deployment_decides_is_not_known() -> None:
    unknown = {"RetentionInDays": {"Ref": "Days"}}
    base, head = (
        template(R=resource("AWS::Logs::LogGroup", side)) for side in ({"RetentionInDays": 30}, unknown)
    )
    environment = pair(base, head)
    assert environment.consequences.unknown == {("app-stack", "R"): ("RetentionInDays",)}


def test_what_several_properties_lead_to_is_told_once() -> None:
    sides = (
        template(R=resource("AWS::S3::Bucket", {"PublicAccessBlockConfiguration": flags}))
        for flags in (BLOCKED, OPEN)
    )
    (hazard,) = hazards(*sides, theme="consequences")
    assert hazard.cause.count("true → false") == 4


def test_a_job_of_a_state_machine_reaches_more() -> None:
    def machine(request: Json) -> dict[str, Any]:
        task = {"Type": "Task", "Parameters": {"TrainingJobDefinition": request}, "End": True}
        return template(
            M=resource(
                "AWS::StepFunctions::StateMachine",
                {"Definition": {"StartAt": "Tune", "States": {"Tune": task}}},
            )
        )

    vpc = {"VpcConfig": {"Subnets": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}}
    isolated, open_ = ({"EnableNetworkIsolation": flag, **vpc} for flag in (True, False))
    assert [hazard.cause for hazard in hazards(machine(isolated), machine(open_), theme="consequences")] == [
        "step Tune: TrainingJobDefinition.EnableNetworkIsolation true → false"
    ]
    (outside,) = hazards(machine(isolated), machine({"EnableNetworkIsolation": True}), theme="consequences")
    assert outside.consequence.startswith("The job runs outside of the VPC")

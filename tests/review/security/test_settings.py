from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.review.model import SecurityChange
from sizewell.review.security import compare_security
from tests.review.builders import pair, resource, template

Json = Mapping[str, Any]
BLOCKED = dict.fromkeys(
    ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"), True
)
OPEN = dict.fromkeys(BLOCKED, False)

#: What a rule is called that is lost, and when it is gained.
GAINED = {
    "public-access-block-lost": "public-access-block-gained",
    "public-access-opened": "public-access-closed",
    "authorization-lost": "authorization-gained",
    "logging-lost": "logging-gained",
    "log-retention-shortened": "log-retention-lengthened",
    "deletion-protection-lost": "deletion-protection-gained",
    "versioning-suspended": "versioning-enabled",
    "key-rotation-lost": "key-rotation-gained",
    "isolation-lost": "isolation-gained",
    "metadata-tokens-optional": "metadata-tokens-required",
    "root-access-given": "root-access-taken",
    "key-disabled": "key-enabled",
    "tls-enforcement-lost": "tls-enforcement-gained",
}
#: Type, strong, weak, rule when lost.
SETTINGS: list[tuple[str, Json, Json, str]] = [
    ("AWS::S3::Bucket", {"PublicAccessBlockConfiguration": BLOCKED}, {}, "public-access-block-lost"),
    (
        "AWS::S3::Bucket",
        {"PublicAccessBlockConfiguration": BLOCKED},
        {"PublicAccessBlockConfiguration": {**BLOCKED, "BlockPublicPolicy": False}},
        "public-access-block-lost",
    ),
    ("AWS::S3::Bucket", {}, {"AccessControl": "PublicRead"}, "public-access-opened"),
    (
        "AWS::EC2::Subnet",
        {"MapPublicIpOnLaunch": False},
        {"MapPublicIpOnLaunch": True},
        "public-access-opened",
    ),
    (
        "AWS::RDS::DBInstance",
        {"PubliclyAccessible": "false"},
        {"PubliclyAccessible": "true"},
        "public-access-opened",
    ),
    ("AWS::Lambda::Url", {"AuthType": "AWS_IAM"}, {"AuthType": "NONE"}, "authorization-lost"),
    (
        "AWS::ApiGateway::Method",
        {"HttpMethod": "GET", "AuthorizationType": "AWS_IAM"},
        {"HttpMethod": "GET", "AuthorizationType": "NONE"},
        "authorization-lost",
    ),
    ("AWS::ApiGatewayV2::Route", {"AuthorizationType": "JWT"}, {}, "authorization-lost"),
    ("AWS::ElasticLoadBalancingV2::LoadBalancer", {"Scheme": "internal"}, {}, "public-access-opened"),
    (
        "AWS::EKS::Cluster",
        {"ResourcesVpcConfig": {"EndpointPublicAccess": False}},
        {"ResourcesVpcConfig": {}},
        "public-access-opened",
    ),
    ("AWS::S3::Bucket", {"LoggingConfiguration": {"LogFilePrefix": "a"}}, {}, "logging-lost"),
    (
        "AWS::StepFunctions::StateMachine",
        {"LoggingConfiguration": {"Level": "ALL"}},
        {"LoggingConfiguration": {"Level": "ERROR"}},
        "logging-lost",
    ),
    ("AWS::Logs::LogGroup", {"RetentionInDays": 365}, {"RetentionInDays": "30"}, "log-retention-shortened"),
    ("AWS::Logs::LogGroup", {}, {"RetentionInDays": 3653}, "log-retention-shortened"),
    ("AWS::CloudTrail::Trail", {"IsLogging": True}, {"IsLogging": False}, "logging-lost"),
    ("AWS::RDS::DBCluster", {"DeletionProtection": True}, {}, "deletion-protection-lost"),
    ("AWS::DynamoDB::Table", {"DeletionProtectionEnabled": True}, {}, "deletion-protection-lost"),
    (
        "AWS::EC2::Instance",
        {"DisableApiTermination": True},
        {"DisableApiTermination": False},
        "deletion-protection-lost",
    ),
    (
        "AWS::S3::Bucket",
        {"VersioningConfiguration": {"Status": "Enabled"}},
        {"VersioningConfiguration": {"Status": "Suspended"}},
        "versioning-suspended",
    ),
    (
        "AWS::ElasticLoadBalancingV2::LoadBalancer",
        {
            "Scheme": "internal",
            "LoadBalancerAttributes": [{"Key": "deletion_protection.enabled", "Value": "true"}],
        },
        {"Scheme": "internal"},
        "deletion-protection-lost",
    ),
    ("AWS::KMS::Key", {"EnableKeyRotation": True}, {}, "key-rotation-lost"),
    ("AWS::SageMaker::Model", {"EnableNetworkIsolation": True}, {}, "isolation-lost"),
    ("AWS::SageMaker::Model", {"VpcConfig": {"Subnets": ["s"]}}, {}, "isolation-lost"),
    ("AWS::SageMaker::TrainingJob", {"EnableNetworkIsolation": True}, {}, "isolation-lost"),
    ("AWS::SageMaker::TrainingJob", {"VpcConfig": {"Subnets": ["s"]}}, {}, "isolation-lost"),
    (
        "AWS::Lambda::Function",
        {"VpcConfig": {"SubnetIds": {"Ref": "S"}}},
        {"VpcConfig": {"SubnetIds": []}},
        "isolation-lost",
    ),
    (
        "AWS::EKS::Cluster",
        {"ResourcesVpcConfig": {"EndpointPublicAccess": False, "PublicAccessCidrs": ["198.51.100.0/24"]}},
        {"ResourcesVpcConfig": {"EndpointPublicAccess": False, "PublicAccessCidrs": ["0.0.0.0/1"]}},
        "public-access-opened",
    ),
    (
        "AWS::EC2::Instance",
        {"NetworkInterfaces": [{"DeviceIndex": "0", "AssociatePublicIpAddress": False}]},
        {"NetworkInterfaces": [{"DeviceIndex": "0", "AssociatePublicIpAddress": True}]},
        "public-access-opened",
    ),
    (
        "AWS::EC2::LaunchTemplate",
        {"LaunchTemplateData": {"NetworkInterfaces": [{"DeviceIndex": 0}]}},
        {"LaunchTemplateData": {"NetworkInterfaces": [{"AssociatePublicIpAddress": "true"}]}},
        "public-access-opened",
    ),
    (
        "AWS::EC2::VPCEndpointServicePermissions",
        {"AllowedPrincipals": ["arn:aws:iam::111122223333:root"]},
        {"AllowedPrincipals": ["arn:aws:iam::111122223333:root", "*"]},
        "public-access-opened",
    ),
    (
        "AWS::ApiGateway::RestApi",
        {"EndpointConfiguration": {"Types": ["PRIVATE"]}},
        {"EndpointConfiguration": {"Types": ["REGIONAL"]}},
        "public-access-opened",
    ),
    (
        "AWS::Cognito::IdentityPool",
        {"AllowUnauthenticatedIdentities": False},
        {"AllowUnauthenticatedIdentities": True},
        "authorization-lost",
    ),
    (
        "AWS::ApiGateway::Method",
        {"HttpMethod": "GET", "AuthorizationType": "AWS_IAM", "ApiKeyRequired": True},
        {"HttpMethod": "GET", "AuthorizationType": "AWS_IAM"},
        "authorization-lost",
    ),
    (
        "AWS::WAFv2::WebACL",
        {"DefaultAction": {"Block": {}}},
        {"DefaultAction": {"Allow": {}}},
        "public-access-opened",
    ),
    (
        "AWS::EC2::LaunchTemplate",
        {"LaunchTemplateData": {"MetadataOptions": {"HttpTokens": "required"}}},
        {"LaunchTemplateData": {"MetadataOptions": {"HttpTokens": "optional"}}},
        "metadata-tokens-optional",
    ),
    (
        "AWS::SageMaker::NotebookInstance",
        {"DirectInternetAccess": "Disabled", "RootAccess": "Disabled"},
        {"DirectInternetAccess": "Disabled"},
        "root-access-given",
    ),
    (
        "AWS::ECS::TaskDefinition",
        {"ContainerDefinitions": [{"Name": "a"}, {"Name": "b", "Privileged": False}]},
        {"ContainerDefinitions": [{"Name": "a"}, {"Name": "b", "Privileged": True}]},
        "root-access-given",
    ),
    (
        "AWS::Batch::JobDefinition",
        {"ContainerProperties": {"Image": "i"}},
        {"ContainerProperties": {"Image": "i", "Privileged": True}},
        "root-access-given",
    ),
    (
        "AWS::CodeBuild::Project",
        {"Environment": {"PrivilegedMode": False}},
        {"Environment": {"PrivilegedMode": True}},
        "root-access-given",
    ),
    ("AWS::RDS::DBCluster", {"EnableIAMDatabaseAuthentication": True}, {}, "authorization-lost"),
    (
        "AWS::DynamoDB::GlobalTable",
        {"Replicas": [{"Region": "a", "DeletionProtectionEnabled": True}]},
        {"Replicas": [{"Region": "a", "DeletionProtectionEnabled": True}, {"Region": "b"}]},
        "deletion-protection-lost",
    ),
    (
        "AWS::DynamoDB::GlobalTable",
        {"Replicas": [{"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}]},
        {"Replicas": [{"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False}}]},
        "versioning-suspended",
    ),
    ("AWS::KMS::Key", {}, {"Enabled": False}, "key-disabled"),
    (
        "AWS::ElasticLoadBalancingV2::Listener",
        {"Protocol": "HTTPS"},
        {"Protocol": "HTTP"},
        "tls-enforcement-lost",
    ),
    (
        "AWS::CloudFront::Distribution",
        {"DistributionConfig": {"DefaultCacheBehavior": {"ViewerProtocolPolicy": "redirect-to-https"}}},
        {"DistributionConfig": {"DefaultCacheBehavior": {"ViewerProtocolPolicy": "allow-all"}}},
        "tls-enforcement-lost",
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
        "tls-enforcement-lost",
    ),
    ("AWS::GuardDuty::Detector", {"Enable": True}, {"Enable": False}, "logging-lost"),
    ("AWS::CloudTrail::Trail", {}, {"EventSelectors": [{"ReadWriteType": "WriteOnly"}]}, "logging-lost"),
    (
        "AWS::CloudTrail::Trail",
        {"EventSelectors": [{"DataResources": [{"Type": "AWS::S3::Object", "Values": ["arn:aws:s3"]}]}]},
        {"EventSelectors": [{"ReadWriteType": "All"}]},
        "logging-lost",
    ),
]


def changes(base: Json | None, head: Json | None, kind: str) -> tuple[SecurityChange, ...]:
    def one(properties: Json | None) -> dict[str, Any]:
        return template() if properties is None else template(R=resource(kind, properties))

    return compare_security(pair(one(base), one(head))).others


def rules(base: Json | None, head: Json | None, kind: str) -> list[tuple[str, str]]:
    return [(c.rule, c.direction) for c in changes(base, head, kind)]


@pytest.mark.parametrize(("kind", "strong", "weak", "lost"), SETTINGS)
def test_a_setting_that_protects_less_is_weaker(kind: str, strong: Json, weak: Json, lost: str) -> None:
    assert rules(strong, weak, kind) == [(lost, "weaker")]
    assert rules(weak, strong, kind) == [(GAINED[lost], "stronger")]
    assert rules(strong, {**strong, "Description": "new"}, kind) == []
    assert rules(weak, {**weak, "Description": "new"}, kind) == []


@pytest.mark.parametrize(("kind", "strong", "weak", "lost"), SETTINGS)
def test_a_removed_resource_and_a_new_secure_one_are_silent(
    kind: str, strong: Json, weak: Json, lost: str
) -> None:
    if kind not in ("AWS::CloudTrail::Trail", "AWS::GuardDuty::Detector"):
        assert rules(weak, None, kind) == []
        assert rules(strong, None, kind) == []
    new = {**strong, "StorageEncrypted": True} if "RDS" in kind else strong
    assert rules(None, new, kind) == []


@pytest.mark.parametrize(
    ("kind", "properties", "rule"),
    [
        ("AWS::S3::Bucket", {"PublicAccessBlockConfiguration": OPEN}, "public-access-block-lost"),
        ("AWS::S3::Bucket", {"AccessControl": "PublicReadWrite"}, "public-access-opened"),
        ("AWS::EC2::Subnet", {"MapPublicIpOnLaunch": True}, "public-access-opened"),
        ("AWS::Lambda::Url", {"AuthType": "NONE"}, "authorization-lost"),
        ("AWS::ElasticLoadBalancingV2::LoadBalancer", {}, "public-access-opened"),
        (
            "AWS::EC2::VPCEndpointServicePermissions",
            {"AllowedPrincipals": ["*"]},
            "public-access-opened",
        ),
        ("AWS::Cognito::IdentityPool", {"AllowUnauthenticatedIdentities": True}, "authorization-lost"),
    ],
)
def test_a_new_resource_that_lets_anybody_in_is_weaker(kind: str, properties: Json, rule: str) -> None:
    (change,) = changes(None, properties, kind)
    assert (change.rule, change.direction, change.base) == (rule, "weaker", "no such resource")


def test_a_preflight_asks_nobody() -> None:
    properties = {"HttpMethod": "OPTIONS", "AuthorizationType": "NONE"}
    assert rules(None, properties, "AWS::ApiGateway::Method") == []
    assert rules(None, {**properties, "HttpMethod": "GET"}, "AWS::ApiGateway::Method") == [
        ("authorization-lost", "weaker")
    ]


def test_both_branches_of_a_choice_count() -> None:
    choice = {"EnableKeyRotation": {"Fn::If": ["Prod", True, False]}}
    assert rules({"EnableKeyRotation": True}, choice, "AWS::KMS::Key") == [("key-rotation-lost", "weaker")]


def test_what_is_decided_at_deployment_is_neither_weaker_nor_stronger() -> None:
    unknown = {"RetentionInDays": {"Ref": "Days"}}
    assert rules({"RetentionInDays": 30}, unknown, "AWS::Logs::LogGroup") == [
        ("log-retention-shortened", "neutral")
    ]
    assert rules(unknown, {"RetentionInDays": {"Ref": "Other"}}, "AWS::Logs::LogGroup") == []


def test_another_type_under_the_same_id_is_another_resource() -> None:
    base = template(R=resource("AWS::KMS::Key", {"EnableKeyRotation": True}))
    head = template(R=resource("AWS::S3::Bucket"))
    assert compare_security(pair(base, head)).others == ()


def test_both_sides_are_shown() -> None:
    (change,) = changes({"RetentionInDays": 365}, {"RetentionInDays": 30}, "AWS::Logs::LogGroup")
    assert (change.base, change.head) == ("RetentionInDays: 365", "RetentionInDays: 30")

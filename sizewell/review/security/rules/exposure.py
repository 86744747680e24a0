"""What lets the internet in, as settings of resources."""

from collections.abc import Mapping
from typing import Any

from sizewell.review.security.rules.settings import (
    Setting,
    choice,
    not_open_to_all,
    public_access_block,
    switch,
    weakest,
)
from sizewell.templates.iam.conditions import is_everywhere
from sizewell.templates.values import is_intrinsic


def _reach(why_lost: str, why_gained: str) -> tuple[str, str, str, str]:
    return "public-access-opened", "public-access-closed", why_lost, why_gained


def _authorization(why_lost: str, why_gained: str) -> tuple[str, str, str, str]:
    return "authorization-lost", "authorization-gained", why_lost, why_gained


_REACHED = "Everybody on the internet who knows the address can try to connect."
_UNREACHED = "Nobody can reach it from the internet any more."
_ADDRESS = _reach("Instances get a public address.", "Instances get no public address.")
_IAM_AUTHENTICATION = _authorization(
    "Passwords give access, and they live longer than IAM credentials.",
    "IAM credentials give access, and they expire.",
)

#: https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#canned-acl
_ACL_LEVELS = {
    "PublicReadWrite": 0,
    "PublicRead": 1,
    "AuthenticatedRead": 1,
    "BucketOwnerRead": 2,
    "BucketOwnerFullControl": 2,
    "AwsExecRead": 2,
    "LogDeliveryWrite": 2,
    "Private": 2,
}


def _public_endpoint(value: Any) -> float | None:
    return 0.0 if value is None else switch(None, safe=False)(value)


def _default_action(value: Any) -> float | None:
    if not isinstance(value, Mapping) or is_intrinsic(value):
        return None
    return 1.0 if "Block" in value else 0.0 if "Allow" in value else None


EXPOSURE = (
    Setting(
        ("AWS::S3::Bucket", "AWS::S3::AccessPoint"),
        "PublicAccessBlockConfiguration",
        public_access_block,
        "public-access-block-lost",
        "public-access-block-gained",
        "A policy or an ACL can make it public, because no block prevents it any more.",
        "Policies and ACLs can no longer make it public.",
        weak_when_new=3.5,
    ),
    Setting(
        ("AWS::S3::Bucket",),
        "AccessControl",
        choice(_ACL_LEVELS, missing=2),
        *_reach(
            "The access control list gives access to principals that no policy names.",
            "The access control list gives access to fewer principals.",
        ),
        weak_when_new=2,
    ),
    Setting(
        ("AWS::EC2::Subnet",),
        "MapPublicIpOnLaunch",
        switch(1, safe=False),
        *_reach(
            "Instances in this subnet get a public address.",
            "Instances in this subnet get no public address.",
        ),
        weak_when_new=1,
    ),
    Setting(
        (
            "AWS::RDS::DBInstance",
            "AWS::RDS::DBCluster",
            "AWS::Redshift::Cluster",
            "AWS::RedshiftServerless::Workgroup",
            "AWS::DMS::ReplicationInstance",
            "AWS::AmazonMQ::Broker",
        ),
        "PubliclyAccessible",
        switch(1, safe=False),
        *_reach(_REACHED, _UNREACHED),
        weak_when_new=1,
    ),
    Setting(
        ("AWS::Lambda::Url",),
        "AuthType",
        choice({"NONE": 0, "AWS_IAM": 1}, missing=None),
        *_authorization(
            "The function answers everybody who knows its address.", "Callers must sign their requests."
        ),
        weak_when_new=1,
    ),
    Setting(
        ("AWS::ApiGatewayV2::Route", "AWS::ApiGateway::Method"),
        "AuthorizationType",
        choice({"NONE": 0, "AWS_IAM": 1, "CUSTOM": 1, "JWT": 1, "COGNITO_USER_POOLS": 1}, missing=0),
        *_authorization("The API does not authorize its callers.", "The API authorizes its callers."),
        weak_when_new=1,
    ),
    Setting(
        ("AWS::ElasticLoadBalancingV2::LoadBalancer", "AWS::ElasticLoadBalancing::LoadBalancer"),
        "Scheme",
        choice({"internet-facing": 0, "internal": 1}, missing=0),
        *_reach("The load balancer has public addresses.", "The load balancer has private addresses only."),
        weak_when_new=1,
    ),
    Setting(
        ("AWS::EKS::Cluster",),
        "ResourcesVpcConfig.EndpointPublicAccess",
        _public_endpoint,
        *_reach("The internet can reach the API of the cluster.", _UNREACHED),
        weak_when_new=1,
    ),
    Setting(
        ("AWS::ECS::Service",),
        "NetworkConfiguration.AwsvpcConfiguration.AssignPublicIp",
        choice({"ENABLED": 0, "DISABLED": 1}, missing=1),
        *_reach("Every task gets a public address.", "Tasks get no public address."),
        weak_when_new=1,
    ),
    Setting(
        ("AWS::SageMaker::NotebookInstance",),
        "DirectInternetAccess",
        choice({"Enabled": 0, "Disabled": 1}, missing=0),
        *_reach(
            "The notebook reaches the internet outside of the VPC, and can send data out.",
            "The notebook reaches only what its VPC reaches.",
        ),
        weak_when_new=1,
    ),
    Setting(
        ("AWS::SageMaker::Domain",),
        "AppNetworkAccessType",
        choice({"PublicInternetOnly": 0, "VpcOnly": 1}, missing=0),
        *_reach(
            "Studio reaches the internet outside of the VPC, and can send data out.",
            "Studio reaches only what its VPC reaches.",
        ),
        weak_when_new=1,
    ),
    Setting(
        ("AWS::EKS::Cluster",),
        "ResourcesVpcConfig.PublicAccessCidrs",
        not_open_to_all(is_everywhere, missing=0),
        *_reach(
            "Every address may try to connect to the API of the cluster.",
            "Only some addresses may connect to the API of the cluster.",
        ),
    ),
    Setting(
        ("AWS::EC2::Instance",),
        "NetworkInterfaces",
        weakest(switch(1, safe=False), "AssociatePublicIpAddress", missing=1),
        *_ADDRESS,
    ),
    Setting(
        ("AWS::EC2::LaunchTemplate",),
        "LaunchTemplateData.NetworkInterfaces",
        weakest(switch(1, safe=False), "AssociatePublicIpAddress", missing=1),
        *_ADDRESS,
    ),
    Setting(
        ("AWS::AutoScaling::LaunchConfiguration",),
        "AssociatePublicIpAddress",
        switch(1, safe=False),
        *_ADDRESS,
    ),
    Setting(
        ("AWS::EC2::VPCEndpointServicePermissions",),
        "AllowedPrincipals",
        not_open_to_all("*".__eq__, missing=1),
        *_reach(
            "Every AWS account may connect to the service.", "Only some accounts may connect to the service."
        ),
        weak_when_new=1,
    ),
    Setting(
        ("AWS::ApiGateway::RestApi",),
        "EndpointConfiguration.Types",
        not_open_to_all("PRIVATE".__ne__, missing=0),
        *_reach(_REACHED, _UNREACHED),
    ),
    Setting(
        ("AWS::WAFv2::WebACL",),
        "DefaultAction",
        _default_action,
        *_reach(
            "The web ACL allows requests that match no rule.",
            "The web ACL blocks requests that match no rule.",
        ),
    ),
    Setting(
        ("AWS::Cognito::IdentityPool",),
        "AllowUnauthenticatedIdentities",
        switch(None, safe=False),
        *_authorization(
            "Everybody who knows the pool gets credentials without signing in.",
            "Only users who sign in get credentials.",
        ),
        weak_when_new=1,
    ),
    Setting(
        ("AWS::ApiGatewayV2::Route", "AWS::ApiGateway::Method"),
        "ApiKeyRequired",
        switch(0),
        *_authorization("Callers need no key, and no usage plan limits them.", "Callers need a key."),
    ),
    Setting(
        ("AWS::RDS::DBInstance", "AWS::RDS::DBCluster"),
        "EnableIAMDatabaseAuthentication",
        switch(0),
        *_IAM_AUTHENTICATION,
    ),
    Setting(("AWS::Neptune::DBCluster",), "IamAuthEnabled", switch(0), *_IAM_AUTHENTICATION),
)

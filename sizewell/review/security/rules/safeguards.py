"""Safeguards against loss and misuse, as settings of resources."""

from sizewell.review.security.rules.settings import Setting, attribute, choice, switch, weakest

_DELETION = (
    "deletion-protection-lost",
    "deletion-protection-gained",
    "A mistake can delete it, because no protection refuses that any more.",
    "AWS refuses to delete it until the protection is turned off.",
)
_VERSIONS = (
    "versioning-suspended",
    "versioning-enabled",
    "Data that are overwritten or deleted from now on cannot be restored.",
    "Data that are overwritten or deleted can be restored.",
)
_TOKENS = (
    "metadata-tokens-optional",
    "metadata-tokens-required",
    "A forged request inside the instance can read its credentials (IMDSv1).",
    "The instance gives its credentials only for a token (IMDSv2).",
)
_ROOT = (
    "root-access-given",
    "root-access-taken",
    "Code in it can take over the host, and bypass the configuration of the host.",
    "Code in it cannot take over the host.",
)
_TLS = (
    "tls-enforcement-lost",
    "tls-enforcement-gained",
    "Requests without TLS are accepted, and others can read them.",
    "Requests without TLS are refused.",
)
#: https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_DefaultCacheBehavior.html
_VIEWER_PROTOCOLS = {"allow-all": 0, "redirect-to-https": 1, "https-only": 1}

SAFEGUARDS = (
    Setting(
        (
            "AWS::RDS::DBInstance",
            "AWS::RDS::DBCluster",
            "AWS::RDS::GlobalCluster",
            "AWS::DocDB::DBCluster",
            "AWS::Neptune::DBCluster",
            "AWS::QLDB::Ledger",
        ),
        "DeletionProtection",
        switch(0),
        *_DELETION,
    ),
    Setting(
        ("AWS::DynamoDB::Table", "AWS::Kinesis::Stream"), "DeletionProtectionEnabled", switch(0), *_DELETION
    ),
    Setting(
        ("AWS::Cognito::UserPool",),
        "DeletionProtection",
        choice({"INACTIVE": 0, "ACTIVE": 1}, missing=0),
        *_DELETION,
    ),
    Setting(
        ("AWS::ElasticLoadBalancingV2::LoadBalancer",),
        "LoadBalancerAttributes",
        attribute("deletion_protection.enabled"),
        *_DELETION,
    ),
    Setting(("AWS::EC2::Instance",), "DisableApiTermination", switch(0), *_DELETION),
    Setting(
        ("AWS::S3::Bucket",),
        "VersioningConfiguration.Status",
        choice({"Suspended": 0, "Enabled": 1}, missing=0),
        *_VERSIONS,
    ),
    Setting(
        ("AWS::DynamoDB::Table",),
        "PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled",
        switch(0),
        *_VERSIONS,
    ),
    Setting(
        ("AWS::S3::Bucket",),
        "ObjectLockEnabled",
        switch(0),
        "object-lock-lost",
        "object-lock-gained",
        "Objects can be deleted and overwritten before their retention ends.",
        "Objects cannot be deleted or overwritten before their retention ends.",
    ),
    Setting(
        ("AWS::ECR::Repository",),
        "ImageTagMutability",
        choice({"MUTABLE": 0, "IMMUTABLE": 1}, missing=0),
        "image-tags-mutable",
        "image-tags-immutable",
        "Somebody can move a tag to another image after a review.",
        "A tag always means the same image.",
    ),
    Setting(
        ("AWS::KMS::Key",),
        "EnableKeyRotation",
        switch(0),
        "key-rotation-lost",
        "key-rotation-gained",
        "The key material never changes.",
        "KMS renews the key material.",
    ),
    Setting(
        ("AWS::EC2::Instance",),
        "MetadataOptions.HttpTokens",
        choice({"optional": 0, "required": 1}, missing=None),
        *_TOKENS,
    ),
    Setting(
        ("AWS::EC2::LaunchTemplate",),
        "LaunchTemplateData.MetadataOptions.HttpTokens",
        choice({"optional": 0, "required": 1}, missing=None),
        *_TOKENS,
    ),
    Setting(
        ("AWS::SageMaker::NotebookInstance",),
        "InstanceMetadataServiceConfiguration.MinimumInstanceMetadataServiceVersion",
        choice({"1": 0, "2": 1}, missing=0),
        *_TOKENS,
    ),
    Setting(
        ("AWS::SageMaker::NotebookInstance",),
        "RootAccess",
        choice({"Enabled": 0, "Disabled": 1}, missing=0),
        *_ROOT,
    ),
    Setting(
        ("AWS::ECS::TaskDefinition",),
        "ContainerDefinitions",
        weakest(switch(1, safe=False), "Privileged", missing=1),
        *_ROOT,
    ),
    Setting(
        ("AWS::Batch::JobDefinition",),
        "ContainerProperties.Privileged",
        switch(1, safe=False),
        *_ROOT,
    ),
    Setting(("AWS::CodeBuild::Project",), "Environment.PrivilegedMode", switch(1, safe=False), *_ROOT),
    Setting(
        ("AWS::DynamoDB::GlobalTable",),
        "Replicas",
        weakest(switch(0), "DeletionProtectionEnabled", missing=0),
        *_DELETION,
    ),
    Setting(
        ("AWS::DynamoDB::GlobalTable",),
        "Replicas",
        weakest(switch(0), "PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled", missing=0),
        *_VERSIONS,
    ),
    Setting(
        ("AWS::KMS::Key",),
        "Enabled",
        switch(1),
        "key-disabled",
        "key-enabled",
        "Data that are encrypted with it can neither be read nor written.",
        "Data that are encrypted with it can be read and written.",
    ),
    Setting(
        ("AWS::ElasticLoadBalancingV2::Listener",),
        "Protocol",
        choice({"HTTP": 0, "TCP": 0, "HTTPS": 1, "TLS": 1}),
        *_TLS,
    ),
    Setting(
        ("AWS::CloudFront::Distribution",),
        "DistributionConfig.DefaultCacheBehavior.ViewerProtocolPolicy",
        choice(_VIEWER_PROTOCOLS),
        *_TLS,
    ),
    Setting(
        ("AWS::CloudFront::Distribution",),
        "DistributionConfig.CacheBehaviors",
        weakest(choice(_VIEWER_PROTOCOLS), "ViewerProtocolPolicy", missing=1),
        *_TLS,
    ),
    Setting(
        ("AWS::Elasticsearch::Domain", "AWS::OpenSearchService::Domain"),
        "DomainEndpointOptions.EnforceHTTPS",
        switch(0),
        *_TLS,
    ),
)

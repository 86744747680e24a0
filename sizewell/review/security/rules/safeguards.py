"""Safeguards against loss and misuse, as settings of resources."""

from sizewell.review.security.rules.settings import Setting, attribute, choice, switch, weakest

_DELETION = (
    "deletion-protection-lost",
    "deletion-protection-gained",
    "A mistake can delete it: nothing refuses any more.",
    "A deletion is refused until the protection is switched off.",
)
_VERSIONS = (
    "versioning-suspended",
    "versioning-enabled",
    "What is overwritten or deleted from now on cannot be brought back.",
    "What is overwritten or deleted can be brought back.",
)
_TOKENS = (
    "metadata-tokens-optional",
    "metadata-tokens-required",
    "A forged request inside the instance can read its credentials (IMDSv1).",
    "Credentials of the instance are given for a token only (IMDSv2).",
)
_ROOT = (
    "root-access-given",
    "root-access-taken",
    "What runs in it can take over the host, and get around what is set up there.",
    "What runs in it cannot take over the host.",
)
_TLS = (
    "tls-enforcement-lost",
    "tls-enforcement-gained",
    "Requests may come without TLS, for others to read.",
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
        "Objects can be deleted and overwritten before their time.",
        "Objects cannot be deleted or overwritten before their time.",
    ),
    Setting(
        ("AWS::ECR::Repository",),
        "ImageTagMutability",
        choice({"MUTABLE": 0, "IMMUTABLE": 1}, missing=0),
        "image-tags-mutable",
        "image-tags-immutable",
        "A tag can be pointed at another image after it was reviewed.",
        "A tag always means the same image.",
    ),
    Setting(
        ("AWS::KMS::Key",),
        "EnableKeyRotation",
        switch(0),
        "key-rotation-lost",
        "key-rotation-gained",
        "The key material stays the same for ever.",
        "The key material is renewed by itself.",
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
        "What is encrypted with it can neither be read nor written.",
        "What is encrypted with it can be read and written.",
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

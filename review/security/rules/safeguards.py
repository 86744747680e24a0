"""Safeguards against loss and misuse, as settings of resources."""

from review.security.rules.settings import Setting, attribute, choice, switch

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
        "metadata-tokens-optional",
        "metadata-tokens-required",
        "A forged request inside the instance can read its credentials (IMDSv1).",
        "Credentials of the instance are given for a token only (IMDSv2).",
    ),
    Setting(
        ("AWS::Elasticsearch::Domain", "AWS::OpenSearchService::Domain"),
        "DomainEndpointOptions.EnforceHTTPS",
        switch(0),
        "tls-enforcement-lost",
        "tls-enforcement-gained",
        "Requests may come without TLS, for others to read.",
        "Requests without TLS are refused.",
    ),
)

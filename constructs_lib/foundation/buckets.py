"""The buckets of an environment: artifacts, checkpoints, and the access logs of both."""

from dataclasses import dataclass
from typing import Any

from aws_cdk import RemovalPolicy
from aws_cdk import aws_s3 as s3
from constructs import Construct

from constructs_lib.foundation.existing import NOTHING_EXISTS, ExistingResources
from constructs_lib.policies.acknowledgements import acknowledge_all
from sizewell.facts.compliance_packs import COMPLIANCE_PACKS

_Statement = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class BucketsProps:
    """Names, key and lifetimes.

    ``checkpoint_expiry_days`` counts from when a checkpoint was written, ``noncurrent_version_expiry_days`` from when an
    artifact was replaced or deleted, ``access_log_expiry_days`` from delivery: a year, because an intrusion is often found
    months later. ``inference_data_expiry_days`` counts from when a request or an answer was written below inference/ of the
    artifact bucket, whose last version is deleted one day later; None keeps them. ``artifact_events`` lets the artifact
    bucket tell EventBridge of its objects. Of ``existing`` the buckets count: what exists is not made, and comes before the
    name here. Raises ValueError for a lifetime below one day and for a name that is used twice.
    """

    artifact_bucket_name: str
    checkpoint_bucket_name: str
    access_log_bucket_name: str
    data_key_arn: str
    checkpoint_expiry_days: int
    noncurrent_version_expiry_days: int
    removal_policy: RemovalPolicy
    access_log_expiry_days: int = 365
    inference_data_expiry_days: int | None = None
    artifact_events: bool = False
    existing: ExistingResources = NOTHING_EXISTS

    def __post_init__(self) -> None:
        """Check the names, which would fail at deployment, and the lifetimes, which could delete objects at once."""
        for name in (
            "checkpoint_expiry_days",
            "noncurrent_version_expiry_days",
            "access_log_expiry_days",
            "inference_data_expiry_days",
        ):
            if (days := getattr(self, name)) is not None and days < 1:
                raise ValueError(f"{name} must be at least 1, got {days}")
        existing = self.existing
        names = (
            existing.artifact_bucket_name or self.artifact_bucket_name,
            existing.checkpoint_bucket_name or self.checkpoint_bucket_name,
            existing.access_log_bucket_name or self.access_log_bucket_name,
        )
        if len(set(names)) < len(names):
            raise ValueError(f"three buckets need three names, got {', '.join(names)}")


class Buckets(Construct):
    """Private buckets that accept TLS only and whose objects belong to the account of the bucket.

    A bucket that still holds objects cannot be deleted: with a removal policy of DESTROY, empty it first. A bucket that
    exists already is None here; so is that of access logs where nobody needs it.
    """

    access_log_bucket: s3.CfnBucket | None = None
    artifact_bucket: s3.CfnBucket | None = None
    checkpoint_bucket: s3.CfnBucket | None = None

    def __init__(self, scope: Construct, construct_id: str, *, props: BucketsProps) -> None:
        super().__init__(scope, construct_id)
        existing = props.existing
        sources = [
            name
            for name, other in (
                (props.artifact_bucket_name, existing.artifact_bucket_name),
                (props.checkpoint_bucket_name, existing.checkpoint_bucket_name),
            )
            if other is None
        ]
        if not sources:
            return
        if existing.access_log_bucket_name is None:
            self.access_log_bucket = self._access_log_bucket(props, sources)
        if existing.artifact_bucket_name is None:
            self.artifact_bucket = self._artifact_bucket(props)
        if existing.checkpoint_bucket_name is None:
            self.checkpoint_bucket = self._checkpoint_bucket(props)

    def _artifact_bucket(self, props: BucketsProps) -> s3.CfnBucket:
        bucket = self._data_bucket(
            "ArtifactBucket",
            props.artifact_bucket_name,
            props,
            versioning=s3.CfnBucket.VersioningConfigurationProperty(status="Enabled"),
            expiry=[
                s3.CfnBucket.RuleProperty(
                    id="expire-noncurrent-versions",
                    status="Enabled",
                    noncurrent_version_expiration=s3.CfnBucket.NoncurrentVersionExpirationProperty(
                        noncurrent_days=props.noncurrent_version_expiry_days
                    ),
                    expired_object_delete_marker=True,
                ),
                *([_expire_inference_data(days)] if (days := props.inference_data_expiry_days) else []),
            ],
        )
        if props.artifact_events:
            bucket.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
                event_bridge_configuration=s3.CfnBucket.EventBridgeConfigurationProperty(
                    event_bridge_enabled=True
                )
            )
        return bucket

    def _checkpoint_bucket(self, props: BucketsProps) -> s3.CfnBucket:
        bucket = self._data_bucket(
            "CheckpointBucket",
            props.checkpoint_bucket_name,
            props,
            versioning=None,
            expiry=[_expire_objects("expire-checkpoints", props.checkpoint_expiry_days)],
        )
        acknowledge_all(
            bucket,
            [f"{pack}-S3BucketVersioningEnabled" for pack in COMPLIANCE_PACKS],
            "A checkpoint is the intermediate state of a running job and can be computed again. Old versions of files "
            "of this size would keep deleted data, at a multiple of the cost, without anybody to restore them.",
        )
        return bucket

    def _data_bucket(
        self,
        construct_id: str,
        bucket_name: str,
        props: BucketsProps,
        *,
        versioning: s3.CfnBucket.VersioningConfigurationProperty | None,
        expiry: list[s3.CfnBucket.RuleProperty],
    ) -> s3.CfnBucket:
        log_bucket = self.access_log_bucket
        bucket = self._bucket(
            construct_id,
            bucket_name,
            props.removal_policy,
            encryption=s3.CfnBucket.ServerSideEncryptionRuleProperty(
                server_side_encryption_by_default=s3.CfnBucket.ServerSideEncryptionByDefaultProperty(
                    sse_algorithm="aws:kms", kms_master_key_id=props.data_key_arn
                ),
                # One KMS request for many objects: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-key.html
                bucket_key_enabled=True,
            ),
            versioning=versioning,
            expiry=expiry,
            logging=s3.CfnBucket.LoggingConfigurationProperty(
                destination_bucket_name=log_bucket.ref
                if log_bucket
                else props.existing.access_log_bucket_name,
                log_file_prefix=f"{bucket_name}/",
            ),
        )
        self._policy(f"{construct_id}Policy", bucket, [_tls_only(bucket)])
        acknowledge_all(
            bucket,
            [f"{pack}-S3BucketReplicationEnabled" for pack in COMPLIANCE_PACKS],
            "S3 keeps every object in at least three availability zones. A second region would hold models and data "
            "where no workload of this environment runs; what is in here can be trained or uploaded again.",
        )
        return bucket

    def _access_log_bucket(self, props: BucketsProps, sources: list[str]) -> s3.CfnBucket:
        bucket = self._bucket(
            "AccessLogBucket",
            props.access_log_bucket_name,
            props.removal_policy,
            encryption=s3.CfnBucket.ServerSideEncryptionRuleProperty(
                server_side_encryption_by_default=s3.CfnBucket.ServerSideEncryptionByDefaultProperty(
                    sse_algorithm="AES256"
                )
            ),
            versioning=None,
            expiry=[_expire_objects("expire-access-logs", props.access_log_expiry_days)],
            logging=None,
        )
        self._policy(
            "AccessLogBucketPolicy",
            bucket,
            [
                _tls_only(bucket),
                *(_log_delivery(bucket, source) for source in sources),
            ],
        )
        acknowledge_all(
            bucket,
            [f"{pack}-S3DefaultEncryptionKMS" for pack in COMPLIANCE_PACKS],
            "S3 delivers server access logs only to buckets whose default encryption is SSE-S3; with a KMS key nothing "
            "would be logged. The logs hold names of requesters and objects, not the data.",
        )
        acknowledge_all(
            bucket,
            [f"{pack}-S3BucketReplicationEnabled" for pack in COMPLIANCE_PACKS]
            + [f"{pack}-S3BucketVersioningEnabled" for pack in COMPLIANCE_PACKS],
            "S3 itself writes each log file once, under a new name, and no other principal is given write access by "
            "the bucket policy; S3 keeps every file in at least three availability zones until it expires.",
        )
        return bucket

    def _bucket(
        self,
        construct_id: str,
        bucket_name: str,
        removal_policy: RemovalPolicy,
        *,
        encryption: s3.CfnBucket.ServerSideEncryptionRuleProperty,
        versioning: s3.CfnBucket.VersioningConfigurationProperty | None,
        expiry: list[s3.CfnBucket.RuleProperty],
        logging: s3.CfnBucket.LoggingConfigurationProperty | None,
    ) -> s3.CfnBucket:
        bucket = s3.CfnBucket(
            self,
            construct_id,
            bucket_name=bucket_name,
            bucket_encryption=s3.CfnBucket.BucketEncryptionProperty(
                server_side_encryption_configuration=[encryption]
            ),
            public_access_block_configuration=s3.CfnBucket.PublicAccessBlockConfigurationProperty(
                block_public_acls=True,
                block_public_policy=True,
                ignore_public_acls=True,
                restrict_public_buckets=True,
            ),
            ownership_controls=s3.CfnBucket.OwnershipControlsProperty(
                rules=[
                    s3.CfnBucket.OwnershipControlsRuleProperty(object_ownership="BucketOwnerEnforced"),
                ]
            ),
            versioning_configuration=versioning,
            lifecycle_configuration=s3.CfnBucket.LifecycleConfigurationProperty(
                rules=[_ABORT_UPLOADS, *expiry]
            ),
            logging_configuration=logging,
        )
        bucket.apply_removal_policy(removal_policy)
        return bucket

    def _policy(self, construct_id: str, bucket: s3.CfnBucket, statements: list[_Statement]) -> None:
        s3.CfnBucketPolicy(
            self,
            construct_id,
            bucket=bucket.ref,
            policy_document={"Version": "2012-10-17", "Statement": statements},
        )


_ABORT_UPLOADS = s3.CfnBucket.RuleProperty(
    id="abort-incomplete-uploads",
    status="Enabled",
    abort_incomplete_multipart_upload=s3.CfnBucket.AbortIncompleteMultipartUploadProperty(
        days_after_initiation=7
    ),
)


def _expire_objects(rule_id: str, days: int) -> s3.CfnBucket.RuleProperty:
    return s3.CfnBucket.RuleProperty(id=rule_id, status="Enabled", expiration_in_days=days)


def _expire_inference_data(days: int) -> s3.CfnBucket.RuleProperty:
    # An object that expires in a versioned bucket stays as a noncurrent version. S3 takes one day as the shortest time for
    # those, and of two rules for one object it follows the shorter:
    # https://docs.aws.amazon.com/AmazonS3/latest/API/API_NoncurrentVersionExpiration.html
    # https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-conflicts.html
    return s3.CfnBucket.RuleProperty(
        id="expire-inference-data",
        status="Enabled",
        prefix="inference/",
        expiration_in_days=days,
        noncurrent_version_expiration=s3.CfnBucket.NoncurrentVersionExpirationProperty(noncurrent_days=1),
    )


def _tls_only(bucket: s3.CfnBucket) -> _Statement:
    return {
        "Sid": "TlsOnly",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [bucket.attr_arn, f"{bucket.attr_arn}/*"],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }


def _log_delivery(log_bucket: s3.CfnBucket, source_bucket_name: str) -> _Statement:
    # https://docs.aws.amazon.com/AmazonS3/latest/userguide/enable-server-access-logging.html
    return {
        "Effect": "Allow",
        "Principal": {"Service": "logging.s3.amazonaws.com"},
        "Action": "s3:PutObject",
        "Resource": f"{log_bucket.attr_arn}/{source_bucket_name}/*",
        "Condition": {
            "ArnLike": {"aws:SourceArn": {"Fn::Sub": f"arn:${{AWS::Partition}}:s3:::{source_bucket_name}"}},
            "StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}},
        },
    }

"""Buckets, as S3 describes them: one call for each aspect."""

import json
from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError

from tests.integration.readers.common import ClientFactory, Properties, picked, present, user_tags

NEVER_SET = {"NoSuchTagSet", "NoSuchLifecycleConfiguration", "ServerSideEncryptionConfigurationNotFoundError"}


def read_bucket(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    api = client("s3")

    def asked(call: Callable[..., dict[str, Any]]) -> dict[str, Any]:
        try:
            return call(Bucket=physical_id)
        except ClientError as error:
            if error.response["Error"]["Code"] in NEVER_SET:
                return {}
            raise

    lifecycle = [
        _lifecycle_rule(rule) for rule in asked(api.get_bucket_lifecycle_configuration).get("Rules", [])
    ]
    return present(
        BucketName=physical_id,
        BucketEncryption=_encryption(asked(api.get_bucket_encryption)),
        VersioningConfiguration=picked(asked(api.get_bucket_versioning), "Status"),
        PublicAccessBlockConfiguration=asked(api.get_public_access_block)["PublicAccessBlockConfiguration"],
        OwnershipControls=asked(api.get_bucket_ownership_controls)["OwnershipControls"],
        LifecycleConfiguration=present(Rules=lifecycle),
        LoggingConfiguration=_logging(asked(api.get_bucket_logging)),
        NotificationConfiguration=_notification(asked(api.get_bucket_notification_configuration)),
        Tags=user_tags(asked(api.get_bucket_tagging).get("TagSet", [])),
    )


def _notification(found: dict[str, Any]) -> Properties:
    # That the bucket tells EventBridge is an empty member of the answer.
    tells = "EventBridgeConfiguration" in found
    return {"EventBridgeConfiguration": {"EventBridgeEnabled": True}} if tells else {}


def _encryption(found: dict[str, Any]) -> Properties:
    rules = found.get("ServerSideEncryptionConfiguration", {}).get("Rules", [])
    return present(
        ServerSideEncryptionConfiguration=[
            present(
                ServerSideEncryptionByDefault=present(
                    SSEAlgorithm=rule["ApplyServerSideEncryptionByDefault"]["SSEAlgorithm"],
                    KMSMasterKeyID=rule["ApplyServerSideEncryptionByDefault"].get("KMSMasterKeyID"),
                ),
                # False is what a bucket without a bucket key says.
                BucketKeyEnabled=rule.get("BucketKeyEnabled") or None,
            )
            for rule in rules
        ]
    )


def _lifecycle_rule(rule: dict[str, Any]) -> Properties:
    expiration = rule.get("Expiration", {})
    return present(
        Id=rule["ID"],
        Status=rule["Status"],
        Prefix=rule.get("Filter", {}).get("Prefix"),
        ExpirationInDays=expiration.get("Days"),
        ExpiredObjectDeleteMarker=expiration.get("ExpiredObjectDeleteMarker"),
        NoncurrentVersionExpiration=rule.get("NoncurrentVersionExpiration"),
        AbortIncompleteMultipartUpload=rule.get("AbortIncompleteMultipartUpload"),
    )


def _logging(found: dict[str, Any]) -> Properties:
    enabled = found.get("LoggingEnabled", {})
    return present(
        DestinationBucketName=enabled.get("TargetBucket"), LogFilePrefix=enabled.get("TargetPrefix")
    )


def read_bucket_policy(client: ClientFactory, physical_id: str, properties: Properties) -> Properties:
    policy = client("s3").get_bucket_policy(Bucket=properties["Bucket"])["Policy"]
    return {"Bucket": properties["Bucket"], "PolicyDocument": json.loads(policy)}

"""What endpoints of every kind have in common: the rules of their names and artifacts, and the log group."""

import re
from typing import Literal

from aws_cdk import RemovalPolicy
from aws_cdk import aws_logs as logs
from constructs import Construct

from sizewell.facts.compliance_packs import COMPLIANCE_PACKS

VOLUME_KEY_FINDINGS = tuple(
    f"{pack}-SageMakerEndpointConfigurationKMSKeyConfigured" for pack in COMPLIANCE_PACKS
)

# https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateEndpoint.html
_NAME = re.compile(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}")


def check_name(label: str, name: str) -> None:
    """Raise ValueError for a name that an endpoint or a variant cannot have."""
    if len(name) > 63 or not _NAME.fullmatch(name):
        raise ValueError(f"{label} takes up to 63 letters, digits and inner hyphens, got {name!r}")


def volume_without_key(instance_type: str) -> str:
    """Return why the volumes of a type have no key of ours."""
    return (
        f"{instance_type} stores on local NVMe, which its hardware encrypts with keys that die with the "
        "instance; CreateEndpointConfig fails for such a type when a KMS key is given (API reference, KmsKeyId)."
    )


def check_artifact_key(key: str) -> None:
    """Raise ValueError for a key that is none, or that IAM reads as more than one."""
    # S3 would take * and ? in a key, but IAM reads them as wildcards: the role would reach further than the model.
    if not key or key.startswith(("/", "s3://")) or re.search(r"[*?\s$]", key):
        raise ValueError(f"artifact_key must be a plain key inside the artifact bucket, got {key!r}")


def endpoint_log_group(
    scope: Construct,
    name: str,
    *,
    of: Literal["Endpoints", "InferenceComponents"] = "Endpoints",
    operations_key_arn: str,
    log_retention_days: int,
    removal_policy: RemovalPolicy,
) -> logs.CfnLogGroup:
    """Add the log group of an endpoint or a component: SageMaker makes it itself if it is missing, without key and expiry."""
    log_group = logs.CfnLogGroup(
        scope,
        "LogGroup",
        log_group_name=f"/aws/sagemaker/{of}/{name}",
        kms_key_id=operations_key_arn,
        retention_in_days=log_retention_days,
    )
    log_group.apply_removal_policy(removal_policy)
    return log_group

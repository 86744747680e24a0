"""Requests that wait, whatever answers them: they and their answers lie in S3, and topics hear of answers and failures."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from aws_cdk import Aws

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.policies.artifact_access import artifact_arn, join, key_pattern
from constructs_lib.policies.statements import Statement, allow


@dataclass(frozen=True, kw_only=True)
class AnsweredLater:
    """Where requests and answers lie in the artifact bucket, and which topics hear of them.

    Callers put a request below ``input_prefix``; an answer is written below ``output_prefix``, encrypted with the data key, and
    the reason of a failure below ``failure_prefix``. Prefixes end with a slash. The topics hear where an answer lies, and never
    hold it. Raises ValueError.
    """

    input_prefix: str
    output_prefix: str
    failure_prefix: str
    success_topic_arn: str
    error_topic_arn: str

    def __post_init__(self) -> None:
        """Check prefixes that IAM reads otherwise than S3."""
        for label in ("input_prefix", "output_prefix", "failure_prefix"):
            prefix = getattr(self, label)
            if not re.fullmatch(r"[^/*?\s$][^*?\s$]*/", prefix):
                raise ValueError(f"{label} must be a plain prefix that ends with a slash, got {prefix!r}")

    @property
    def prefixes(self) -> tuple[str, str, str]:
        """Those of requests, of answers and of failures."""
        return self.input_prefix, self.output_prefix, self.failure_prefix


def answer_statements(later: AnsweredLater, foundation: FoundationReferences) -> list[Statement]:
    """Return what the role of a model needs to read requests, to write answers and to tell of them.

    "Prerequisites": https://docs.aws.amazon.com/sagemaker/latest/dg/async-inference-create-endpoint-prerequisites.html
    """
    bucket = foundation.artifact_bucket_name
    return [
        {
            "Sid": "ReadRequests",
            "Effect": "Allow",
            "Action": "s3:GetObject",
            "Resource": artifact_arn(bucket, later.input_prefix),
        },
        {
            "Sid": "ListRequests",
            "Effect": "Allow",
            "Action": "s3:ListBucket",
            "Resource": join("arn:", {"Ref": "AWS::Partition"}, f":s3:::{bucket}"),
            "Condition": {"StringLike": {"s3:prefix": key_pattern(later.input_prefix)}},
        },
        {
            "Sid": "WriteAnswers",
            "Effect": "Allow",
            "Action": ["s3:AbortMultipartUpload", "s3:PutObject"],
            "Resource": [
                artifact_arn(bucket, later.output_prefix),
                artifact_arn(bucket, later.failure_prefix),
            ],
        },
        {
            # Parts of a large answer are decrypted to be put together:
            # https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html#mpuAndPermissions (kms:Decrypt is above)
            "Sid": "EncryptAnswers",
            "Effect": "Allow",
            "Action": "kms:GenerateDataKey",
            "Resource": foundation.data_key_arn,
            "Condition": {"StringEquals": {"kms:ViaService": {"Fn::Sub": "s3.${AWS::Region}.amazonaws.com"}}},
        },
        {
            "Sid": "TellOfAnswers",
            "Effect": "Allow",
            "Action": "sns:Publish",
            "Resource": [later.success_topic_arn, later.error_topic_arn],
        },
        {
            # Who publishes to an encrypted topic: https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
            "Sid": "EncryptNotifications",
            "Effect": "Allow",
            "Action": ["kms:Decrypt", "kms:GenerateDataKey"],
            "Resource": foundation.operations_key_arn,
            "Condition": {
                "StringEquals": {"kms:ViaService": {"Fn::Sub": "sns.${AWS::Region}.amazonaws.com"}}
            },
        },
    ]


def caller_statements(later: AnsweredLater, foundation: FoundationReferences) -> list[Statement]:
    """Return what a caller needs who puts a request into S3, and reads the answer or the reason of a failure there.

    No listing: the names of answers are what keeps those of other callers from it. kms:Decrypt puts the parts of a large
    request together, too: https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html#mpuAndPermissions
    """
    bucket = f"arn:{Aws.PARTITION}:s3:::{foundation.artifact_bucket_name}"
    requests, *answers = (f"{bucket}/{prefix}*" for prefix in later.prefixes)
    via_s3 = {"StringEquals": {"kms:ViaService": f"s3.{Aws.REGION}.amazonaws.com"}}
    return [
        allow(("s3:PutObject",), requests),
        allow(("s3:GetObject",), answers),
        allow(("kms:Decrypt", "kms:GenerateDataKey"), foundation.data_key_arn, via_s3),
    ]


def named_by_callers(answered_by: str) -> str:
    """Return why the objects of requests and answers are named by a wildcard."""
    return f"Callers name their requests, and {answered_by} the answers, below a prefix that is this endpoint's alone."


def prefix_wildcards(
    later: AnsweredLater, foundation: FoundationReferences, answered_by: str
) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the wildcards of ``answer_statements``, and the reason for each."""
    for prefix in later.prefixes:
        yield artifact_arn(foundation.artifact_bucket_name, prefix), named_by_callers(answered_by)

"""What a role needs to read a model from the artifact bucket."""

from typing import Any

from constructs_lib.policies import Statement
from constructs_lib.references import FoundationReferences


def read_artifact_statements(foundation: FoundationReferences, artifact_key: str) -> list[Statement]:
    """Return the permissions for one object, or for every object below a prefix that ends with a slash."""
    return [
        {
            "Sid": "ReadArtifact",
            "Effect": "Allow",
            "Action": "s3:GetObject",
            "Resource": artifact_arn(foundation.artifact_bucket_name, artifact_key),
        },
        {
            "Sid": "ListArtifact",
            "Effect": "Allow",
            "Action": "s3:ListBucket",
            "Resource": join("arn:", {"Ref": "AWS::Partition"}, f":s3:::{foundation.artifact_bucket_name}"),
            "Condition": {"StringLike": {"s3:prefix": key_pattern(artifact_key)}},
        },
        {
            "Sid": "DecryptArtifact",
            "Effect": "Allow",
            "Action": "kms:Decrypt",
            "Resource": foundation.data_key_arn,
            "Condition": {"StringEquals": {"kms:ViaService": {"Fn::Sub": "s3.${AWS::Region}.amazonaws.com"}}},
        },
    ]


def artifact_wildcard(foundation: FoundationReferences, artifact_key: str) -> tuple[dict[str, Any], str]:
    """Return the wildcard of a prefix, and the reason for it."""
    return (
        artifact_arn(foundation.artifact_bucket_name, artifact_key),
        "An uncompressed model is all objects below its own prefix; their names belong to the model.",
    )


def join(*parts: str | dict[str, str]) -> dict[str, Any]:
    """Return Fn::Join, not Fn::Sub, around what may be a token: one resolves to an object, which a Sub template cannot hold."""
    return {"Fn::Join": ["", list(parts)]}


def key_pattern(artifact_key: str) -> str:
    """Match the one object, or every object below a prefix."""
    return f"{artifact_key}*" if artifact_key.endswith("/") else artifact_key


def artifact_arn(bucket_name: str, artifact_key: str) -> dict[str, Any]:
    """Return the ARN of the object or the objects."""
    return join("arn:", {"Ref": "AWS::Partition"}, f":s3:::{bucket_name}/{key_pattern(artifact_key)}")

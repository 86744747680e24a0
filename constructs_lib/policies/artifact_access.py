"""What a role needs to read models from Amazon S3."""

from collections.abc import Iterator, Sequence
from typing import Any

from constructs_lib.policies.statements import Statement, one_or_all

#: Pairs of a bucket and an object key in it, or a key prefix that ends with a slash.
Reads = Sequence[tuple[str, str]]


def read_artifact_statements(reads: Reads, key_arns: Sequence[str]) -> list[Statement]:
    """Return the permissions for objects, and for every object below a prefix; ``key_arns`` decrypt them."""
    keys_by_bucket: dict[str, list[str]] = {}
    for bucket, key in reads:
        keys_by_bucket.setdefault(bucket, []).append(key)
    statements: list[Statement] = []
    for number, (bucket, keys) in enumerate(keys_by_bucket.items(), start=1):
        # Statement ids are unique in a policy.
        of_bucket = str(number) if number > 1 else ""
        statements += (
            {
                "Sid": f"ReadArtifact{of_bucket}",
                "Effect": "Allow",
                "Action": "s3:GetObject",
                "Resource": one_or_all([artifact_arn(bucket, key) for key in keys]),
            },
            {
                "Sid": f"ListArtifact{of_bucket}",
                "Effect": "Allow",
                "Action": "s3:ListBucket",
                "Resource": join("arn:", {"Ref": "AWS::Partition"}, f":s3:::{bucket}"),
                "Condition": {"StringLike": {"s3:prefix": one_or_all([*map(key_pattern, keys)])}},
            },
        )
    statements.append(
        {
            "Sid": "DecryptArtifact",
            "Effect": "Allow",
            "Action": "kms:Decrypt",
            "Resource": one_or_all(key_arns),
            "Condition": {"StringEquals": {"kms:ViaService": {"Fn::Sub": "s3.${AWS::Region}.amazonaws.com"}}},
        }
    )
    return statements


def artifact_wildcards(reads: Reads) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the wildcard of each prefix, and the reason for it."""
    for bucket, key in reads:
        if key.endswith("/"):
            yield (
                artifact_arn(bucket, key),
                "An uncompressed model, each version of a model group, and a set of models are all objects below a prefix; "
                "their names belong to it.",
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

"""What the program of a run may touch, wherever it runs outside SageMaker: it fetches its data, and brings back what it made."""

from collections.abc import Iterable, Iterator

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.job_role import OBJECTS_REASON, StoragePrefixes
from constructs_lib.policies.statements import Statement, allow


class RunAccess:
    """``reads`` and ``output_key_prefix`` are prefixes of the artifact bucket, the other one is of the checkpoint bucket.

    ``artifact_key`` is an object of the artifact bucket, or a prefix that ends in a slash.
    """

    def __init__(
        self,
        foundation: FoundationReferences,
        *,
        reads: Iterable[str],
        output_key_prefix: str,
        checkpoint_key_prefix: str | None,
        partition: str,
        artifact_key: str | None = None,
    ) -> None:
        artifacts, checkpoints = foundation.artifact_bucket_name, []
        read = [*(f"{prefix}/" for prefix in reads), *([artifact_key] if artifact_key else [])]
        if checkpoint_key_prefix is not None:
            checkpoints.append((foundation.checkpoint_bucket_name, f"{checkpoint_key_prefix}/"))
        self._data_key_arn = foundation.data_key_arn
        self._storage = StoragePrefixes(
            [(artifacts, location) for location in read],
            [(artifacts, f"{output_key_prefix}/"), *checkpoints],
            # What the script deletes of its checkpoints is deleted there as well, as SageMaker does it.
            checkpoints,
            partition=partition,
        )

    def statements(self) -> list[Statement]:
        """Return what it may do."""
        return [
            *self._storage.statements(),
            # A multipart upload decrypts its own parts.
            allow(
                ("kms:Decrypt", "kms:GenerateDataKey"),
                self._data_key_arn,
                {"StringEquals": {"kms:ViaService": {"Fn::Sub": "s3.${AWS::Region}.amazonaws.com"}}},
            ),
        ]

    def wildcards(self) -> Iterator[tuple[str, str]]:
        """Yield the resources that cannot be named more narrowly, each with the reason."""
        return ((arn, OBJECTS_REASON) for arn in self._storage.object_arns)

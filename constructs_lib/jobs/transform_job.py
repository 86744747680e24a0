"""The props of a transform job: instances, data, filters and limits, checked before anything is built.

Limits: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTransformJob.html
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from constructs_lib.instance_storage import has_local_nvme
from constructs_lib.jobs.training_job import MAX_ATTEMPTS, check_job_name_prefix, check_key_prefix
from sizewell.facts.transform_jobs import (
    DEFAULT_INVOCATION_TIMEOUT_S,
    DEFAULT_PAYLOAD_MB,
    INVOCATION_RETRY_BOUNDS,
    INVOCATION_TIMEOUT_BOUNDS_S,
    MAX_FILTER_CHARACTERS,
    MAX_INSTANCES,
    MAX_PAYLOAD_MB,
)


class TransformJobError(ValueError):
    """A transform job that SageMaker or Step Functions would refuse."""


@dataclass(frozen=True, kw_only=True)
class TransformAttempt:
    """One attempt: the instances that one job asks for, and the requests that each gets at a time.

    ``has_local_nvme`` says that the instance stores on disks of its own; the API then refuses a volume key. None goes by the
    name of the type. ``usd_per_hour`` is what one instance costs, for the report of an execution; None is unknown.
    """

    instance_type: str
    instance_count: int = 1
    max_concurrent_transforms: int = 1
    invocation_timeout_s: int = DEFAULT_INVOCATION_TIMEOUT_S
    has_local_nvme: bool | None = None
    usd_per_hour: float | None = None

    @property
    def volume_takes_key(self) -> bool:
        """Whether the ML volume is encrypted with the data key."""
        if self.has_local_nvme is None:
            return not has_local_nvme(self.instance_type)
        return not self.has_local_nvme

    def __post_init__(self) -> None:
        _check(f"instance_count of {self.instance_type}", self.instance_count, (1, MAX_INSTANCES))
        _check("max_concurrent_transforms", self.max_concurrent_transforms, (1, MAX_PAYLOAD_MB))
        _check("invocation_timeout_s", self.invocation_timeout_s, INVOCATION_TIMEOUT_BOUNDS_S)


@dataclass(frozen=True, kw_only=True)
class TransformInput:
    """Every object of the artifact bucket under one key prefix, and how each becomes requests.

    ``split_type`` None sends a whole object as one request. ``compression_type`` Gzip lets SageMaker unpack the objects.
    """

    key_prefix: str
    content_type: str
    split_type: Literal["None", "Line", "RecordIO", "TFRecord"] = "Line"
    compression_type: Literal["None", "Gzip"] = "None"

    def __post_init__(self) -> None:
        check_key_prefix(self.key_prefix)


@dataclass(frozen=True, kw_only=True)
class TransformJobProps:
    """What is transformed, on what, and by when.

    An execution may last ``deadline_s``, with all attempts; then its job is stopped. The artifact bucket receives the results
    below ``<output_key_prefix>/<execution name>/``. ``batch_strategy`` None leaves it out, as data that is not split demands.
    ``input_filter`` and ``output_filter`` are JSONPaths of what the model sees of a row, and of what is kept of a result;
    ``join_input`` writes each result beside its row. ``accept`` None leaves the format of results to the container.
    """

    job_name_prefix: str
    attempts: tuple[TransformAttempt, ...]
    data: TransformInput
    output_key_prefix: str
    deadline_s: int
    accept: str | None = None
    batch_strategy: Literal["MultiRecord", "SingleRecord"] | None = "MultiRecord"
    max_payload_mb: int = DEFAULT_PAYLOAD_MB
    invocation_retries: int = 3
    join_input: bool = False
    input_filter: str | None = None
    output_filter: str | None = None
    job_tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_job_name_prefix(self.job_name_prefix)
        check_key_prefix(self.output_key_prefix)
        if not 1 <= len(self.attempts) <= MAX_ATTEMPTS:
            raise TransformJobError(f"1 to {MAX_ATTEMPTS} attempts are allowed, not {len(self.attempts)}")
        _check("max_payload_mb", self.max_payload_mb, (1, MAX_PAYLOAD_MB))
        _check("invocation_retries", self.invocation_retries, INVOCATION_RETRY_BOUNDS)
        if self.deadline_s < 1:
            raise TransformJobError(f"deadline_s must be at least 1, not {self.deadline_s}")
        if self.batch_strategy is not None and self.data.split_type == "None":
            raise TransformJobError(f"{self.batch_strategy} needs data that is split")
        for attempt in self.attempts:
            sent_mb = attempt.max_concurrent_transforms * self.max_payload_mb
            if sent_mb > MAX_PAYLOAD_MB:
                raise TransformJobError(
                    f"{attempt.instance_type}: {attempt.max_concurrent_transforms} requests of {self.max_payload_mb} MB at a "
                    f"time are {sent_mb} MB, above {MAX_PAYLOAD_MB}"
                )
        for filter_ in (self.input_filter, self.output_filter):
            if filter_ is not None and (len(filter_) > MAX_FILTER_CHARACTERS or "${" in filter_):
                raise TransformJobError(
                    f"{filter_!r}: a filter has at most {MAX_FILTER_CHARACTERS} characters and no ${{, which CloudFormation "
                    "would replace"
                )


def _check(label: str, value: int, bounds: tuple[int, int]) -> None:
    if not bounds[0] <= value <= bounds[1]:
        raise TransformJobError(f"{label} must lie between {bounds[0]} and {bounds[1]}, not {value}")

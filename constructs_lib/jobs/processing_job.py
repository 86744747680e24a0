"""The props of a processing job: instances, inputs, outputs and script, checked before anything is built.

Limits: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateProcessingJob.html
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from constructs_lib.instance_storage import has_local_nvme
from constructs_lib.jobs.training_job import (
    MAX_ATTEMPTS,
    TrainingCode,
    check_job_name_prefix,
    check_key_prefix,
)
from sizewell.facts.processing_jobs import (
    CODE_INPUT,
    DEFAULT_VOLUME_GIB,
    MAX_INPUTS,
    MAX_INSTANCES,
    MAX_OUTPUTS,
    MAX_VOLUME_SIZE_GIB,
    RUNTIME_BOUNDS_S,
)


class ProcessingJobError(ValueError):
    """A processing job that SageMaker or Step Functions would refuse."""


@dataclass(frozen=True, kw_only=True)
class ProcessingAttempt:
    """One attempt: the instances that one job asks for.

    ``has_local_nvme`` says that SageMaker mounts the instance's own disks instead of a volume; the API then refuses a volume
    key, and a volume larger than those disks. None goes by the name of the type. ``usd_per_hour`` is what one instance costs, for
    the report of an execution; None is unknown.
    """

    instance_type: str
    instance_count: int = 1
    volume_size_gib: int = DEFAULT_VOLUME_GIB
    has_local_nvme: bool | None = None
    usd_per_hour: float | None = None

    @property
    def volume_takes_key(self) -> bool:
        """Whether the ML volume is encrypted with the data key."""
        return not (
            has_local_nvme(self.instance_type) if self.has_local_nvme is None else self.has_local_nvme
        )

    def __post_init__(self) -> None:
        _check(f"instance_count of {self.instance_type}", self.instance_count, MAX_INSTANCES)
        _check(f"volume_size_gib of {self.instance_type}", self.volume_size_gib, MAX_VOLUME_SIZE_GIB)


@dataclass(frozen=True, kw_only=True)
class ProcessingInput:
    """Every object of the artifact bucket under one key prefix.

    They are copied before the script starts, or with ``is_pipe`` streamed through a named pipe; to all instances, or with
    ``is_sharded`` a share to each.
    """

    key_prefix: str
    is_pipe: bool = False
    is_sharded: bool = False

    def __post_init__(self) -> None:
        check_key_prefix(self.key_prefix)


@dataclass(frozen=True, kw_only=True)
class ProcessingOutput:
    """Where the artifact bucket gets what the script writes: at the end of the job, or as it is written."""

    key_prefix: str
    is_continuous: bool = False

    def __post_init__(self) -> None:
        check_key_prefix(self.key_prefix)


@dataclass(frozen=True, kw_only=True)
class ProcessingJobProps:
    """What is processed, on what, and by when.

    An input is in ``/opt/ml/processing/input/<name>``, an output in ``/opt/ml/processing/output/<name>``. ``code`` None runs the
    entry point of the image; else its objects are the input ``code``, where its command runs. An execution may last
    ``deadline_s``, with all attempts and the time to get instances; then its job is stopped.

    By default the container is isolated from all calls but SageMaker's own, and traffic between instances is encrypted.
    """

    job_name_prefix: str
    image_uri: str
    attempts: tuple[ProcessingAttempt, ...]
    outputs: Mapping[str, ProcessingOutput]
    deadline_s: int
    inputs: Mapping[str, ProcessingInput] = field(default_factory=dict)
    code: TrainingCode | None = None
    environment_variables: Mapping[str, str] = field(default_factory=dict)
    enable_network_isolation: bool = True
    encrypt_inter_container_traffic: bool = True
    job_tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def all_inputs(self) -> Mapping[str, ProcessingInput]:
        """The inputs with that of the script."""
        if self.code is None:
            return self.inputs
        return {**self.inputs, CODE_INPUT: ProcessingInput(key_prefix=self.code.key_prefix)}

    def __post_init__(self) -> None:
        check_job_name_prefix(self.job_name_prefix)
        _check("attempts", len(self.attempts), MAX_ATTEMPTS)
        _check("outputs", len(self.outputs), MAX_OUTPUTS)
        _check("deadline_s", self.deadline_s, RUNTIME_BOUNDS_S[1])
        if len(self.all_inputs) > MAX_INPUTS:
            raise ProcessingJobError(f"at most {MAX_INPUTS} inputs are allowed, not {len(self.all_inputs)}")
        if self.code is not None and CODE_INPUT in self.inputs:
            raise ProcessingJobError(f"the input {CODE_INPUT} is for the script")
        for name, value in self.environment_variables.items():
            if value.startswith("{%"):
                raise ProcessingJobError(
                    f"{name}: Step Functions would read a text that begins with {{% as an expression"
                )


def _check(label: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise ProcessingJobError(f"{label} must lie between 1 and {most}, not {value}")

"""The props of a training job: instances, data, code, checkpoint and time limits, checked before anything is built.

Limits: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTrainingJob.html
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from constructs_lib.instance_storage import has_local_nvme
from sizewell.facts.file_systems import FileSystemType
from sizewell.facts.mlflow import MLFLOW_VARIABLES
from sizewell.facts.processing_jobs import MAX_ENTRYPOINT_STRING_CHARACTERS, MAX_ENTRYPOINT_STRINGS
from sizewell.facts.training_jobs import (
    CHECKPOINT_VARIABLES,
    CODE_CHANNEL,
    DEFAULT_CHECKPOINT_PATH,
    KEEP_ALIVE_BOUNDS_S,
    MAX_NAME_CHARACTERS,
    RUNTIME_BOUNDS_S,
    starts_one_script,
    toolkit_hyperparameters,
)

# The last group of a UUID: 48 random bits, where a whole UUID would leave 26 characters for the prefix.
UNIQUE_PART_LENGTH = 12
JOB_NAME_PREFIX_MAX_LENGTH = MAX_NAME_CHARACTERS - UNIQUE_PART_LENGTH - 1  # prefix, hyphen, unique part
MAX_ATTEMPTS = 5

# IAM sees the name of a training job in lower case (it is part of the ARN), so the prefix must be lower case too.
_JOB_NAME_PREFIX = re.compile(r"[a-z0-9](-?[a-z0-9])*")
# Prefixes are put inside States.Format('...'): a quote, brace or backslash there would be read as its syntax,
# and IAM would read an asterisk as a wildcard.
_KEY_PREFIX = re.compile(r"[A-Za-z0-9_.=-]+(/[A-Za-z0-9_.=-]+)*")


class TrainingJobError(ValueError):
    """A training job that SageMaker or Step Functions would refuse, or that would lose work."""


class JobNamePrefixError(TrainingJobError):
    """The prefix cannot start a training-job name."""


class KeyPrefixError(TrainingJobError):
    """An S3 key prefix that a request or an IAM policy would misread."""


class CodeCommandError(TrainingJobError):
    """A command that ContainerEntrypoint of a processing job, or the training toolkit, does not accept."""


class AttemptsError(TrainingJobError):
    """No attempt, too many attempts, or an attempt without instances or volume."""


class SpotWithoutCheckpointError(TrainingJobError):
    """Managed Spot training without a checkpoint starts from zero after every interruption."""


class StoppingConditionError(TrainingJobError):
    """The time limits contradict each other or the service's bounds."""


class RequestMemberError(TrainingJobError):
    """A hyperparameter or environment variable that the request does not accept."""


@dataclass(frozen=True, kw_only=True)
class TrainingAttempt:
    """One attempt to train: the instances that one job asks for, and when the next attempt goes on from its checkpoint.

    ``ends_after_s`` counts from the start of the execution, waiting for capacity included. ``hardware`` is the folder of its
    checkpoints: what one kind of hardware saved need not load on another, so attempts share a folder only where they share a
    kind. ``usd_per_hour`` is what one instance costs on demand, for the report of an execution; None is unknown. ``gpu_count``
    are the NVIDIA GPUs of an instance, whose use it reports.

    ``has_local_nvme`` says that SageMaker mounts the instance's own disks instead of an EBS volume; the API then
    refuses a volume key and a volume larger than those disks. None goes by the name of the type. The volume holds what
    the script writes, not its data, which is streamed: 30 GiB by default.
    """

    instance_type: str
    image_uri: str
    ends_after_s: int
    instance_count: int = 1
    volume_size_gib: int = 30
    has_local_nvme: bool | None = None
    use_managed_spot: bool = False
    hardware: str = "any"
    usd_per_hour: float | None = None
    gpu_count: int = 0

    @property
    def volume_takes_key(self) -> bool:
        """Whether the ML volume is encrypted with the data key."""
        if self.has_local_nvme is None:
            return not has_local_nvme(self.instance_type)
        return not self.has_local_nvme

    def __post_init__(self) -> None:
        if self.instance_count < 1 or self.volume_size_gib < 1:
            raise AttemptsError(
                f"{self.instance_type}: instance count and volume size must be at least 1, "
                f"not {self.instance_count} and {self.volume_size_gib} GiB"
            )


@dataclass(frozen=True, kw_only=True)
class TrainingChannel:
    """An input channel: every object of the artifact bucket under one key prefix.

    The objects are streamed as they are read from ``/opt/ml/input/data/<channel_name>``.
    """

    channel_name: str
    key_prefix: str

    def __post_init__(self) -> None:
        check_key_prefix(self.key_prefix)


@dataclass(frozen=True, kw_only=True)
class FileSystemChannel:
    """An input channel: a directory of a file system in the VPC, mounted at ``/opt/ml/input/data/<channel_name>`` to be read.

    The full ``directory_path`` begins with the mount name where the file system is FSx for Lustre, which is in one zone:
    ``subnet_id`` is that of the VPC there, to which the job is held. None leaves all subnets to it.
    """

    channel_name: str
    file_system_type: FileSystemType
    file_system_id: str
    directory_path: str
    subnet_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class TrainingCode:
    """The script: objects of the artifact bucket, and the command that is run beside them.

    SageMaker itself copies the objects into the container, so that an isolated one needs no network. Copies are not
    executable: the command begins with an interpreter or a launcher of the image.
    """

    key_prefix: str
    command: tuple[str, ...]

    def __post_init__(self) -> None:
        check_key_prefix(self.key_prefix)
        # Four strings of the entry point of a processing job go before the command.
        longest = MAX_ENTRYPOINT_STRINGS - 4
        if not 1 <= len(self.command) <= longest:
            raise CodeCommandError(f"a command has 1 to {longest} words, not {len(self.command)}")
        for word in self.command:
            if len(word) > MAX_ENTRYPOINT_STRING_CHARACTERS or "${" in word:
                raise CodeCommandError(
                    f"{word!r}: a word of a command has at most {MAX_ENTRYPOINT_STRING_CHARACTERS} characters and "
                    "no ${, which CloudFormation would replace"
                )


@dataclass(frozen=True, kw_only=True)
class TrainingCheckpoint:
    """Where and how often the container saves its state.

    SageMaker copies ``local_path``, by default its own default, to S3 while the job runs and back before a resumed job
    starts:
    https://docs.aws.amazon.com/sagemaker/latest/dg/model-checkpoints.html
    """

    key_prefix: str
    interval_minutes: int
    local_path: str = DEFAULT_CHECKPOINT_PATH

    def __post_init__(self) -> None:
        check_key_prefix(self.key_prefix)
        if self.interval_minutes < 1:
            raise StoppingConditionError(
                f"a checkpoint interval is at least 1 minute, not {self.interval_minutes}"
            )


@dataclass(frozen=True, kw_only=True)
class TrainingExperiment:
    """The MLflow experiment that the script records its runs in, by ``mlflow_arn`` of the foundation.

    ``is_app`` is the kind of that MLflow: an App, or a tracking server. ``artifact_prefix`` is where the artifact bucket has the
    artifacts of all runs, which clients write themselves; None where they are in another bucket.
    """

    name: str
    is_app: bool
    artifact_prefix: str | None = None


@dataclass(frozen=True, kw_only=True)
class TrainingJobProps:
    """What is trained, on what, and by when.

    ``code`` is one script, as ``python FILE.py`` or ``bash FILE.sh``, which the SageMaker training toolkit of the image starts,
    with all hyperparameters as arguments; None leaves everything to the entry point of the image. Each job may take what is left
    of its attempt's ``ends_after_s`` when it starts, its interruptions included (API reference, StoppingCondition); the last one
    ends at the deadline. The artifact bucket receives the model as ``<output_key_prefix>/<job name>/output/model.tar.gz``.

    ``keep_alive_s`` is how long the instances of a job wait for the next one, in a warm pool: it starts sooner on them where
    type, number, network and role are the same (https://docs.aws.amazon.com/sagemaker/latest/dg/train-warm-pools.html).
    ``tensorboard`` copies ``/opt/ml/output/tensorboard`` to ``<output_key_prefix>/tensorboard/<execution>`` while a job runs.
    ``training_plan_arn`` is where all attempts have instances reserved, neither Spot nor a warm pool.

    ``metrics`` are regular expressions, by the name of the metric that each finds in what the script prints.

    By default the container is isolated from all calls but SageMaker's own, and traffic between instances is encrypted:
    gradients tell of the data.
    """

    job_name_prefix: str
    attempts: tuple[TrainingAttempt, ...]
    output_key_prefix: str
    channels: tuple[TrainingChannel | FileSystemChannel, ...] = ()
    code: TrainingCode | None = None
    checkpoint: TrainingCheckpoint | None = None
    hyperparameters: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    environment_variables: Mapping[str, str] = field(default_factory=dict)
    experiment: TrainingExperiment | None = None
    enable_network_isolation: bool = True
    encrypt_inter_container_traffic: bool = True
    job_tags: Mapping[str, str] = field(default_factory=dict)
    keep_alive_s: int = 0
    tensorboard: bool = False
    training_plan_arn: str | None = None

    def __post_init__(self) -> None:
        check_job_name_prefix(self.job_name_prefix)
        check_key_prefix(self.output_key_prefix)
        if not 1 <= len(self.attempts) <= MAX_ATTEMPTS:
            raise AttemptsError(f"1 to {MAX_ATTEMPTS} attempts are allowed, not {len(self.attempts)}")
        self._check_spot_and_time_limits()
        self._check_members()

    @property
    def uses_managed_spot(self) -> bool:
        """True if at least one attempt asks for Spot capacity."""
        return any(attempt.use_managed_spot for attempt in self.attempts)

    @property
    def subnet_id(self) -> str | None:
        """The subnet that the file systems hold the job to; None is any."""
        return next((channel.subnet_id for channel in self.mounted if channel.subnet_id is not None), None)

    @property
    def mounted(self) -> list[FileSystemChannel]:
        """The channels that are directories of file systems."""
        return [channel for channel in self.channels if isinstance(channel, FileSystemChannel)]

    @property
    def file_systems(self) -> tuple[tuple[FileSystemType, str], ...]:
        """The types and ids of the file systems."""
        return tuple((channel.file_system_type, channel.file_system_id) for channel in self.mounted)

    @property
    def all_hyperparameters(self) -> dict[str, str]:
        """The hyperparameters with those by which the training toolkit finds the script."""
        script = {} if self.code is None else toolkit_hyperparameters(self.code.command[1])
        return dict(sorted({**self.hyperparameters, **script}.items()))

    def _check_spot_and_time_limits(self) -> None:
        low, high = RUNTIME_BOUNDS_S
        ends_s = [attempt.ends_after_s for attempt in self.attempts]
        if ends_s != sorted(ends_s) or not all(low <= end_s <= high for end_s in ends_s):
            raise StoppingConditionError(
                f"attempts end one after the other, {low} to {high} s (28 days) after the start, not after {ends_s}"
            )
        if self.uses_managed_spot and self.checkpoint is None:
            raise SpotWithoutCheckpointError(
                f"{self.job_name_prefix}: managed Spot training needs a checkpoint to survive an interruption"
            )

    def _check_members(self) -> None:
        if any(channel.channel_name == CODE_CHANNEL for channel in self.channels):
            raise RequestMemberError(f"the channel {CODE_CHANNEL} is for the training script")
        if len({channel.subnet_id for channel in self.mounted} - {None}) > 1:
            raise RequestMemberError("a job runs in one subnet, and has file systems in two subnets")
        if self.code is not None and not starts_one_script(self.code.command):
            raise CodeCommandError(
                f"the SageMaker training toolkit starts one script, as python FILE.py or bash FILE.sh, not "
                f"{' '.join(self.code.command)}"
            )
        shortest, longest = KEEP_ALIVE_BOUNDS_S
        if not shortest <= self.keep_alive_s <= longest or (self.keep_alive_s and self.uses_managed_spot):
            raise RequestMemberError(
                f"keep_alive_s is {shortest} to {longest}, and 0 on Spot, not {self.keep_alive_s}"
            )
        if self.training_plan_arn is not None and (self.uses_managed_spot or self.keep_alive_s):
            raise RequestMemberError("a training plan goes with neither Spot nor a warm pool")
        texts = (self.hyperparameters, self.environment_variables, self.metrics)
        for name, value in (item for mapping in texts for item in mapping.items()):
            if value.startswith("{%"):
                raise RequestMemberError(
                    f"{name}: Step Functions would read a text that begins with {{% as an expression"
                )
        for key in (*CHECKPOINT_VARIABLES, *(MLFLOW_VARIABLES if self.experiment else ())):
            if key in self.environment_variables:
                raise RequestMemberError(f"{key} is set for you and cannot be given by hand")
        if self.experiment is not None and self.enable_network_isolation:
            raise RequestMemberError("a container with network isolation cannot record its runs")


def check_job_name_prefix(prefix: str) -> None:
    """Raise ``JobNamePrefixError`` unless names of jobs can begin so."""
    if len(prefix) > JOB_NAME_PREFIX_MAX_LENGTH or _JOB_NAME_PREFIX.fullmatch(prefix) is None:
        raise JobNamePrefixError(
            f"{prefix!r}: a job name prefix has 1 to {JOB_NAME_PREFIX_MAX_LENGTH} lower-case letters, digits and "
            "single hyphens, and begins and ends with a letter or digit"
        )


def check_key_prefix(key_prefix: str) -> None:
    """Raise ``KeyPrefixError`` unless requests and IAM policies read a prefix as it is."""
    if _KEY_PREFIX.fullmatch(key_prefix) is None:
        raise KeyPrefixError(
            f"{key_prefix!r}: an S3 key prefix is made of letters, digits and _.=- in parts joined by single "
            "slashes, without a slash at either end"
        )

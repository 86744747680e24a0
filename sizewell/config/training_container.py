"""The container that trains a model: its images, the script that it runs, and what it is given."""

import re
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, S3Key, fault
from sizewell.config.container import ON_ISOLATION, AnyContainer, EnvironmentVariables, Images
from sizewell.config.effects import OnChange, SelectionNeed
from sizewell.facts.container_images import Job
from sizewell.facts.processing_jobs import MAX_ENTRYPOINT_STRING_CHARACTERS, MAX_ENTRYPOINT_STRINGS
from sizewell.facts.training_jobs import (
    CODE_HYPERPARAMETER,
    MAX_HYPERPARAMETERS,
    MAX_METRIC_CHARACTERS,
    MAX_METRICS,
    MAX_REGEX_CHARACTERS,
    PROGRAM_HYPERPARAMETER,
    starts_one_script,
)

Command = Annotated[
    tuple[
        # Step Functions and CloudFormation read ${...} in a state machine as their own.
        Annotated[
            str,
            Field(pattern=r"^[^$\r\n]+$", max_length=MAX_ENTRYPOINT_STRING_CHARACTERS, examples=["train.py"]),
        ],
        ...,
    ],
    # Four strings of the entry point of a processing job go before the command: they start it in the directory of the script.
    Field(min_length=1, max_length=MAX_ENTRYPOINT_STRINGS - 4),
]


class TrainingCode(ConfigModel):
    """The training script: objects of the artifact bucket, copied to /opt/ml/input/data/code before the job starts."""

    prefix: S3Key
    """The prefix of the objects in the artifact bucket, copied to /opt/ml/input/data/code before the job starts."""
    command: Command
    """The script among them, as [python, train.py] or [bash, launch.sh]. The SageMaker training toolkit of the image starts it,
    with all hyperparameters as arguments."""


MetricName = Annotated[
    str, Field(pattern=r"^[^${}\r\n]+$", max_length=MAX_METRIC_CHARACTERS, examples=["val_loss"])
]
MetricRegex = Annotated[str, Field(max_length=MAX_REGEX_CHARACTERS, examples=["val_loss=([0-9.]+)"])]


def check_metric_regex(key: str, regex: str) -> None:
    """Raise the fault of a regular expression that finds no number."""
    try:
        groups = re.compile(regex).groups
    except re.error as error:
        raise fault(key, f"is no regular expression: {error}") from error
    if not groups:
        raise fault(key, "has no parentheses around the number; write for example val_loss=([0-9.]+)")


HyperparameterValue = str | int | float | bool


def hyperparameter_text(value: HyperparameterValue) -> str:
    """Return a hyperparameter as text: the API takes nothing else."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class TrainingContainer(AnyContainer):
    """What trains the model."""

    job: ClassVar[Job] = Job.TRAINING

    images: Annotated[Images, SelectionNeed.IMAGE] = Field(default_factory=Images)
    """The image for each kind of hardware; a kind without an image is never picked."""
    code: TrainingCode | None = None
    """The training script and how to start it, for images with the SageMaker training toolkit; without it, the entry point of the
    image does everything."""
    environment: EnvironmentVariables = {}
    """Environment variables of the container, at most 100; never a secret: name the ARN of a Secrets Manager secret."""
    hyperparameters: Annotated[dict[str, HyperparameterValue], Field(max_length=MAX_HYPERPARAMETERS - 4)] = {}
    """Hyperparameters of the training script, at most 96, as four are set for you; SageMaker passes them as strings."""
    metrics: Annotated[
        dict[
            Annotated[MetricName, Field(description="one line without dollar signs and braces")],
            Annotated[MetricRegex, OnChange("finds other numbers in the log")],
        ],
        Field(max_length=MAX_METRICS),
    ] = {}
    """Numbers that the script prints, by name: regular expressions with the number in parentheses. CloudWatch keeps them, and the
    output of a run has the last of each."""
    network_isolation: Annotated[bool, ON_ISOLATION] = True
    """Whether the container is kept from making outgoing calls (EnableNetworkIsolation); SageMaker still moves data,
    checkpoints and results."""

    @model_validator(mode="after")
    def _toolkit_starts_the_script(self) -> Self:
        if self.code is None:
            return self
        if not starts_one_script(self.code.command):
            raise fault(
                "code.command",
                "the SageMaker training toolkit of the image starts one script: write [python, train.py] or [bash, launch.sh], "
                "and arguments in container.hyperparameters",
            )
        for name in (PROGRAM_HYPERPARAMETER, CODE_HYPERPARAMETER):
            if name in self.hyperparameters:
                raise fault(f"hyperparameters.{name}", "is set for you, by container.code; remove it")
        return self

    @model_validator(mode="after")
    def _metrics_are_numbers(self) -> Self:
        for name, regex in self.metrics.items():
            check_metric_regex(f"metrics.{name}", regex)
        return self

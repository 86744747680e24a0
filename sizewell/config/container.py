"""The container of a workload: one image for each kind of hardware that it supports."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, SizeGib, fault
from sizewell.facts.training_jobs import MAX_ENTRYPOINT_STRING_CHARACTERS, MAX_ENTRYPOINT_STRINGS


class Image(ConfigModel):
    """A container image in Amazon ECR, in the region of the environment."""

    account: Annotated[str, Field(pattern=r"^[0-9]{12}$", examples=["763104351884"])]
    """The account that owns the repository."""
    repository: Annotated[
        str, Field(pattern=r"^[a-z0-9]+([._/-][a-z0-9]+)*$", max_length=256, examples=["pytorch-inference"])
    ]
    tag: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$", examples=["2.3-gpu"])]


class Images(ConfigModel):
    """The image for each kind of hardware. A kind without an image is never picked."""

    cuda: Image | None = None
    """For NVIDIA GPUs."""
    neuron: Image | None = None
    """For Inferentia2 and Trainium."""
    cpu_x86_64: Image | None = None
    cpu_arm64: Image | None = None
    """For Graviton."""

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if not any((self.cuda, self.neuron, self.cpu_x86_64, self.cpu_arm64)):
            raise fault("", "give at least one image: cuda, neuron, cpu_x86_64 or cpu_arm64")
        return self


InferenceAmiVersion = Literal[
    "al2-ami-sagemaker-inference-gpu-2",
    "al2-ami-sagemaker-inference-gpu-2-1",
    "al2-ami-sagemaker-inference-gpu-3-1",
    "al2023-ami-sagemaker-inference-gpu-4-1",
    "al2-ami-sagemaker-inference-neuron-2",
]


class AcceleratedServingImage(Image):
    """An image for a GPU or a Neuron chip, and the driver that it needs."""

    inference_ami_version: InferenceAmiVersion | None = None
    """The machine image of the host: gpu-2 has NVIDIA driver 535, gpu-3-1 550 and gpu-4-1 580; null is AWS's choice."""


class ServingImages(Images):
    """The image for each kind of hardware that may serve."""

    cuda: AcceleratedServingImage | None = None
    """For NVIDIA GPUs."""
    neuron: AcceleratedServingImage | None = None
    """For Inferentia2 and Trainium."""


EnvironmentVariables = Annotated[
    dict[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=1024)], str],
    # The CreateModel API allows 100 entries; keys and values of at most 1,024 characters.
    Field(max_length=100),
]

#: Letters, digits and _.=- in parts joined by slashes: everything else is a wildcard or a variable to IAM.
S3Key = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_.=-]+(/[A-Za-z0-9_.=-]+)*/?$",
        max_length=900,
        examples=["models/demo/model.tar.gz"],
    ),
]


class Artifact(ConfigModel):
    """The trained model, in the artifact bucket of the environment."""

    key: S3Key
    """The key of a model.tar.gz, or a prefix that ends in a slash when the compression is none."""
    compression: Literal["gzip", "none"] = "gzip"
    """Large models load faster uncompressed."""
    size_gib: SizeGib | None = None
    """The size on disk; by default the size of the weights."""

    @model_validator(mode="after")
    def _key_matches_compression(self) -> Self:
        if (self.compression == "none") != self.key.endswith("/"):
            raise fault(
                "key",
                "an uncompressed artifact is a prefix and its key ends in '/'; "
                "a gzip artifact is one object and its key does not",
            )
        return self


class ServingContainer(ConfigModel):
    """What serves the model."""

    images: ServingImages
    artifact: Artifact
    environment: EnvironmentVariables = {}
    """Environment variables of the container. Never a secret: name the ARN of a Secrets Manager secret."""
    network_isolation: bool = True
    """The container makes no outgoing calls."""


class TrainingCode(ConfigModel):
    """The training script: objects of the artifact bucket, copied to /opt/ml/input/data/code before the job starts."""

    prefix: S3Key
    """The prefix of the objects."""
    command: Annotated[
        tuple[
            # Step Functions and CloudFormation read ${...} in a state machine as their own.
            Annotated[
                str,
                Field(
                    pattern=r"^[^$\r\n]+$",
                    max_length=MAX_ENTRYPOINT_STRING_CHARACTERS,
                    examples=["train.py"],
                ),
            ],
            ...,
        ],
        # Four strings of the entry point go before the command: they start it in the directory of the script.
        Field(min_length=1, max_length=MAX_ENTRYPOINT_STRINGS - 4),
    ]
    """What is run in that directory, for example [torchrun, --nproc_per_node=gpu, train.py]; no shell reads it."""


class TrainingContainer(ConfigModel):
    """What trains the model."""

    images: Images
    code: TrainingCode | None = None
    """The training script. Without it, the entry point of the image runs."""
    environment: EnvironmentVariables = {}
    hyperparameters: Annotated[dict[str, str | int | float | bool], Field(max_length=100)] = {}
    """Passed to the training script as strings."""
    network_isolation: bool = True
    """The container makes no outgoing calls; SageMaker still moves data, checkpoints and results."""

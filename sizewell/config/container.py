"""The container of a workload: one image for each kind of hardware that it supports."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, SizeGib, fault
from sizewell.config.effects import OnChange, OnImage, OnToggle, SelectionNeed
from sizewell.facts.training_jobs import MAX_ENTRYPOINT_STRING_CHARACTERS, MAX_ENTRYPOINT_STRINGS


class Image(ConfigModel):
    """A container image in Amazon ECR, in the region of the environment."""

    account: Annotated[str, Field(pattern=r"^[0-9]{12}$", examples=["763104351884"])]
    """The AWS account that owns the repository, twelve digits in quotes."""
    repository: Annotated[
        str, Field(pattern=r"^[a-z0-9]+([._/-][a-z0-9]+)*$", max_length=256, examples=["pytorch-inference"])
    ]
    """The name of the repository in Amazon ECR."""
    tag: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$", examples=["2.3-gpu"])]
    """The tag of the image; in quotes where it looks like a number."""


class Images(ConfigModel):
    """The image for each kind of hardware. A kind without an image is never picked."""

    cuda: Annotated[Image | None, OnImage("NVIDIA GPUs")] = None
    """The image for NVIDIA GPUs."""
    neuron: Annotated[Image | None, OnImage("Inferentia and Trainium")] = None
    """The image for AWS Inferentia2 and Trainium."""
    cpu_x86_64: Annotated[Image | None, OnImage("x86 CPUs")] = None
    """The image for CPUs of Intel and AMD."""
    cpu_arm64: Annotated[Image | None, OnImage("Graviton")] = None
    """The image for AWS Graviton."""

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


_ON_AMI = "another machine image: another driver"


class AcceleratedServingImage(Image):
    """An image for a GPU or a Neuron chip, and the driver that it needs."""

    inference_ami_version: Annotated[
        InferenceAmiVersion | None,
        OnChange(changed=_ON_AMI, added=_ON_AMI, removed="AWS chooses the machine image, and its driver"),
    ] = None
    """The machine image of the host (InferenceAmiVersion), for its driver: gpu-2 has NVIDIA driver 535, gpu-3-1 550
    and gpu-4-1 580; without it AWS chooses, and an image for a newer CUDA may not start."""


class ServingImages(Images):
    """The image for each kind of hardware that may serve."""

    cuda: Annotated[AcceleratedServingImage | None, OnImage("NVIDIA GPUs")] = None
    """The image for NVIDIA GPUs."""
    neuron: Annotated[AcceleratedServingImage | None, OnImage("Inferentia and Trainium")] = None
    """The image for AWS Inferentia2 and Trainium."""


EnvironmentVariables = Annotated[
    dict[
        Annotated[
            str,
            Field(
                pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
                max_length=1024,
                description="letters, digits and underscores, first no digit",
            ),
        ],
        str,
    ],
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

    key: Annotated[S3Key, OnChange("another model goes live")]
    """The key of a model.tar.gz, or a prefix that ends in a slash when the compression is none."""
    compression: Literal["gzip", "none"] = "gzip"
    """Whether the artifact is one gzip archive or a prefix of plain objects, which large models load faster from."""
    size_gib: SizeGib | None = None
    """The size of the artifact in GiB, for the room on disk; by default the size of the weights."""

    @model_validator(mode="after")
    def _key_matches_compression(self) -> Self:
        if (self.compression == "none") != self.key.endswith("/"):
            raise fault(
                "key",
                "an uncompressed artifact is a prefix and its key ends in '/'; "
                "a gzip artifact is one object and its key does not",
            )
        return self


ON_ISOLATION = OnToggle(
    on="the container makes no outgoing calls", off="the container may make outgoing calls"
)


class CpuImages(ConfigModel):
    """The image for what runs on x86 CPUs and on nothing else."""

    cpu_x86_64: Annotated[Image, OnImage("x86 CPUs")]
    """The image for CPUs of Intel and AMD."""


class ModelContainer(ConfigModel):
    """What serves the model, wherever it runs."""

    images: Annotated[ServingImages | CpuImages, SelectionNeed(260)]
    """The image for each kind of hardware; a kind without an image is never picked."""
    artifact: Artifact
    """The trained model, in the artifact bucket of the environment."""
    environment: EnvironmentVariables = {}
    """Environment variables of the container, at most 100; never a secret: name the ARN of a Secrets Manager secret."""
    network_isolation: Annotated[bool, ON_ISOLATION] = True
    """Whether the container is kept from making outgoing calls (EnableNetworkIsolation)."""


class ServingContainer(ModelContainer):
    """What serves the model."""

    images: Annotated[ServingImages, SelectionNeed(260)]
    """The image for each kind of hardware; a kind without an image is never picked."""


class TrainingCode(ConfigModel):
    """The training script: objects of the artifact bucket, copied to /opt/ml/input/data/code before the job starts."""

    prefix: S3Key
    """The prefix of the objects in the artifact bucket, copied to /opt/ml/input/data/code before the job starts."""
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

    images: Annotated[Images, SelectionNeed(260)]
    """The image for each kind of hardware; a kind without an image is never picked."""
    code: TrainingCode | None = None
    """The training script and how to start it; without it, the entry point of the image runs."""
    environment: EnvironmentVariables = {}
    """Environment variables of the container, at most 100; never a secret: name the ARN of a Secrets Manager secret."""
    hyperparameters: Annotated[dict[str, str | int | float | bool], Field(max_length=100)] = {}
    """Hyperparameters of the training script, at most 100, which SageMaker passes as strings."""
    network_isolation: Annotated[bool, ON_ISOLATION] = True
    """Whether the container is kept from making outgoing calls (EnableNetworkIsolation); SageMaker still moves data,
    checkpoints and results."""

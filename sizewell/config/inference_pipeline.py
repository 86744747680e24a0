"""A serial inference pipeline: containers before and after that of the model, on the same instances."""

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, SizeGib, fault, without
from sizewell.config.container import (
    AnyContainer,
    AnyImage,
    Artifact,
    EnvironmentVariables,
    HardwareImages,
)
from sizewell.config.effects import Below, OnChange, OnImage, SelectionNeed
from sizewell.facts.inference_pipelines import MAX_CONTAINERS, MODEL_HOSTNAME


class HostImages(HardwareImages):
    """The image for each kind of CPU: what stands beside a model runs on the CPUs of its instances."""

    cpu_x86_64: Annotated[AnyImage | None, OnImage("x86 CPUs")] = None
    """The image for CPUs of Intel and AMD."""
    cpu_arm64: Annotated[AnyImage | None, OnImage("Graviton")] = None
    """The image for AWS Graviton."""


class InferenceStep(AnyContainer):
    """A container beside that of the model. It gets the answer of the one before it as its request."""

    name: Annotated[
        str, Field(pattern=r"^[a-zA-Z0-9](-?[a-zA-Z0-9])*$", max_length=63, examples=["features"])
    ]
    """What it is called in logs and metrics (ContainerHostname)."""
    images: HostImages = Field(default_factory=HostImages)
    """The image for each kind of CPU; a type whose CPUs no image is for is never picked, whatever its accelerators."""
    artifact: Artifact | None = None
    """What the container loads, in the artifact bucket; by default all of it is in the image."""
    environment: EnvironmentVariables = {}
    """Environment variables of the container, at most 100; never a secret: name the ARN of a Secrets Manager secret."""
    processing_ms: Annotated[float, Field(ge=0.001, le=3_600_000)]
    """Milliseconds that it takes of a request, in 95 of 100, as you measured it: nobody can predict it. They are taken from the
    bounds of latency."""
    memory_gib: SizeGib
    """Memory of the host in GiB that it needs on an instance, with all of its workers, as you measured it."""


STEPS = Annotated[tuple[InferenceStep, ...], Field(max_length=MAX_CONTAINERS - 1)]


class InferencePipeline(ConfigModel):
    """What a request passes before it comes to the model, and its answer after that."""

    before: STEPS = ()
    """Containers that a request passes first, in this order."""
    after: STEPS = ()
    """Containers that the answer of the model passes, in this order."""

    def steps(self) -> Iterator[tuple[tuple[str, str], InferenceStep]]:
        """Yield each container in the order of a request, with its key."""
        for key in ("before", "after"):
            for index, step in enumerate(getattr(self, key)):
                yield (key, str(index)), step

    def in_region(self, region: str) -> Self:
        """Return the pipeline with the images that names stand for."""
        return self.model_copy(
            update={
                key: tuple(step.in_region(region) for step in getattr(self, key))
                for key in ("before", "after")
            }
        )

    @property
    def processing_ms(self) -> float:
        """What all containers but that of the model take of a request."""
        return sum(step.processing_ms for _, step in self.steps())

    @property
    def memory_gib(self) -> float:
        """What they need of the host."""
        return sum(step.memory_gib for _, step in self.steps())

    def runs_on(self, cpu: str) -> bool:
        """Return whether every container has an image for x86_64 or arm64."""
        return all(f"cpu_{cpu}" in step.images.by_hardware() for _, step in self.steps())

    @model_validator(mode="after")
    def _containers_can_be_told_apart(self) -> Self:
        names: dict[str, str] = {MODEL_HOSTNAME: "the container of the model"}
        count = 1
        for path, step in self.steps():
            key, count = ".".join(path), count + 1
            if other := names.get(step.name.lower()):
                raise fault(f"{key}.name", f"{step.name} is the name of {other} already")
            names[step.name.lower()] = key
        if count == 1:
            raise fault("", f"has no effect without a container before or after; {without('pipeline')}")
        if count > MAX_CONTAINERS:
            raise fault(
                "",
                f"has {count} containers with that of the model; SageMaker takes {MAX_CONTAINERS} at most",
            )
        return self


ON_PIPELINE = (
    Below(
        OnChange(
            changed="another container before or after the model: what it is asked and answers may change",
            added="requests pass containers before or after the model",
            removed="requests pass the container of the model alone",
        )
    ),
    SelectionNeed.IMAGE,
)

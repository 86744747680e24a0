"""The container of a workload: one image for each kind of hardware that it supports."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from sizewell.config.base import ConfigModel, S3Key, SizeGib, fault, without
from sizewell.config.effects import OnChange, OnImage, OnToggle, SelectionNeed
from sizewell.config.model_package import ON_PACKAGE, ImageRepository, ModelPackage
from sizewell.facts.container_images import HARDWARE, Framework, ImageRelease, Job, images_of, versions_of
from sizewell.facts.image_registries import registry_account
from sizewell.facts.inference_amis import InferenceAmiVersion, inference_ami_for


class Image(ImageRepository):
    """A container image in Amazon ECR, in the region of the environment."""

    tag: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$", examples=["2.3-gpu"])]
    """The tag of the image; in quotes where it looks like a number."""


class NamedImage(ConfigModel):
    """An image of AWS, by the framework in it and its version; account, repository and tag follow."""

    framework: Framework
    """The framework, or the server of the model, that the image holds."""
    version: Annotated[str, Field(pattern=r"^[0-9]+([.-][0-9]+)*$", max_length=32, examples=["2.6"])]
    """The version of the framework, in quotes, as far as AWS tells its images apart by it."""

    def __str__(self) -> str:
        return f"{self.framework} {self.version}"

    def images(self, job: Job) -> dict[str, ImageRelease]:
        """Return, for each kind of hardware that has an image for a job, the release that holds its tag."""
        return dict(images_of(self.framework, self.version, job))


def _form(image: Any) -> str:
    """Return the form of an image that the keys belong to, so that an error speaks of one form."""
    keys = image if isinstance(image, dict) else getattr(image, "model_fields_set", ())
    return "NamedImage" if "framework" in keys or "version" in keys else "Image"


AnyImage = Annotated[
    Annotated[Image, Tag("Image")] | Annotated[NamedImage, Tag("NamedImage")], Discriminator(_form)
]


class HardwareImages(ConfigModel):
    """Images by the kind of hardware that they are for."""

    @classmethod
    def hardware(cls) -> tuple[str, ...]:
        """Return the kinds of hardware that there may be an image for."""
        return tuple(kind for kind in HARDWARE if kind in cls.model_fields)

    def by_hardware(self) -> dict[str, Image | NamedImage]:
        """Return the images that there are."""
        stated = {kind: getattr(self, kind) for kind in self.hardware()}
        return {kind: image for kind, image in stated.items() if image is not None}


class Images(HardwareImages):
    """The image for each kind of hardware. A kind without an image is never picked."""

    cuda: Annotated[AnyImage | None, OnImage("NVIDIA GPUs")] = None
    """The image for NVIDIA GPUs."""
    neuron: Annotated[AnyImage | None, OnImage("Inferentia and Trainium")] = None
    """The image for AWS Inferentia2 and Trainium."""
    cpu_x86_64: Annotated[AnyImage | None, OnImage("x86 CPUs")] = None
    """The image for CPUs of Intel and AMD."""
    cpu_arm64: Annotated[AnyImage | None, OnImage("Graviton")] = None
    """The image for AWS Graviton."""


class CpuImages(HardwareImages):
    """The image for what runs on x86 CPUs and on nothing else."""

    cpu_x86_64: Annotated[AnyImage | None, OnImage("x86 CPUs")] = None
    """The image for CPUs of Intel and AMD."""


_ON_AMI = "another machine image: another driver"


class AcceleratedServingImage(Image):
    """An image for a GPU or a Neuron chip, and the driver that it needs."""

    inference_ami_version: Annotated[
        InferenceAmiVersion | None,
        OnChange(changed=_ON_AMI, added=_ON_AMI, removed="AWS chooses the machine image, and its driver"),
    ] = None
    """The machine image of an endpoint's hosts (InferenceAmiVersion), for its driver: gpu-2 has NVIDIA driver 535, gpu-3-1 550
    and gpu-4-1 580; without it AWS chooses, and an image for a newer CUDA may not start."""


def _serving_form(image: Any) -> str:
    return "NamedImage" if _form(image) == "NamedImage" else "AcceleratedServingImage"


AnyAcceleratedServingImage = Annotated[
    Annotated[AcceleratedServingImage, Tag("AcceleratedServingImage")]
    | Annotated[NamedImage, Tag("NamedImage")],
    Discriminator(_serving_form),
]


class ServingImages(Images):
    """The image for each kind of hardware that may serve."""

    cuda: Annotated[AnyAcceleratedServingImage | None, OnImage("NVIDIA GPUs")] = None
    """The image for NVIDIA GPUs."""
    neuron: Annotated[AnyAcceleratedServingImage | None, OnImage("Inferentia and Trainium")] = None
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


class Artifact(ConfigModel):
    """The trained model, in the artifact bucket of the environment."""

    key: Annotated[S3Key, OnChange("another model goes live")]
    """The key of a model.tar.gz, or a prefix that ends in a slash when the compression is none."""
    compression: Literal["gzip", "none"] = "gzip"
    """Whether the artifact is one gzip archive or a prefix of plain objects, which large models load faster from."""
    size_gib: SizeGib | None = None
    """The size of the artifact in GiB, for the room on disk; by default the size of the weights."""

    @property
    def is_archive(self) -> bool:
        """Whether it is one model.tar.gz, all that some modes load (API reference: ContainerDefinition, ModelDataUrl)."""
        return self.key.endswith(".tar.gz")

    def not_an_archive(self, who: str) -> str | None:
        """Return what is wrong with the key of an object for those who load nothing but a .tar.gz."""
        if self.compression == "none" or self.is_archive:  # what is not packed is refused as such
            return None
        return f"is {self.key}, but {who} load an object that ends in .tar.gz"

    @model_validator(mode="after")
    def _key_matches_compression(self) -> Self:
        if self.compression == "gzip" and self.key.endswith("/"):
            raise fault("key", "ends in '/', as prefixes do; write compression: none beside it")
        if self.compression == "none" and not self.key.endswith("/"):
            raise fault("key", "compression: none is of a prefix, whose key ends in '/'")
        return self


ON_ISOLATION = OnToggle(
    on="the container makes no outgoing calls", off="the container may make outgoing calls"
)


class AnyContainer(ConfigModel):
    """The images of a workload: one name for all of them, or one for each kind of hardware."""

    runs_any_image: ClassVar[bool] = False
    """Whether it starts in any image, whatever the image is for."""

    image: Annotated[NamedImage | None, OnImage("the hardware that it is for"), SelectionNeed.IMAGE] = None
    """The image of AWS for each kind of hardware that has one, by framework and version; in place of images."""
    images: Annotated[HardwareImages, SelectionNeed.IMAGE]
    """The image for each kind of hardware; a kind without an image is never picked."""

    @property
    def job(self) -> Job:
        """What its images are for."""
        return Job.INFERENCE

    @property
    def runs_on(self) -> tuple[str, ...]:
        """The kinds of hardware that it has an image for."""
        return tuple(self.images.by_hardware())

    @property
    def names_images(self) -> bool:
        """Whether its images have to be named here."""
        return True

    @model_validator(mode="after")
    def _images_are_known(self) -> Self:
        kinds = self.images.hardware()
        if self.names_images and self.image is None and not self.images.by_hardware():
            any_of = " or ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))
            raise fault(
                "images",
                f"give at least one image: {any_of}; or, in place of images, "
                'image: {framework: pytorch, version: "2.6"}',
            )
        for key, named, hardware in self.named_images():
            if misnamed := _misnamed(named, self.job, kinds if hardware is None else (hardware,)):
                raise fault(f"{key}.{misnamed[0]}", misnamed[1])
        return self

    def named_images(self) -> Iterator[tuple[str, NamedImage, str | None]]:
        """Yield the key of each image that is named, its name, and the kind of hardware that it is for; None is all."""
        if self.image is not None:
            yield "image", self.image, None
        for hardware, image in self.images.by_hardware().items():
            if isinstance(image, NamedImage):
                yield f"images.{hardware}", image, hardware

    def in_region(self, region: str) -> Self:
        """Return the container with the images that its names stand for; a name that the region has no registry for stays."""
        found = {
            kind: self._image(kind, account, release)
            for _, named, hardware in self.named_images()
            for kind, release in named.images(self.job).items()
            if kind in self.images.hardware()
            and hardware in (None, kind)
            and (account := registry_account(release.registry, region))
        }
        return self.model_copy(update={"images": self.images.model_copy(update=found)}) if found else self

    def _image(self, hardware: str, account: str, release: ImageRelease) -> Image:
        return Image(account=account, repository=release.repository, tag=release.tags[hardware])


def _misnamed(named: NamedImage, job: Job, hardware: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the key of a name that stands for no image of one of these kinds, and why; None where it does."""
    versions = versions_of(named.framework, job)
    if not versions:
        others = ", ".join(one for one in Framework if versions_of(one, job))
        return "framework", f"AWS has no image of {named.framework} for {job}, but of {others}"
    if named.version not in versions:
        elsewhere = [one for one in Job if named.version in versions_of(named.framework, one)]
        reason = f"{named} has images for {elsewhere[0]} only" if elsewhere else f"{named} is not known"
        return "version", (
            f"{reason}. Versions with images for {job}: {', '.join(versions)}. Any other: write its account, repository "
            "and tag for each kind of hardware under images"
        )
    if not set(hardware) & (kinds := named.images(job)).keys():
        return (
            "version",
            f"AWS has no image of {named} for {', '.join(hardware)}, only for {', '.join(kinds)}",
        )
    return None


class InferenceContainer(AnyContainer):
    """What serves the model, wherever it runs, with the model in the image or beside it."""

    artifact: Artifact | None = None
    """The trained model, in the artifact bucket of the environment; without it, it is in the image."""
    environment: EnvironmentVariables = {}
    """Environment variables of the container, at most 100; never a secret: name the ARN of a Secrets Manager secret."""
    network_isolation: Annotated[bool, ON_ISOLATION] = True
    """Whether the container is kept from making outgoing calls (EnableNetworkIsolation)."""

    @property
    def repositories(self) -> tuple[ImageRepository, ...]:
        """Where its images are, as far as that is known here."""
        return tuple(image for image in self.images.by_hardware().values() if isinstance(image, Image))


class ModelContainer(InferenceContainer):
    """What serves the model that SageMaker puts beside it."""

    model_package: Annotated[ModelPackage | None, *ON_PACKAGE] = None
    """A version of the SageMaker Model Registry, which names image and artifact; in place of both."""
    artifact: Artifact | None = None
    """The trained model, in the artifact bucket of the environment; a model_package names its own."""

    @property
    def runs_on(self) -> tuple[str, ...]:
        """The kinds of hardware that it has an image for."""
        return super().runs_on if self.model_package is None else (self.model_package.hardware,)

    @property
    def names_images(self) -> bool:
        """Whether its images have to be named here."""
        return self.model_package is None

    @property
    def repositories(self) -> tuple[ImageRepository, ...]:
        """Where its images are, as far as that is known here."""
        if self.model_package is None:
            return super().repositories
        return (self.model_package.image_repository,) if self.model_package.image_repository else ()

    @property
    def artifact_gib(self) -> float | None:
        """The stated size of its artifact."""
        return self.artifact.size_gib if self.artifact else None

    @model_validator(mode="after")
    def _model_is_named_once(self) -> Self:
        if self.model_package is None:
            if self.artifact is None:
                raise fault(
                    "artifact",
                    "is missing: state where the model is, as artifact: {key: models/demo/model.tar.gz}, or a model_package",
                )
            return self
        for key in ("artifact", "image", "images"):
            stated = getattr(self, key)
            if stated is not None and stated != type(self).model_fields[key].get_default(
                call_default_factory=True
            ):
                raise fault(
                    key, f"stands beside model_package, which names image and artifact; {without(key)}"
                )
        if self.model_package.hardware not in self.images.hardware():
            raise fault(
                "model_package.hardware",
                f"is {self.model_package.hardware}, but this kind of workload runs on {', '.join(self.images.hardware())}",
            )
        return self

    def _image(self, hardware: str, account: str, release: ImageRelease) -> Image:
        image = super()._image(hardware, account, release)
        ami = inference_ami_for(image.tag) if hardware == "cuda" else None
        accelerated = hardware in ("cuda", "neuron")
        return AcceleratedServingImage(**dict(image), inference_ami_version=ami) if accelerated else image


class ServingContainer(ModelContainer):
    """What serves the model on instances."""

    images: Annotated[ServingImages, SelectionNeed.IMAGE] = Field(default_factory=ServingImages)
    """The image for each kind of hardware; a kind without an image is never picked."""

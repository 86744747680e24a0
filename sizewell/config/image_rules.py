"""Rules of container images: what is known of those of AWS, and how long an address may be."""

from collections.abc import Iterator

from sizewell.config.base import without
from sizewell.config.container import AnyContainer, Image, ModelContainer
from sizewell.config.environment import Environment
from sizewell.config.model_package import ImageRepository
from sizewell.config.request_members import Violation
from sizewell.facts.container_images import is_arm64, jobs_of
from sizewell.facts.image_registries import account_here, accounts_of_aws, regions_with_images
from sizewell.facts.regions import image_uri

#: API reference: ContainerDefinition and AlgorithmSpecification, Image and TrainingImage.
MAX_IMAGE_URI = 255
_ARM64 = "cpu_arm64"


def twice_stated(environment: Environment) -> Iterator[Violation]:
    """Yield which images are named and written out; in an environment as it is written, as names are not looked up there."""
    for path, container in environment.apart().containers():
        if container.image is not None and container.images.by_hardware():
            yield (
                environment.as_written((*path, "images")),
                f"stands beside image, which names them all; {without('images')}",
            )


def image_violations(environment: Environment) -> Iterator[Violation]:
    """Yield what is wrong with the images in one account and region, where the names of images have been looked up."""
    region = environment.policy.region
    for path, container in environment.containers():
        yield from _without_registry(container, path, region)
        for hardware, image in container.images.by_hardware().items():
            if isinstance(image, Image):
                path_of_image = (*path, "images", hardware)
                if image.account in accounts_of_aws():
                    yield from _in_another_region(image, region, path_of_image)
                    yield from _for_another_use(image, hardware, container, path_of_image)
                yield from _too_long(image, region, path_of_image)
        package = container.model_package if isinstance(container, ModelContainer) else None
        repository = package.image_repository if package else None
        if repository is not None and repository.account in accounts_of_aws():
            yield from _in_another_region(repository, region, (*path, "model_package", "image_repository"))


def _without_registry(container: AnyContainer, path: tuple[str, ...], region: str) -> Iterator[Violation]:
    if region not in regions_with_images():  # misspelt: that is a fault of its own
        return
    found = container.images.by_hardware()
    for key, named, hardware in container.named_images():
        kinds = named.images(container.job) if hardware is None else (hardware,)
        if not any(isinstance(found.get(kind), Image) for kind in kinds):
            yield (
                (*path, *key.split(".")),
                f"AWS has no registry of {named.framework} images in {region}: write the account, repository and tag of a "
                "copy of your own under images, or run it in another region",
            )


def _in_another_region(image: ImageRepository, region: str, path: tuple[str, ...]) -> Iterator[Violation]:
    here = account_here(image.account, region)
    if here not in (None, image.account):
        yield (
            (*path, "account"),
            f"{image.account} is AWS's registry of other regions; that of {region} is {here}",
        )


def _for_another_use(
    image: Image, hardware: str, container: AnyContainer, path: tuple[str, ...]
) -> Iterator[Violation]:
    """Yield what the name of a repository of AWS says against its use; of other repositories nothing is known."""
    if is_arm64(image.repository) and hardware != _ARM64:
        yield (*path, "repository"), f"{image.repository} is for Graviton: write it under {_ARM64}"
    if not is_arm64(image.repository) and hardware == _ARM64:
        own = f"{image.repository}-arm64"
        instead = f"write {own} with a tag of it" if jobs_of(own) else "name an image for arm64"
        yield (
            (*path, "repository"),
            f"{image.repository} is for x86, and does not start on Graviton: {instead}, or leave {_ARM64} out",
        )
    jobs = jobs_of(image.repository)
    if jobs and container.job not in jobs and not container.runs_any_image:
        yield (
            (*path, "repository"),
            f"the images of {image.repository} are for {', '.join(sorted(jobs))}, not for {container.job}",
        )


def _too_long(image: Image, region: str, path: tuple[str, ...]) -> Iterator[Violation]:
    uri = image_uri(image.account, region, image.repository, image.tag)
    if len(uri) > MAX_IMAGE_URI:
        yield (
            (*path, "repository"),
            f"with account, region and tag, the address of the image has {len(uri)} characters; SageMaker takes "
            f"{MAX_IMAGE_URI} at most",
        )

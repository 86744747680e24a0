"""Which images of AWS cannot serve the model that they are named for; of other images nothing is known."""

from collections.abc import Iterator, Mapping

from sizewell.config.container import AnyContainer, Image, NamedImage
from sizewell.config.ml_model import Model
from sizewell.config.served_model import ContainedModel
from sizewell.facts.container_images import Job, image_releases
from sizewell.facts.image_registries import accounts_of_aws
from sizewell.facts.model_servers import ImageServer, image_server
from sizewell.planning.errors import PlanFault
from sizewell.planning.preset_models import described_model


def serving_faults(path: tuple[str, ...], served: ContainedModel) -> Iterator[PlanFault]:
    """Yield each image of a model at ``path`` that cannot serve it; the model is a valid one."""
    container = served.container
    yield from image_faults((*path, "container"), container, served.model, container.environment)


def image_faults(
    path: tuple[str, ...], container: AnyContainer, model: Model, environment: Mapping[str, str]
) -> Iterator[PlanFault]:
    """Yield each image of a container at ``path`` that cannot serve a model."""
    family = _family(model)
    for hardware, image in container.images.by_hardware().items():
        known = _known(image)
        if known is None or family in known.serves or known.other_by in environment:
            continue
        other = f"; or state {known.other_by} in container.environment, by which it serves others"
        yield PlanFault(
            (*path, *(("image", "framework") if container.image else ("images", hardware, "repository"))),
            f"{known.repository} serves {known.words}, not {family}",
            f"name an image that does: {', '.join(_frameworks(family))}{other if known.other_by else ''}; of an image that is "
            "not AWS's nothing is asked",
        )
        if container.image:  # all of its images are of one name
            return


def _known(image: Image | NamedImage) -> ImageServer | None:
    if not isinstance(image, Image) or image.account not in accounts_of_aws():
        return None
    return image_server(image.repository, image.tag)


def _family(model: Model) -> str:
    described = described_model(model)
    if described.architecture in ("gradient-boosting", "linear"):
        return described.framework
    return f"{'image-' if getattr(described, 'reads_images', False) else ''}{described.architecture}"


def _frameworks(family: str) -> list[str]:
    return sorted(
        {
            release.framework
            for release in image_releases()
            if Job.INFERENCE in release.jobs
            for tag in release.tags.values()
            if (known := image_server(release.repository, tag)) and family in known.serves
        }
    )

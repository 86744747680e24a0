"""Which images of AWS cannot serve the model that they are named for; of other images nothing is known."""

from collections.abc import Iterator, Mapping

from sizewell.config.container import AnyContainer, Image, NamedImage
from sizewell.config.environment import Workload
from sizewell.config.ml_model import Model
from sizewell.config.pipeline import Pipeline
from sizewell.config.served_model import ContainedModel
from sizewell.config.training import TrainedModel
from sizewell.facts.container_images import Job, image_releases
from sizewell.facts.image_registries import accounts_of_aws
from sizewell.facts.model_servers import ImageServer, image_server
from sizewell.planning.errors import PlanFault
from sizewell.planning.preset_models import described_model


def serving_faults(path: tuple[str, ...], served: ContainedModel) -> Iterator[PlanFault]:
    """Yield each image of a model at ``path`` that cannot serve it; the model is a valid one."""
    container = served.container
    yield from _faults((*path, "container"), container, served.model, container.environment)


def registration_faults(
    name: str, pipeline: Pipeline, trained: Mapping[str, Workload]
) -> Iterator[PlanFault]:
    """Yield each image that cannot serve the model of the job, one of ``trained``, that a pipeline registers with it."""
    for step_name, step in pipeline.registrations():
        job = trained.get(pipeline.steps[step.registers or ""].runs or "")
        if isinstance(job, TrainedModel) and step.container is not None:
            path = ("workloads", name, "steps", step_name, "container")
            yield from _faults(path, step.container, job.model, {})


def _faults(
    path: tuple[str, ...], container: AnyContainer, model: Model, environment: Mapping[str, str]
) -> Iterator[PlanFault]:
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

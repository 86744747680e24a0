"""What an endpoint is that is served on demand by SageMaker."""

from sizewell.config.container import CpuImages, ServingContainer
from sizewell.config.endpoint import EndpointNeeds
from sizewell.kinds.serverless_endpoint.config import ServerlessContainer, ServerlessEndpoint
from sizewell.planning.kind import ModeKind
from sizewell.planning.mode_kinds import stated_as
from sizewell.serving_modes import Mode, ModeComparison


def _stated(endpoint: EndpointNeeds, _: ModeComparison | None) -> ServerlessEndpoint:
    return stated_as(ServerlessEndpoint, endpoint, container=_on_x86(endpoint.container))


def _on_x86(container: ServingContainer) -> ServerlessContainer:
    """Return a container that starts from the image for x86 CPUs, whatever other hardware it has images for."""
    values = {name: getattr(container, name) for name in type(container).model_fields}
    values["images"] = CpuImages.model_construct(cpu_x86_64=container.images.cpu_x86_64)
    return ServerlessContainer.model_construct(_fields_set=container.model_fields_set, **values)


FACET = ModeKind(mode=Mode.SERVERLESS, stated=_stated)

"""What an endpoint is that answers at once."""

from sizewell.config.endpoint import EndpointNeeds
from sizewell.kinds.real_time_endpoint.config import RealTimeEndpoint
from sizewell.planning.kind import ModeKind
from sizewell.planning.mode_kinds import stated_as
from sizewell.serving_modes import Mode, ModeComparison


def _stated(endpoint: EndpointNeeds, _: ModeComparison | None) -> RealTimeEndpoint:
    return endpoint if isinstance(endpoint, RealTimeEndpoint) else stated_as(RealTimeEndpoint, endpoint)


FACET = ModeKind(mode=Mode.REAL_TIME, stated=_stated)

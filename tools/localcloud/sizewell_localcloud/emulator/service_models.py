"""botocore's model of a service: its operations and their shapes."""

from functools import cache

from botocore.loaders import Loader
from botocore.model import ServiceModel


@cache
def service_model(service: str) -> ServiceModel:
    """Return botocore's description of a service; the copy in this environment, never the network's."""
    return ServiceModel(Loader().load_service_model(service, "service-2"), service)

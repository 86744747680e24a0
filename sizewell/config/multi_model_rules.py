"""Rules of multi-model endpoints: the limits of their requests, and the variable that is set for the worker processes."""

from collections.abc import Iterator

from sizewell.config.container import Image
from sizewell.config.multi_model_endpoint import MultiModelEndpoint
from sizewell.config.request_members import Violation
from sizewell.facts.multi_model import workers_variable
from sizewell.facts.serving_modes import Mode, limit


def multi_model_violations(name: str, endpoint: MultiModelEndpoint) -> Iterator[Violation]:
    """Yield a request or an answer that no multi-model endpoint takes, and a variable that is stated twice."""
    path = ("workloads", name)
    max_mb = limit(Mode.MULTI_MODEL, "max_payload_mb")
    for key, words in (("payload_mb", "requests"), ("response_mb", "answers")):
        size = getattr(endpoint.request, key)
        if size is not None and size > max_mb:
            yield (
                (*path, "request", key),
                f"is {size:g}, but multi-model endpoints take {words} of {max_mb:g} MB at most",
            )
    images = endpoint.container.images
    for image in (images.cpu_x86_64, images.cpu_arm64):
        variable = workers_variable(image.repository) if isinstance(image, Image) else None
        if variable in endpoint.container.environment:
            yield (
                (*path, "container", "environment", variable or ""),
                "the variable is set for you, by models.workers_per_model; remove it here",
            )

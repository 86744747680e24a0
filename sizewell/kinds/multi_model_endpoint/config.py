"""Rules of multi-model endpoints: the limits of their requests, and the variable that is set for the worker processes."""

from collections.abc import Iterator

from sizewell.config.container import Image
from sizewell.config.endpoint_rules import instance_bounds, member_violations
from sizewell.config.environment import Environment
from sizewell.config.kind import ConfigKind
from sizewell.config.multi_model_endpoint import MultiModelEndpoint
from sizewell.config.request_members import Violation, payload_violations
from sizewell.facts.multi_model import workers_variable
from sizewell.facts.serving_modes import Mode


def multi_model_violations(name: str, endpoint: MultiModelEndpoint) -> Iterator[Violation]:
    """Yield a request or an answer that no multi-model endpoint takes, and a variable that is stated twice."""
    path = ("workloads", name)
    yield from payload_violations(path, endpoint.request, Mode.MULTI_MODEL)
    images = endpoint.container.images
    for image in (images.cpu_x86_64, images.cpu_arm64):
        variable = workers_variable(image.repository) if isinstance(image, Image) else None
        if variable in endpoint.container.environment:
            yield (
                (*path, "container", "environment", variable or ""),
                "the variable is set for you, by models.workers_per_model; remove it here",
            )


def _rules(environment: Environment, name: str, endpoint: MultiModelEndpoint) -> Iterator[Violation]:
    yield from instance_bounds(environment, name, endpoint)
    yield from multi_model_violations(name, endpoint)
    yield from member_violations(environment, name, endpoint)


FACET = ConfigKind(rules=_rules)

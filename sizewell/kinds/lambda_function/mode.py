"""What an endpoint is that Lambda answers."""

from sizewell.config.endpoint import EndpointNeeds
from sizewell.kinds.lambda_function.config import (
    LambdaContainer,
    LambdaFunction,
    LambdaImages,
    LambdaLatency,
)
from sizewell.planning.kind import ModeKind
from sizewell.planning.mode_kinds import stated_as
from sizewell.serving_modes import Mode, ModeComparison


def _stated(endpoint: EndpointNeeds, _: ModeComparison | None) -> LambdaFunction:
    latency, container = endpoint.latency, endpoint.container
    return stated_as(
        LambdaFunction,
        endpoint,
        # What runs on x86 is what was compared, and what lambda_runtime is about.
        container=LambdaContainer(
            images=LambdaImages(cpu_x86_64=container.images.cpu_x86_64),
            artifact=container.artifact,
            environment=container.environment,
        ),
        latency=LambdaLatency(max_p95_ms=latency.max_p95_ms, max_p99_ms=latency.max_p99_ms),
    )


FACET = ModeKind(mode=Mode.LAMBDA, stated=_stated, starts=lambda endpoint: endpoint.starts_in_lambda)

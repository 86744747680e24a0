"""The rules of a serverless endpoint that look at its environment."""

from collections.abc import Iterator

from sizewell.config.environment import Environment
from sizewell.config.kind import ConfigKind
from sizewell.config.request_members import Violation, model_members, payload_violations
from sizewell.config.serverless_endpoint import ServerlessEndpoint
from sizewell.facts.serving_modes import Mode


def _rules(_: Environment, name: str, endpoint: ServerlessEndpoint) -> Iterator[Violation]:
    yield from payload_violations(("workloads", name), endpoint.request, Mode.SERVERLESS)
    yield from model_members(("workloads", name), endpoint)


FACET = ConfigKind(rules=_rules)

"""Rules of serverless endpoints: the limits of their requests, which hold whatever is planned."""

from collections.abc import Iterator

from sizewell.config.request_members import Violation, payload_violations
from sizewell.config.serverless_endpoint import ServerlessEndpoint
from sizewell.facts.serving_modes import Mode, limit


def serverless_violations(name: str, endpoint: ServerlessEndpoint) -> Iterator[Violation]:
    """Yield a request or an answer that no serverless endpoint takes."""
    for path, reason in payload_violations(("workloads", name), endpoint.request, Mode.SERVERLESS):
        yield path, f"{reason}; a real-time endpoint takes {limit(Mode.REAL_TIME, 'max_payload_mb'):g} MB"

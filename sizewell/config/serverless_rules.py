"""Rules of serverless endpoints: the limits of their requests, which hold whatever is planned."""

from collections.abc import Iterator

from sizewell.config.request_members import Violation
from sizewell.config.serverless_endpoint import ServerlessEndpoint
from sizewell.facts.serving_modes import Mode, limit


def serverless_violations(name: str, endpoint: ServerlessEndpoint) -> Iterator[Violation]:
    """Yield a request or an answer that no serverless endpoint takes."""
    max_mb = limit(Mode.SERVERLESS, "max_payload_mb")
    for key, words in (("payload_mb", "requests"), ("response_mb", "answers")):
        size = getattr(endpoint.request, key)
        if size is not None and size > max_mb:
            yield (
                ("workloads", name, "request", key),
                f"is {size:g}, but serverless endpoints take {words} of {max_mb:g} MB at most; a real-time endpoint takes "
                f"{limit(Mode.REAL_TIME, 'max_payload_mb'):g} MB",
            )

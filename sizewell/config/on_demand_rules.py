"""Rules of what is served on demand: the limits of requests, which hold whatever is planned."""

from collections.abc import Iterator

from sizewell.config.request_members import Violation
from sizewell.config.served_on_demand import ServedOnDemand
from sizewell.facts.serving_modes import Mode, limit


def payload_violations(name: str, workload: ServedOnDemand, mode: Mode) -> Iterator[Violation]:
    """Yield a request or an answer that the mode does not take."""
    max_mb = limit(mode, "max_payload_mb")
    who = "serverless endpoints" if mode is Mode.SERVERLESS else "functions"
    for key, words in (("payload_mb", "requests"), ("response_mb", "answers")):
        size = getattr(workload.request, key)
        if size is not None and size > max_mb:
            yield (
                ("workloads", name, "request", key),
                f"is {size:g}, but {who} take {words} of {max_mb:g} MB at most; a real-time endpoint takes "
                f"{limit(Mode.REAL_TIME, 'max_payload_mb'):g} MB",
            )

"""What is said of an asynchronous endpoint: whether it sleeps, and what callers state."""

from collections.abc import Iterator

from sizewell.cli.endpoint_words import (
    endpoint_facts,
    endpoint_row,
    explain_endpoint,
    migrate_endpoint,
    scaling_lines,
)
from sizewell.cli.explanation import Explanation
from sizewell.cli.kind import ViewKind
from sizewell.planning.endpoint_plan_model import EndpointPlan


def _notes(endpoint: EndpointPlan) -> Iterator[str]:
    assert endpoint.asynchronous is not None
    yield endpoint.asynchronous.why


def _queue_lines(endpoint: EndpointPlan) -> list[str]:
    asynchronous = endpoint.asynchronous
    assert asynchronous is not None
    return [
        f"queue: {asynchronous.why}",
        *scaling_lines(endpoint),
        f"callers state InvocationTimeoutSeconds={asynchronous.invocation_timeout_s} and "
        f"RequestTTLSeconds={asynchronous.request_ttl_s}, and put requests below {asynchronous.input_prefix}",
    ]


def _facts(explanation: Explanation) -> list[str]:
    return endpoint_facts(explanation, _queue_lines, answers_later=True)


FACET = ViewKind(
    row=endpoint_row, notes=_notes, explain=explain_endpoint, facts=_facts, migrate=migrate_endpoint
)

"""What is said of a multi-model endpoint: how many models memory holds, and how often a request waits for its model."""

from collections.abc import Iterator

from sizewell.cli.endpoint_words import (
    endpoint_facts,
    endpoint_notes,
    endpoint_row,
    explain_endpoint,
    migrate_endpoint,
    scaling_lines,
)
from sizewell.cli.explanation import Explanation
from sizewell.cli.kind import ViewKind
from sizewell.instance_selection.wording import counted, milliseconds
from sizewell.planning.endpoint_plan_model import EndpointPlan, MultiModelPlan


def _notes(endpoint: EndpointPlan) -> Iterator[str]:
    assert endpoint.multi_model is not None
    yield memory_words(endpoint.multi_model)
    yield from endpoint_notes(endpoint)


def memory_words(models: MultiModelPlan) -> str:
    """Return how many models an instance holds, and how many requests wait for a load."""
    return (
        f"{models.loaded.per_instance:,} of {models.count:,} models fit in the memory of an instance, and "
        f"{models.loaded.miss_share:.1%} of the requests at peak load wait for theirs"
    )


def _model_lines(endpoint: EndpointPlan) -> list[str]:
    models = endpoint.multi_model
    assert models is not None
    loaded = models.loaded
    return [
        *scaling_lines(endpoint),
        f"models: {memory_words(models)}; {loaded.gib_per_model:.2g} GiB each",
        f"a request whose model is loaded first takes {milliseconds(loaded.cold_p95_ms)}, of which the load "
        f"{milliseconds(loaded.load_s * 1000)}",
        f"{counted(loaded.fewest_instances, 'instance')} at least, however few requests there are: fewer would load too often",
        "callers state TargetModel: the archive, by its path below the prefix",
    ]


def _facts(explanation: Explanation) -> list[str]:
    return endpoint_facts(explanation, _model_lines, holds_one_model=False)


FACET = ViewKind(
    row=endpoint_row, notes=_notes, explain=explain_endpoint, facts=_facts, migrate=migrate_endpoint
)

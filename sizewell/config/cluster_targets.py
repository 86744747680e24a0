"""Which kinds of workload run in which targets, from what each target says of itself."""

from collections.abc import Iterator

from sizewell.config.base import with_article
from sizewell.config.cluster import TargetKind
from sizewell.targets.registry import target_facet, target_names


def targets_that_run(kind: str) -> Iterator[TargetKind]:
    """Yield the targets that run workloads of a kind."""
    for target in target_names():
        found = target_facet(target, TargetKind)
        if kind in found.runs:
            yield found


def stated_kinds(planned_kind: str) -> frozenset[str]:
    """Return the kinds of the configuration that a plan of this kind may be of."""
    runs = (target_facet(target, TargetKind).runs for target in target_names())
    return frozenset(
        kind
        for of_target in runs
        for kind, one in of_target.items()
        if planned_kind in (kind, one.planned_as)
    )


def planned_words(kind: str) -> str:
    """Return the kind of a plan, with where it runs unless that is SageMaker or Lambda."""
    for target in target_names():
        found = target_facet(target, TargetKind)
        if any(runs.planned_as == kind for runs in found.runs.values()):
            return f"{kind} in {with_article(found.words)}"
    return kind

"""The alternatives of a pick: types that run its image, for when SageMaker has no capacity for it."""

from collections.abc import Iterable

from sizewell.facts.production_variants import MAX_INSTANCE_POOLS
from sizewell.instance_selection import Candidate, Catalog, EndpointEstimate, Selection
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.results import E

#: As many as a production variant takes; for a training job enough types to find capacity, and few enough that the last
#: one is still a sensible choice.
MAX_POOLS = MAX_INSTANCE_POOLS


def same_image_candidates(
    selection: Selection[E], catalog: Catalog, locked_pools: Iterable[str] = ()
) -> tuple[Candidate[E], ...]:
    """Return the chosen candidate and all others on its kind of hardware, in their order: one image runs on one kind.

    With ``locked_pools``, these alone in the order of the lock; where one of them is not feasible any more, the others
    follow in their order.
    """
    kind = hardware_kind(catalog.get(selection.chosen.instance_type))
    candidates: list[Candidate[E]] = [selection.chosen]
    candidates += selection.runners_up
    same_kind: list[Candidate[E]] = [
        c for c in candidates if hardware_kind(catalog.get(c.instance_type)) is kind
    ]
    pools = tuple(locked_pools)
    locked: list[Candidate[E]] = [c for name in pools for c in same_kind if c.instance_type == name]
    if pools and {c.instance_type for c in locked} == set(pools):
        return tuple(locked)
    locked += [c for c in same_kind if c.instance_type not in pools]
    return tuple(locked)


def endpoint_pools(
    selection: Selection[EndpointEstimate], catalog: Catalog, locked_pools: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the types of an endpoint's instance pools; a burstable one cannot be autoscaled with the others."""
    burstable = catalog.get(selection.chosen.instance_type).burstable
    names = (c.instance_type for c in same_image_candidates(selection, catalog, locked_pools))
    pools = dict.fromkeys(name for name in names if burstable or not catalog.get(name).burstable)
    return tuple(pools)[:MAX_POOLS]

"""The alternatives of a pick: types that run its image, for when SageMaker has no capacity for it."""

from collections.abc import Iterable, Iterator, Sequence

from sizewell.facts.production_variants import MAX_INSTANCE_POOLS
from sizewell.instance_selection import Candidate, Catalog, EndpointEstimate, Selection
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.results import E
from sizewell.planning.endpoint_plan_model import ProvisionedPoolsPlan
from sizewell.planning.errors import PlanFault
from sizewell.planning.volumes import has_local_disks

#: As many as a production variant takes; for a training job enough types to find capacity, and few enough that the last
#: one is still a sensible choice.
MAX_POOLS = MAX_INSTANCE_POOLS


def ranked_candidates(selection: Selection[E], locked_pools: Iterable[str] = ()) -> tuple[Candidate[E], ...]:
    """Return the chosen candidate and all others in their order.

    With ``locked_pools``, these alone in the order of the lock; where one of them is not feasible any more, the others
    follow in their order.
    """
    candidates = (selection.chosen, *selection.runners_up)
    pools = tuple(locked_pools)
    locked = [c for name in pools for c in candidates if c.instance_type == name]
    if not pools or len(locked) < len(pools):
        locked += [c for c in candidates if c.instance_type not in pools]
    return tuple(locked)


def same_image_candidates(
    selection: Selection[E], catalog: Catalog, locked_pools: Iterable[str] = ()
) -> tuple[Candidate[E], ...]:
    """Return the ranked candidates on the chosen one's kind of hardware: one image runs on one kind."""
    kind = hardware_kind(catalog.get(selection.chosen.instance_type))
    ranked = ranked_candidates(selection, locked_pools)
    return tuple(c for c in ranked if hardware_kind(catalog.get(c.instance_type)) is kind)


def provisioned_candidates(
    selection: Selection[EndpointEstimate], catalog: Catalog, pools: Sequence[str], max_types: int
) -> tuple[Candidate[EndpointEstimate], ...]:
    """Return which of the pools one variant can have, the chosen one first: volume and key are the same for all of them."""
    by_name = {c.instance_type: c for c in (selection.chosen, *selection.runners_up)}
    disks = has_local_disks(catalog.get(selection.chosen.instance_type))
    alike = [name for name in pools if has_local_disks(catalog.get(name)) == disks]
    return tuple(by_name[name] for name in alike[:max_types])


def endpoint_pools(
    selection: Selection[EndpointEstimate], catalog: Catalog, locked_pools: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the types of an endpoint's instance pools; a burstable one cannot be autoscaled with the others."""
    burstable = catalog.get(selection.chosen.instance_type).burstable
    names = (c.instance_type for c in same_image_candidates(selection, catalog, locked_pools))
    pools = dict.fromkeys(name for name in names if burstable or not catalog.get(name).burstable)
    return tuple(pools)[:MAX_POOLS]


def pool_faults(name: str, pools: ProvisionedPoolsPlan | None) -> Iterator[PlanFault]:
    """Yield that there is nothing to fall back to."""
    if pools is not None and len(pools.instance_types) < 2:
        yield PlanFault(
            ("workloads", name, "instance_pools"),
            f"{pools.instance_types[0]} is the only type that meets every need on the same image and kind of disk",
            "widen instances or the needs, or remove the key",
        )

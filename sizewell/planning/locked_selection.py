"""Selection under the lock: the locked type is kept while it is feasible."""

from collections.abc import Callable
from typing import TypeVar

from sizewell.instance_selection import (
    Candidate,
    Catalog,
    EndpointRequirements,
    FleetRequirements,
    NotebookRequirements,
    ProcessingRequirements,
    Selection,
    TrainingRequirements,
    TransformRequirements,
)
from sizewell.instance_selection.results import AnySelection, E
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.workload_plan import LockPlan

N = TypeVar(
    "N",
    EndpointRequirements,
    FleetRequirements,
    ProcessingRequirements,
    TrainingRequirements,
    TransformRequirements,
    NotebookRequirements,
)


def select_under_lock(
    select: Callable[[N, Catalog], Selection[E]],
    needs: N,
    catalog: Catalog,
    locked: LockedWorkload | None,
    digest: str,
) -> tuple[Selection[E], LockPlan | None]:
    """Return the selection, with the locked type as its choice where it meets every need, and what became of the lock.

    The free choice is then the first runner-up. Without a lock the selection is as it is. Raises what ``select`` raises.
    """
    free: Selection[E] = select(needs, catalog)
    if locked is None:
        return free, None
    if reason := _why_not(locked.instance_type, free):
        return free, infeasible_lock(locked, free, reason)
    selection = free
    if free.chosen.instance_type != locked.instance_type:
        # Once more, for assumptions that are its own.
        kept: Selection[E] = select(needs.locked_on(locked.instance_type), catalog)
        why = _kept(locked.instance_type, free.chosen.instance_type)
        selection = kept.model_copy(update={"assumptions": (*kept.assumptions, why)})
    state = "locked" if locked.needs_digest == digest else "stale"
    return selection, _lock_plan(state, locked, free, selection)


def free_pick(selection: Selection[E], lock: LockPlan | None) -> Candidate[E]:
    """Return what would be picked without the lock."""
    best = lock.best_instance_type if lock else selection.chosen.instance_type
    return next((c for c in selection.runners_up if c.instance_type == best), selection.chosen)


def infeasible_lock(locked: LockedWorkload, free: AnySelection, reason: str) -> LockPlan:
    """Return that a lock cannot be followed, and why."""
    return _lock_plan("infeasible", locked, free, free, reason)


def locked_pools(locked: LockedWorkload | None, lock: LockPlan | None) -> tuple[str, ...]:
    """Return the alternatives that the lock holds; none where the plan does not follow it."""
    return () if locked is None or lock is None or lock.state == "infeasible" else locked.instance_pools


def _why_not(instance_type: str, free: AnySelection) -> str | None:
    if any(c.instance_type == instance_type for c in (free.chosen, *free.runners_up)):
        return None
    for rejection in free.rejected:
        if rejection.instance_type == instance_type:
            return f"{rejection.filter}: {rejection.reason}"
    return "there is no instance type of that name"


def _kept(locked: str, best: str) -> str:
    return f"lock: {locked} is kept; without the lock it would be {best}"


def _lock_plan(
    state: str,
    locked: LockedWorkload,
    free: AnySelection,
    selection: AnySelection,
    reason: str = "",
) -> LockPlan:
    ours, best = selection.chosen.cost.usd_per_month, free.chosen.cost.usd_per_month
    return LockPlan.model_validate(
        {
            "state": state,
            "instance_type": locked.instance_type,
            "reason": reason,
            "best_instance_type": free.chosen.instance_type,
            "saving_usd_per_month": None if ours is None or best is None else ours - best,
        }
    )

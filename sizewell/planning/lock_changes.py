"""The changes of a new lock: which types stay, which are chosen again and why, and which of them a check refuses."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from sizewell.planning.lock import LockedEnvironment, LockedWorkload, lock_of, locked_workload
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.workload_plan import InstanceWorkloadPlan

#: Plans an environment under a lock.
Planner = Callable[[LockedEnvironment | None], DeploymentPlan]
_BEST = "kept: still the best"


@dataclass(frozen=True, slots=True)
class LockChange:
    """One workload before and after; None where it was not locked, or is no workload any more."""

    environment: str
    workload: str
    before: LockedWorkload | None
    after: LockedWorkload | None
    reason: str

    @property
    def changes_pick(self) -> bool:
        """Whether the workload runs on something else than before."""
        if self.before is None or self.after is None:
            return self.before is not self.after
        return pick_of(self.before) != pick_of(self.after)

    @property
    def is_notable(self) -> bool:
        """Whether there is anything to say: another pick, another cost, or a better type that is not taken."""
        before, after = self.before, self.after
        if self.changes_pick or self.reason != _BEST:
            return True
        return before is not None and after is not None and before.usd_per_month != after.usd_per_month


@dataclass(frozen=True, slots=True)
class LockDifference:
    """Why the lock of a workload does not hold any more, or is more expensive than it has to be."""

    environment: str
    workload: str
    reason: str


def pick_of(locked: LockedWorkload) -> tuple[object, ...]:
    """Return what binds a plan: all but prices and digests."""
    counts = (locked.instance_count, locked.peak_instance_count)
    return (locked.instance_type, *counts, locked.method, locked.instance_pools)


def refresh_lock(
    planner: Planner,
    old: LockedEnvironment | None,
    min_saving_percent: float,
    update: Collection[str] = (),
) -> tuple[LockedEnvironment, tuple[LockChange, ...]]:
    """Return the new lock of an environment, and what became of each workload.

    A pick stays unless the locked type is not feasible, the best type saves ``min_saving_percent`` of the monthly cost of
    the workload, or ``update`` names it. A more expensive best type is also taken where the
    configuration has changed: it then asks for something else than the least cost.
    """
    plan = planner(old)
    anew = {w.name: reason for w in plan.on_instances if (reason := _why_anew(w, min_saving_percent, update))}
    kept = frozenset(w.name for w in plan.on_instances) - anew.keys()
    if old is not None and anew.keys() & old.workloads.keys():
        plan = planner(old.only(kept))
    new = lock_of(plan)
    before = old.workloads if old else {}
    changes = [
        LockChange(
            plan.environment,
            w.name,
            before.get(w.name),
            new.workloads[w.name],
            anew.get(w.name) or _why_kept(w),
        )
        for w in plan.on_instances
    ]
    changes += [
        LockChange(plan.environment, name, before[name], None, "no such workload any more")
        for name in sorted(before.keys() - new.workloads.keys())
    ]
    return new, tuple(changes)


def check_lock(plan: DeploymentPlan, old: LockedEnvironment | None) -> tuple[LockDifference, ...]:
    """Return where a lock does not hold any more; ``plan`` was made under it. Prices alone are no difference."""
    before = old.workloads if old else {}
    found = [
        LockDifference(plan.environment, workload.name, reason)
        for workload in plan.on_instances
        if (reason := _difference(workload, before.get(workload.name)))
    ]
    gone = sorted(before.keys() - {workload.name for workload in plan.on_instances})
    found += [LockDifference(plan.environment, name, "no such workload any more") for name in gone]
    return tuple(found)


def worthwhile_savings(plan: DeploymentPlan, min_saving_percent: float) -> tuple[LockDifference, ...]:
    """Return the locked workloads for which the best type would save enough to be taken by the next refresh."""
    return tuple(
        LockDifference(plan.environment, w.name, f"{w.lock.best_instance_type} {reason}")
        for w in plan.on_instances
        if w.lock and (reason := _enough(w, min_saving_percent))
    )


def saving_percent(workload: InstanceWorkloadPlan) -> float | None:
    """Return what the best type would save of the monthly cost; None where that is unknown or nothing is locked."""
    cost = workload.selection.chosen.cost.usd_per_month
    saving = workload.lock.saving_usd_per_month if workload.lock else None
    return None if not cost or saving is None else saving / cost * 100


def _why_anew(
    workload: InstanceWorkloadPlan, min_saving_percent: float, update: Collection[str]
) -> str | None:
    lock = workload.lock
    if lock is None:
        return "new"
    if lock.state == "infeasible":
        return f"{lock.instance_type} cannot be used: {lock.reason}"
    if workload.name in update:
        return "updated"
    if lock.state == "stale" and (lock.saving_usd_per_month or 0.0) < 0:
        return "the configuration has changed"
    return _enough(workload, min_saving_percent)


def _enough(workload: InstanceWorkloadPlan, min_saving_percent: float) -> str | None:
    saving = saving_percent(workload)
    if saving is None or saving <= 0 or saving < min_saving_percent:
        return None
    return f"saves {saving:.1f} %, at least {min_saving_percent:g} % is asked"


def _why_kept(workload: InstanceWorkloadPlan) -> str:
    lock = workload.lock
    changed = "the configuration has changed; " if lock and lock.state == "stale" else ""
    if lock is None or lock.best_instance_type == lock.instance_type:
        return f"{changed}{_BEST}"
    saving = saving_percent(workload)
    if saving is None:
        return f"{changed}kept: what {lock.best_instance_type} would save is unknown"
    if saving <= 0:
        return f"{changed}kept: {lock.best_instance_type} would save nothing"
    return f"{changed}kept: {lock.best_instance_type} would save only {saving:.1f} %"


def _difference(workload: InstanceWorkloadPlan, before: LockedWorkload | None) -> str | None:
    lock = workload.lock
    if lock is None or before is None:
        return "not locked yet"
    if lock.state == "infeasible":
        return f"{lock.instance_type} cannot be used: {lock.reason}"
    if lock.state == "stale":
        return "the configuration has changed since it was locked"
    now = locked_workload(workload)
    if pick_of(now) == pick_of(before):
        return None
    lost = [name for name in before.instance_pools if name not in now.instance_pools]
    if lost:
        return f"not feasible any more among its alternatives: {', '.join(lost)}"
    if now.method != before.method:
        return f"method {before.method} is locked, {now.method} is planned"
    return f"{_counts(before)} of {before.instance_type} locked, {_counts(now)} planned"


def _counts(locked: LockedWorkload) -> str:
    peak = locked.peak_instance_count
    return f"{locked.instance_count}" if peak is None else f"{locked.instance_count} to {peak}"

"""Notes and warnings about the lock of a plan."""

from sizewell.planning.plan import DeploymentPlan


def lock_warnings(plan: DeploymentPlan) -> tuple[str, ...]:
    """Return where the plan cannot follow the lock, and what the lock does not know of; nothing without a lock."""
    if all(workload.lock is None for workload in plan.on_instances):
        return ()
    lines = [
        f"{w.name} is locked on {w.lock.instance_type}, which cannot be used ({w.lock.reason}): "
        f"planned on {w.selection.chosen.instance_type}"
        for w in plan.on_instances
        if w.lock and w.lock.state == "infeasible"
    ]
    if stale := [w.name for w in plan.on_instances if w.lock and w.lock.state == "stale"]:
        lines.append(f"The configuration has changed since these were locked: {', '.join(stale)}")
    if unlocked := [w.name for w in plan.on_instances if w.lock is None]:
        lines.append(f"Not locked yet: {', '.join(unlocked)}")
    return (*lines, f"Run: sizewell lock --env {plan.environment}") if lines else ()


def lock_summary(plan: DeploymentPlan) -> str | None:
    """Return how many workloads keep their locked type, and what that costs; None without a lock."""
    locks = [workload.lock for workload in plan.on_instances if workload.lock]
    if not locks:
        return None
    kept = [lock for lock in locks if lock.state != "infeasible"]
    saving = sum(lock.saving_usd_per_month or 0.0 for lock in kept)
    line = f"Locked: {len(kept)} of {len(plan.on_instances)} workloads"
    return (
        f"{line}; without the lock the total would be {saving:,.0f} USD lower."
        if saving >= 0.5
        else f"{line}."
    )

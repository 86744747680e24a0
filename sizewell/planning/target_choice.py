"""Where a workload runs that leaves its place to the plan: the cheapest of SageMaker and the clusters that can run it.

The lock keeps the place: another one is another endpoint, and a price that moved must not exchange one for the other.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sizewell.config.cluster import CHEAPEST, Cluster
from sizewell.instance_selection import NoFeasibleInstanceError
from sizewell.kinds.registry import facet
from sizewell.planning.errors import PlanError
from sizewell.planning.kind import BillKind, Planned, Stated, plan_workload

SAGEMAKER = "SageMaker"


def plan_where_cheapest(
    stated: Stated, targets: Iterator[str | None], clusters: Mapping[str, Cluster]
) -> Planned:
    """Return the plan of the cheapest place; raises what the plan of the first one does where no place meets the needs."""
    found: dict[str | None, Planned] = {}
    refused: Exception | None = None
    locked_target = stated.locked.target if stated.locked else None
    for target in targets:
        there = replace(
            stated,
            workload=stated.workload.model_copy(update={"target": target}),
            cluster=clusters[target] if target else None,
            locked=stated.locked if target == locked_target else None,
        )
        try:
            plan, faults = plan_workload(there)
            found[target] = plan, tuple(faults)
        except (PlanError, NoFeasibleInstanceError) as error:
            refused = refused or error
    sound = {target: planned for target, planned in found.items() if not planned[1]} or found
    if not sound:
        assert refused is not None, "the rules leave one target at least"
        raise refused
    costs = {target: _usd_per_month(planned, stated.policy.region) for target, planned in sound.items()}
    is_kept = stated.locked is not None and locked_target in sound
    chosen = (
        locked_target
        if is_kept
        else min(costs, key=lambda target: (costs[target] is None, costs[target] or 0.0))
    )
    return _with_reason(sound[chosen], _reason(chosen, costs, is_kept=is_kept))


def _usd_per_month(planned: Planned, region: str) -> float | None:
    plan, _ = planned
    return facet(plan.kind, BillKind).line(plan, region).usd_per_month


def _reason(chosen: str | None, costs: Mapping[str | None, float | None], *, is_kept: bool) -> str:
    amounts = ", ".join(
        f"{target or SAGEMAKER} {'unknown' if usd is None else f'{usd:,.0f}'}"
        for target, usd in costs.items()
    )
    kept = "; the lock keeps it" if is_kept else ""
    return f"target: {CHEAPEST} is {chosen or SAGEMAKER} (USD per month: {amounts}){kept}"


def _with_reason(planned: Planned, reason: str) -> Planned:
    plan, faults = planned
    selection: Any = plan.choices[0].selection
    told = selection.model_copy(update={"assumptions": (reason, *selection.assumptions)})
    return plan.model_copy(update={"selection": told}), faults

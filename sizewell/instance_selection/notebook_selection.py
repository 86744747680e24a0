"""Choose the instance type of a notebook: the cheapest that has what was asked for."""

from dataclasses import dataclass

import numpy as np

from sizewell.instance_selection.catalog import Catalog, InstanceType, Usage
from sizewell.instance_selection.eligibility import ELIGIBILITY_FILTERS, eligible_types
from sizewell.instance_selection.filters import Filter, Miss, apply_filters, no_feasible
from sizewell.instance_selection.pricing import cost_order, job_cost
from sizewell.instance_selection.requirements import NotebookRequirements
from sizewell.instance_selection.results import Candidate, MemoryEstimate, NotebookEstimate, Selection


def select_notebook_instance(needs: NotebookRequirements, catalog: Catalog) -> Selection[NotebookEstimate]:
    """Return the cheapest type with the reasons for all others; raises ``NoFeasibleInstanceError`` when there is none."""
    eligible = eligible_types(catalog, Usage.NOTEBOOK, needs.limits)
    kept, misses = apply_filters(eligible.names, _Columns(eligible.instance_types, needs), NOTEBOOK_FILTERS)
    candidates = [_candidate(eligible.instance_types[i], needs, catalog) for i in kept]
    known = {**eligible.rejected, **misses}
    rejected = tuple(known[t.name] for t in catalog.instance_types if t.name in known)
    if not candidates:
        raise no_feasible(rejected, notebook_filter_names())
    candidates.sort(key=lambda c: (*cost_order(c.cost), c.instance_type))
    chosen = candidates[0]
    return Selection(
        chosen=chosen,
        runners_up=tuple(candidates[1:]),
        rejected=rejected,
        assumptions=(
            f"{needs.hours_per_month:,.4g} hours of use in a month, of {needs.working_hours_per_month:,.4g} working hours; "
            f"on-demand prices of {chosen.cost.price_date or 'unknown date'}",
            catalog.offer(chosen.instance_type, Usage.NOTEBOOK).reason,
        ),
    )


def notebook_filter_names() -> tuple[str, ...]:
    """Return the names of all questions, in the order in which they are asked."""
    return (*ELIGIBILITY_FILTERS, *(f.name for f in NOTEBOOK_FILTERS))


@dataclass(frozen=True)
class _Columns:
    types: tuple[InstanceType, ...]
    needs: NotebookRequirements


def _at_least(name: str, noun: str) -> Filter[_Columns]:
    """Return the question whether a type has as many as ``min_NAME`` of the needs."""

    def offered(one: InstanceType) -> float:
        return float(one.accelerator_count if name == "accelerators" else getattr(one, name))

    def describe(c: _Columns, i: int) -> Miss:
        needed, there = float(getattr(c.needs, f"min_{name}")), offered(c.types[i])
        return Miss(f"has {there:,g} {noun}, {needed:,g} asked", needed / there if there else None)

    return Filter(
        name.removesuffix("_gib"),
        lambda c: np.array([offered(one) < getattr(c.needs, f"min_{name}") for one in c.types], bool),
        describe,
    )


#: The questions that each eligible type must pass.
NOTEBOOK_FILTERS = (
    _at_least("accelerators", "GPUs"),
    _at_least("vcpus", "vCPUs"),
    _at_least("memory_gib", "GiB of memory"),
)


def _candidate(
    one: InstanceType, needs: NotebookRequirements, catalog: Catalog
) -> Candidate[NotebookEstimate]:
    price = catalog.price(one.name, Usage.NOTEBOOK)
    hourly = price.usd_per_hour
    return Candidate[NotebookEstimate](
        instance_type=one.name,
        estimate=NotebookEstimate(
            memory=MemoryEstimate(
                weights_gib=0.0, reserve_gib=needs.min_memory_gib, usable_gib=one.memory_gib
            ),
            vcpus=one.vcpus,
            accelerator_count=one.accelerator_count,
            duration_hours=needs.hours_per_month,
            utilization=needs.hours_per_month / needs.working_hours_per_month,
        ),
        cost=job_cost(price, None if hourly is None else hourly * needs.hours_per_month, discounted=False),
    )

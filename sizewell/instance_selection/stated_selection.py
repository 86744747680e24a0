"""Choose the instance type of a notebook or of a processing job: the cheapest that has what the user states.

No model says what is needed here. Nobody knows how long the user's script takes on which type either, so a run takes as long
as the user says, on every type.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Generic, TypeVar

import numpy as np

from sizewell.instance_selection.best_first import select_best
from sizewell.instance_selection.catalog import Catalog, InstanceType, Price, Usage
from sizewell.instance_selection.eligibility import ELIGIBILITY_FILTERS, eligible_types
from sizewell.instance_selection.filters import Filter, Miss, apply_filters
from sizewell.instance_selection.pricing import job_cost, under_savings_plan
from sizewell.instance_selection.requirements import (
    NotebookRequirements,
    ProcessingRequirements,
    StatedRequirements,
)
from sizewell.instance_selection.results import (
    Candidate,
    MemoryEstimate,
    NotebookEstimate,
    ProcessingEstimate,
    Selection,
)

N = TypeVar("N", bound=StatedRequirements)
_GB_PER_GIB = 2**30 / 1e9
_NotebookCandidate = Candidate[NotebookEstimate]
_ProcessingCandidate = Candidate[ProcessingEstimate]


@dataclass(frozen=True)
class Columns(Generic[N]):
    """The needs, and the types that may meet them."""

    needs: N
    types: tuple[InstanceType, ...]


def _at_least(
    name: str, noun: str, offered: Callable[[InstanceType], float], asked: Callable[[N], float]
) -> Filter[Columns[N]]:
    """Return the filter that keeps the types which have as much as is asked for."""

    def describe(c: Columns[N], i: int) -> Miss:
        has, needed = offered(c.types[i]), asked(c.needs)
        return Miss(f"has {has:g} {noun}, {needed:g} asked", needed / has if has else None)

    return Filter(name, lambda c: np.array([offered(t) < asked(c.needs) for t in c.types], bool), describe)


def _stated_filters(*further: Filter[Columns[N]]) -> tuple[Filter[Columns[N]], ...]:
    """Return the filters of accelerators, vCPUs and memory, and further ones."""
    return (
        _at_least("accelerators", "accelerator(s)", lambda t: t.accelerator_count, lambda n: n.accelerators),
        _at_least("vcpus", "vCPU(s)", lambda t: t.vcpus, lambda n: n.vcpus),
        _at_least("memory", "GiB of memory", lambda t: t.memory_gib, lambda n: n.memory_gib),
        *further,
    )


def _largest_volume_gb(instance_type: InstanceType) -> float:
    """Return the largest volume that a job may ask for: SageMaker attaches none to a type that has disks of its own."""
    has_disks = instance_type.local_storage_nvme and instance_type.local_storage_gb
    return instance_type.local_storage_gb if has_disks else inf


NOTEBOOK_FILTERS: tuple[Filter[Columns[NotebookRequirements]], ...] = _stated_filters()
PROCESSING_FILTERS: tuple[Filter[Columns[ProcessingRequirements]], ...] = _stated_filters(
    _at_least("disk", "GB on disks of its own", _largest_volume_gb, lambda n: n.volume_gib * _GB_PER_GIB),
)


def notebook_filter_names() -> tuple[str, ...]:
    """Return the names of all filters, in their order."""
    return (*ELIGIBILITY_FILTERS, *(f.name for f in NOTEBOOK_FILTERS))


def processing_filter_names() -> tuple[str, ...]:
    """Return the names of all filters, in their order."""
    return (*ELIGIBILITY_FILTERS, *(f.name for f in PROCESSING_FILTERS), "budget")


def select_notebook_instance(needs: NotebookRequirements, catalog: Catalog) -> Selection[NotebookEstimate]:
    """Return the cheapest type, with the reasons against all others. Raises ``NoFeasibleInstanceError``."""
    eligible = eligible_types(catalog, Usage.NOTEBOOK, needs.limits)
    kept, misses = apply_filters(eligible.names, Columns(needs, eligible.instance_types), NOTEBOOK_FILTERS)
    return select_best(
        [_notebook_candidate(needs, eligible.instance_types[i], eligible.prices[i]) for i in kept],
        {**eligible.rejected, **misses},
        catalog,
        notebook_filter_names(),
        partial(_notebook_assumptions, needs, catalog),
        needs.limits.locked,
    )


def select_processing_instance(
    needs: ProcessingRequirements, catalog: Catalog
) -> Selection[ProcessingEstimate]:
    """Return the cheapest type, with the reasons against all others. Raises ``NoFeasibleInstanceError``."""
    eligible = eligible_types(catalog, Usage.PROCESSING, needs.limits)
    kept, misses = apply_filters(eligible.names, Columns(needs, eligible.instance_types), PROCESSING_FILTERS)
    return select_best(
        [_processing_candidate(needs, eligible.instance_types[i], eligible.prices[i]) for i in kept],
        {**eligible.rejected, **misses},
        catalog,
        processing_filter_names(),
        partial(_processing_assumptions, needs),
        needs.limits.locked,
        max_usd_per_run=needs.max_usd_per_run,
    )


def _stated_memory(needs: StatedRequirements, instance_type: InstanceType) -> MemoryEstimate:
    return MemoryEstimate(reserve_gib=needs.memory_gib, weights_gib=0.0, usable_gib=instance_type.memory_gib)


def _notebook_candidate(
    needs: NotebookRequirements, instance_type: InstanceType, price: Price
) -> _NotebookCandidate:
    hours, discount_pct = needs.hours_per_month, needs.savings_plan_discount_pct
    usd = None if price.usd_per_hour is None else price.usd_per_hour * hours * (1 - discount_pct / 100)
    return _NotebookCandidate(
        instance_type=instance_type.name,
        estimate=NotebookEstimate(
            memory=_stated_memory(needs, instance_type),
            vcpus=instance_type.vcpus,
            accelerator_count=instance_type.accelerator_count,
            duration_hours=hours,
            utilization=hours / needs.working_hours_per_month,
        ),
        cost=under_savings_plan(job_cost(price, usd, discounted=False), discount_pct),
    )


def _processing_candidate(
    needs: ProcessingRequirements, instance_type: InstanceType, price: Price
) -> _ProcessingCandidate:
    hours = needs.instance_count * needs.hours * (1 - needs.savings_plan_discount_pct / 100)
    per_run = None if price.usd_per_hour is None else price.usd_per_hour * hours
    estimate = ProcessingEstimate(
        memory=_stated_memory(needs, instance_type),
        instance_count=needs.instance_count,
        vcpus=instance_type.vcpus,
        accelerator_count=instance_type.accelerator_count,
        duration_hours=needs.hours,
        utilization=needs.hours / needs.deadline_hours,
        usd_per_run=per_run,
    )
    per_month = None if per_run is None else per_run * (needs.runs_per_month or 1.0)
    cost = under_savings_plan(job_cost(price, per_month, discounted=False), needs.savings_plan_discount_pct)
    return _ProcessingCandidate(instance_type=instance_type.name, estimate=estimate, cost=cost)


def _notebook_assumptions(
    needs: NotebookRequirements, catalog: Catalog, chosen: _NotebookCandidate
) -> tuple[str, ...]:
    return (
        f"{needs.hours_per_month:,.4g} hours of use in a month, of {needs.working_hours_per_month:,.4g} working hours; "
        f"on-demand prices of {chosen.cost.price_date or 'unknown date'}",
        catalog.offer(chosen.instance_type, Usage.NOTEBOOK).reason,
    )


def _processing_assumptions(needs: ProcessingRequirements, chosen: _ProcessingCandidate) -> Iterator[str]:
    runs = f"{needs.runs_per_month:.2f} runs per month" if needs.runs_per_month else "one run per month"
    yield f"{runs}; on-demand prices of {chosen.cost.price_date or 'unknown date'}"
    if needs.expected_hours is None:
        yield f"no expected_hours are stated, so a run is paid for its whole deadline of {needs.deadline_hours:g} h"
    else:
        yield f"a run takes the {needs.expected_hours:g} h that are stated, on every type"
    if needs.savings_plan_discount_pct:
        yield f"a Savings Plan takes {needs.savings_plan_discount_pct:g} % off every hour"

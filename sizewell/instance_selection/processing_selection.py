"""Choose the instance type of a processing job: the cheapest that has what is asked for.

Nobody can tell how long a script of the user's takes on which type, so a run is as long as the user says on all of them.
"""

from functools import partial
from math import inf

from sizewell.instance_selection.best_first import select_best
from sizewell.instance_selection.budget import within_budget
from sizewell.instance_selection.catalog import Catalog, InstanceType, Price, Usage
from sizewell.instance_selection.eligibility import ELIGIBILITY_FILTERS, eligible_types
from sizewell.instance_selection.filters import Filter, apply_filters
from sizewell.instance_selection.pricing import job_cost, under_savings_plan
from sizewell.instance_selection.requirements import ProcessingRequirements
from sizewell.instance_selection.results import Candidate, MemoryEstimate, ProcessingEstimate, Selection
from sizewell.instance_selection.stated_needs import Columns, least, of_each_instance

_GB_PER_GIB = 2**30 / 1e9
_ProcessingCandidate = Candidate[ProcessingEstimate]


def select_processing_instance(
    needs: ProcessingRequirements, catalog: Catalog
) -> Selection[ProcessingEstimate]:
    """Return the cheapest type that has what is asked for, with the reasons for all others.

    Raises ``NoFeasibleInstanceError`` when there is none.
    """
    eligible = eligible_types(catalog, Usage.PROCESSING, needs.limits)
    columns = Columns(needs, eligible.instance_types)
    kept, misses = apply_filters(eligible.names, columns, PROCESSING_FILTERS)
    candidates = [_candidate(needs, eligible.instance_types[i], eligible.prices[i]) for i in kept]
    candidates, over = within_budget(
        candidates, lambda c: c.estimate.usd_per_run, needs.max_usd_per_run, "a run costs {cost}"
    )
    return select_best(
        candidates,
        {**eligible.rejected, **misses, **over},
        catalog,
        processing_filter_names(),
        partial(_assumptions, needs),
    )


def processing_filter_names() -> tuple[str, ...]:
    """Return the names of all questions, in the order in which they are asked."""
    return (*ELIGIBILITY_FILTERS, *(f.name for f in PROCESSING_FILTERS), "budget")


def _disk_gb(instance_type: InstanceType) -> float:
    """Return the largest volume: a type with disks of its own gets none, and a request for more than they hold is refused."""
    return (
        instance_type.local_storage_gb
        if instance_type.local_storage_nvme and instance_type.local_storage_gb
        else inf
    )


#: The questions that each eligible type must pass.
PROCESSING_FILTERS: tuple[Filter[Columns[ProcessingRequirements]], ...] = of_each_instance(
    least("disk", "GB on disks of its own", _disk_gb, lambda n: n.volume_gib * _GB_PER_GIB),
)


def _candidate(
    needs: ProcessingRequirements, instance_type: InstanceType, price: Price
) -> _ProcessingCandidate:
    hours = needs.instance_count * needs.hours * (1 - needs.savings_plan_discount_pct / 100)
    per_run = None if price.usd_per_hour is None else price.usd_per_hour * hours
    estimate = ProcessingEstimate(
        memory=MemoryEstimate(
            reserve_gib=needs.memory_gib, weights_gib=0.0, usable_gib=instance_type.memory_gib
        ),
        instance_count=needs.instance_count,
        vcpus=instance_type.vcpus,
        accelerator_count=instance_type.accelerator_count,
        duration_hours=needs.hours,
        utilization=needs.hours / needs.deadline_hours,
        usd_per_run=per_run,
    )
    cost = job_cost(
        price, None if per_run is None else per_run * (needs.runs_per_month or 1.0), discounted=False
    )
    cost = under_savings_plan(cost, needs.savings_plan_discount_pct)
    return _ProcessingCandidate(instance_type=instance_type.name, estimate=estimate, cost=cost)


def _assumptions(needs: ProcessingRequirements, chosen: _ProcessingCandidate) -> tuple[str, ...]:
    runs = f"{needs.runs_per_month:.2f} runs per month" if needs.runs_per_month else "one run per month"
    lines = [
        f"{runs}; on-demand prices of {chosen.cost.price_date or 'unknown date'}",
        f"a run takes the {needs.expected_hours:g} h that are stated, on every type"
        if needs.expected_hours is not None
        else f"no expected_hours are stated: a run is paid for the whole deadline of {needs.deadline_hours:g} h, its most",
    ]
    if needs.savings_plan_discount_pct:
        lines.append(f"a Savings Plan takes {needs.savings_plan_discount_pct:g} % off every hour")
    return tuple(lines)

"""Choose the instance type of a notebook: the cheapest that has what is asked for."""

from functools import partial

from sizewell.instance_selection.best_first import select_best
from sizewell.instance_selection.catalog import Catalog, InstanceType, Price, Usage
from sizewell.instance_selection.eligibility import ELIGIBILITY_FILTERS, eligible_types
from sizewell.instance_selection.filters import Filter, apply_filters
from sizewell.instance_selection.pricing import job_cost, under_savings_plan
from sizewell.instance_selection.requirements import NotebookRequirements
from sizewell.instance_selection.results import Candidate, MemoryEstimate, NotebookEstimate, Selection
from sizewell.instance_selection.stated_needs import Columns, of_each_instance

#: The questions that each eligible type must pass.
NOTEBOOK_FILTERS: tuple[Filter[Columns[NotebookRequirements]], ...] = of_each_instance()


def select_notebook_instance(needs: NotebookRequirements, catalog: Catalog) -> Selection[NotebookEstimate]:
    """Return the cheapest type with the reasons for all others; raises ``NoFeasibleInstanceError`` when there is none."""
    eligible = eligible_types(catalog, Usage.NOTEBOOK, needs.limits)
    columns = Columns(needs, eligible.instance_types)
    kept, misses = apply_filters(eligible.names, columns, NOTEBOOK_FILTERS)
    return select_best(
        [_candidate(needs, eligible.instance_types[i], eligible.prices[i]) for i in kept],
        {**eligible.rejected, **misses},
        catalog,
        notebook_filter_names(),
        partial(_assumptions, needs, catalog),
    )


def notebook_filter_names() -> tuple[str, ...]:
    """Return the names of all questions, in the order in which they are asked."""
    return (*ELIGIBILITY_FILTERS, *(f.name for f in NOTEBOOK_FILTERS))


def _candidate(
    needs: NotebookRequirements, instance_type: InstanceType, price: Price
) -> Candidate[NotebookEstimate]:
    hours, discount_pct = needs.hours_per_month, needs.savings_plan_discount_pct
    usd = None if price.usd_per_hour is None else price.usd_per_hour * hours * (1 - discount_pct / 100)
    return Candidate[NotebookEstimate](
        instance_type=instance_type.name,
        estimate=NotebookEstimate(
            memory=MemoryEstimate(
                reserve_gib=needs.memory_gib, weights_gib=0.0, usable_gib=instance_type.memory_gib
            ),
            vcpus=instance_type.vcpus,
            accelerator_count=instance_type.accelerator_count,
            duration_hours=hours,
            utilization=hours / needs.working_hours_per_month,
        ),
        cost=under_savings_plan(job_cost(price, usd, discounted=False), discount_pct),
    )


def _assumptions(
    needs: NotebookRequirements, catalog: Catalog, chosen: Candidate[NotebookEstimate]
) -> tuple[str, ...]:
    return (
        f"{needs.hours_per_month:,.4g} hours of use in a month, of {needs.working_hours_per_month:,.4g} working hours; "
        f"on-demand prices of {chosen.cost.price_date or 'unknown date'}",
        catalog.offer(chosen.instance_type, Usage.NOTEBOOK).reason,
    )

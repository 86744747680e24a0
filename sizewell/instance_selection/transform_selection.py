"""Choose the instance type and count of a transform job."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection.best_first import select_best
from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.eligibility import ELIGIBILITY_FILTERS, eligible_types
from sizewell.instance_selection.endpoint_assumptions import pipeline_assumptions
from sizewell.instance_selection.endpoint_selection import ENDPOINT_FILTERS
from sizewell.instance_selection.filters import Filter, Marks, Miss, apply_filters
from sizewell.instance_selection.pricing import job_cost, under_savings_plan
from sizewell.instance_selection.requirements import TransformRequirements
from sizewell.instance_selection.results import Candidate, Selection, TransformEstimate
from sizewell.instance_selection.transform_evaluation import TransformColumns
from sizewell.instance_selection.wording import counted

_TransformCandidate = Candidate[TransformEstimate]


def select_transform_instance(needs: TransformRequirements, catalog: Catalog) -> Selection[TransformEstimate]:
    """Return the best type and count that end in time, with the reasons for all others.

    The best is the cheapest, or the fastest, as the objective says. Raises ``NoFeasibleInstanceError`` when there is none.
    """
    serving = needs.serving
    eligible = eligible_types(
        catalog, needs.usage, needs.limits, serving.model.architecture, serving.model.framework
    )
    columns = TransformColumns(needs, eligible)
    kept, misses = apply_filters(eligible.names, columns, TRANSFORM_FILTERS)
    return select_best(
        [_candidate(columns, i) for i in kept],
        {**eligible.rejected, **misses},
        catalog,
        transform_filter_names(),
        partial(_assumptions, needs),
        needs.limits.locked,
        objective=serving.objective,
        max_usd_per_month=serving.max_usd_per_month,
        max_usd_per_run=needs.max_usd_per_run,
    )


def transform_filter_names() -> tuple[str, ...]:
    """Return the names of all filters, in their order."""
    return (*ELIGIBILITY_FILTERS, *(f.name for f in TRANSFORM_FILTERS), "budget")


def _disk(c: TransformColumns) -> Marks:
    return np.asarray(c.memory.artifact_gb > c.disk_gb)


def _describe_disk(c: TransformColumns, i: int) -> Miss:
    needed, offered = c.memory.artifact_gb, float(c.disk_gb[i])
    return Miss(
        f"needs {needed:,.0f} GB of disk for the artifact, a transform job has {offered:,.0f}",
        needed / offered,
    )


def _timeout(c: TransformColumns) -> Marks:
    return np.asarray(c.request_s * (1 + c.needs.margin) > c.needs.max_p95_latency_ms / 1000)


def _describe_timeout(c: TransformColumns, i: int) -> Miss:
    needed, longest = float(c.request_s[i]) * (1 + c.needs.margin), c.needs.max_p95_latency_ms / 1000
    rows = c.run.rows_per_request
    return Miss(
        f"a request of {counted(rows, 'row')} takes {needed:,.0f} s, {longest:,.0f} s may pass",
        needed / longest,
    )


def _deadline(c: TransformColumns) -> Marks:
    return np.asarray(~c.in_time.any(0))


def _describe_deadline(c: TransformColumns, i: int) -> Miss:
    margin = c.needs.margin
    hours = float(c.hours[c.fastest[i], i])
    needed = hours * (1 + margin)
    with_margin = f" ({needed:,.2f} h with the margin of {margin:.0%})" if margin else ""
    return Miss(
        f"{hours:,.2f} h{with_margin} on {counted(int(c.counts[c.fastest[i]]), 'instance')}, {c.run.deadline_hours:g} h asked",
        needed / c.run.deadline_hours,
    )


#: The questions that each eligible type must pass, cheapest to answer first.
TRANSFORM_FILTERS: tuple[Filter[TransformColumns], ...] = (
    *(f for f in ENDPOINT_FILTERS if f.name in ("precision", "memory", "host-memory")),
    Filter("disk", _disk, _describe_disk),
    Filter("timeout", _timeout, _describe_timeout),
    Filter("deadline", _deadline, _describe_deadline),
)


def _candidate(c: TransformColumns, i: int) -> Candidate[TransformEstimate]:
    estimate = c.estimate(i)
    per_run = estimate.usd_per_run
    per_month = None if per_run is None else per_run * (c.run.runs_per_month or 1.0)
    cost = job_cost(c.prices[i], per_month, discounted=False)
    return _TransformCandidate.trusted(
        {
            "instance_type": c.types.instance_types[i].name,
            "estimate": estimate,
            "cost": under_savings_plan(cost, c.needs.savings_plan_discount_pct),
        }
    )


def _assumptions(needs: TransformRequirements, chosen: Candidate[TransformEstimate]) -> Iterator[str]:
    runs = f"{needs.runs_per_month:.2f} runs per month" if needs.runs_per_month else "one run per month"
    yield f"{runs}; on-demand prices of {chosen.cost.price_date or 'unknown date'}"
    yield f"{limit(Mode.BATCH, 'start_minutes'):g} minutes of start-up are paid for"
    yield "an instance reads rows at its baseline network bandwidth, and Amazon S3 keeps up with it"
    yield "the handler of the model parses a row in much less time than it answers"
    yield from pipeline_assumptions(needs.serving)
    if chosen.estimate.instance_count > 1:
        yield f"the rows are spread evenly over {needs.objects:,} objects"
    if needs.rows_per_request > 1:
        how = "one after the other" if needs.rows_in_turn > 1 else "them in one pass"
        yield (
            f"the handler of the model reads {needs.rows_per_request:,} rows from a request, and computes {how}"
        )
    if needs.serving.savings_plan_discount_pct:
        yield f"a Savings Plan takes {needs.serving.savings_plan_discount_pct:g} % off every hour"

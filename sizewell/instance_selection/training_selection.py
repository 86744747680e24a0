"""Choose the instance type and count of a training job."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from sizewell.instance_selection.best_first import select_best
from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.eligibility import ELIGIBILITY_FILTERS, eligible_types
from sizewell.instance_selection.filters import Filter, Marks, Miss, apply_filters
from sizewell.instance_selection.pricing import cost_order, job_cost, under_savings_plan
from sizewell.instance_selection.requirements import TrainingRequirements
from sizewell.instance_selection.results import (
    Candidate,
    NoFeasibleInstanceError,
    Selection,
    TrainingEstimate,
)
from sizewell.instance_selection.training_evaluation import TrainingColumns
from sizewell.instance_selection.wording import counted

_TrainingCandidate = Candidate[TrainingEstimate]

#: The largest batch that is derived for an accelerator, in examples: ResNet-50 learns as well from the 8,192 images that 32 of
#: them have in a step as from 256 (Goyal et al. 2017, "Accurate, Large Minibatch SGD", figure 1).
MAX_EXAMPLES = 256
#: And in sequences: eight accelerators have the 64 of a step of Llama 2's fine-tuning (Touvron et al. 2023, section 3.1).
MAX_SEQUENCES = 8
#: A larger batch is taken only where a run gets cheaper by this share at least.
LEAST_GAIN = 0.05


def select_training_instance(needs: TrainingRequirements, catalog: Catalog) -> Selection[TrainingEstimate]:
    """Return the cheapest type and count that finish in time, with the reasons for all others.

    Raises ``NoFeasibleInstanceError`` when there is none.
    """
    return _select(with_batch_size(needs, catalog), catalog)


def with_batch_size(needs: TrainingRequirements, catalog: Catalog) -> TrainingRequirements:
    """Return the needs with a batch size: the stated one, or 1, doubled while that makes a run cheaper by 5 % at least.

    A run may be tried on several instance types, and its script has one batch size: it is derived before the type is chosen.
    """
    if needs.batch_size_per_accelerator is not None:
        return needs
    traits = needs.model.architecture.traits
    largest = (
        MAX_SEQUENCES if traits.transformer and not needs.model.forward_flops_per_image else MAX_EXAMPLES
    )
    found = replace(needs, batch_size_per_accelerator=1)
    if traits.tabular:
        return found
    standing = _standing(found, catalog)
    for batch_size in (2**power for power in range(1, int(math.log2(largest)) + 1)):
        larger = replace(needs, batch_size_per_accelerator=batch_size)
        filters_missed, paid = _standing(larger, catalog)
        if (filters_missed, paid) > (standing[0], standing[1] * (1 - LEAST_GAIN)):
            break
        found, standing = larger, (filters_missed, paid)
    return found


def _standing(needs: TrainingRequirements, catalog: Catalog) -> tuple[int, float]:
    """Return how many filters the best type does not reach, and what it takes: USD, hours, or by how much it misses."""
    try:
        chosen = _select(needs, catalog).chosen
    except NoFeasibleInstanceError as error:
        nearest, names = error.nearest[0], training_filter_names()
        return len(names) - names.index(nearest.filter), nearest.shortfall or math.inf
    unknown, usd = cost_order(chosen.cost, chosen.estimate)
    return 0, chosen.estimate.duration_hours if unknown else usd


def _select(needs: TrainingRequirements, catalog: Catalog) -> Selection[TrainingEstimate]:
    eligible = eligible_types(
        catalog, needs.usage, needs.limits, needs.model.architecture, needs.model.framework, trains=True
    )
    columns = TrainingColumns(needs, eligible, catalog)
    kept, misses = apply_filters(eligible.names, columns, TRAINING_FILTERS)
    return select_best(
        [_candidate(columns, i) for i in kept],
        {**eligible.rejected, **misses},
        catalog,
        training_filter_names(),
        partial(_assumptions, needs),
        needs.limits.locked,
        max_usd_per_run=needs.max_usd_per_run,
    )


def training_filter_names() -> tuple[str, ...]:
    """Return the names of all filters, in their order."""
    return (*ELIGIBILITY_FILTERS, *(f.name for f in TRAINING_FILTERS), "budget")


def _accelerators(c: TrainingColumns) -> Marks:
    min_accelerators = c.needs.min_accelerators
    return np.asarray((c.clusters.max_accelerators < min_accelerators) & (min_accelerators > 1))


def _describe_accelerators(c: TrainingColumns, i: int) -> Miss:
    asked, offered = c.needs.min_accelerators, int(c.clusters.max_accelerators[i])
    return Miss(f"{offered} accelerators at most, {asked} asked", asked / offered if offered else None)


def _precision(c: TrainingColumns) -> Marks:
    return np.array([bool(reason) for reason in c.job.reasons])


def _describe_precision(c: TrainingColumns, i: int) -> Miss:
    return Miss(c.job.reasons[i])


def _memory(c: TrainingColumns) -> Marks:
    return ~c.fits


def _describe_memory(c: TrainingColumns, i: int) -> Miss:
    memory = c.smallest_memory(i)
    needed = memory.needed_gib * (1 + c.needs.margin)
    margin = f" with the margin of {c.needs.margin:.0%}" if c.needs.margin else ""
    where = "of host memory" if c.job.memory_is_on_host[i] else "on each accelerator"
    return Miss(
        f"needs {needed:.1f} GiB{margin} {where}, which offers {memory.usable_gib:.1f}",
        needed / memory.usable_gib if memory.usable_gib else None,
    )


def _deadline(c: TrainingColumns) -> Marks:
    return np.asarray(~c.in_time.any(0))


def _describe_deadline(c: TrainingColumns, i: int) -> Miss:
    size = int(c.fastest[i])
    hours = float(c.promised_hours[size, i])
    needed = hours * (1 + c.needs.margin)
    margin = f" ({needed:,.1f} h with the margin of {c.needs.margin:.0%})" if c.needs.margin else ""
    return Miss(
        f"{hours:,.1f} h{margin} on {counted(int(c.clusters.counts[size, 0]), 'instance')}, {c.needs.deadline_hours:g} h asked",
        needed / c.needs.deadline_hours,
    )


#: The questions that each eligible type must pass, cheapest to answer first.
TRAINING_FILTERS: tuple[Filter[TrainingColumns], ...] = (
    Filter("accelerators", _accelerators, _describe_accelerators),
    Filter("precision", _precision, _describe_precision),
    Filter("memory", _memory, _describe_memory),
    Filter("deadline", _deadline, _describe_deadline),
)


def _candidate(c: TrainingColumns, i: int) -> Candidate[TrainingEstimate]:
    estimate = c.estimate(i)
    per_run = estimate.usd_per_run
    per_month = None if per_run is None else per_run * (c.needs.runs_per_month or 1.0)
    on_spot = estimate.spot_savings_pct is not None
    cost = job_cost(c.prices[i], per_month, discounted=on_spot)
    if not on_spot:
        cost = under_savings_plan(cost, c.needs.savings_plan_discount_pct)
    return _TrainingCandidate.trusted({"instance_type": c.types[i].name, "estimate": estimate, "cost": cost})


def _assumptions(needs: TrainingRequirements, chosen: Candidate[TrainingEstimate]) -> Iterator[str]:
    runs = f"{needs.runs_per_month:.2f} runs per month" if needs.runs_per_month else "one run per month"
    if needs.prepaid:
        yield f"{runs}; the training plan has paid for the instances"
    else:
        yield f"{runs}; on-demand prices of {chosen.cost.price_date or 'unknown date'}"
    yield f"{needs.start_up_hours * 60:.0f} minutes of start-up are paid for"
    if needs.savings_plan_discount_pct:
        yield f"a Savings Plan takes {needs.savings_plan_discount_pct:g} % off every hour on demand"
    processors = "accelerators" if chosen.estimate.accelerator_count else "processors"
    yield f"storage and data loading keep up with the {processors}"
    if needs.spot:
        yield "Spot saves and interrupts as the EC2 Spot Instance Advisor last published for the region"
        yield f"{chosen.estimate.interruptions:.2f} interruptions are expected in a run"
        on_demand_hours = chosen.estimate.duration_hours - (chosen.estimate.spot_hours or 0.0)
        if on_demand_hours > 1e-9:
            yield f"the last {on_demand_hours:,.1f} h of a run are on demand: the deadline gives Spot no more time"
    if chosen.estimate.sharded:
        yield "weights, gradients and optimizer states are sharded over all accelerators"
    if chosen.estimate.recompute:
        yield "activations are computed again in the backward pass"
    if (share := chosen.estimate.utilization) and not chosen.estimate.measured:
        yield (
            f"batch_size_per_accelerator is {chosen.estimate.batch_size_per_accelerator:,}, which takes {share:.0%} of the peak "
            "arithmetic of an accelerator"
        )
    yield from needs.assumptions

"""Choose the instance type and count of a training job."""

from instance_selection.catalog import Catalog, Usage
from instance_selection.estimation.training_time import START_UP_HOURS
from instance_selection.filters import (
    Filter,
    Miss,
    apply_filters,
    check_image,
    check_pinned,
    check_policy,
    check_region,
    check_use,
    no_feasible,
)
from instance_selection.pricing import cost_order, job_cost
from instance_selection.requirements import TrainingRequirements
from instance_selection.results import Candidate, Selection, TrainingEstimate
from instance_selection.training_evaluation import TrainingEvaluation


def select_training_instance(needs: TrainingRequirements, catalog: Catalog) -> Selection[TrainingEstimate]:
    """Return the cheapest type and count that finish in time, with the reasons for all others.

    Raises ``NoFeasibleInstanceError`` when there is none.
    """
    filters = training_filters(needs, catalog)
    kept, rejected = apply_filters(
        ((t.name, TrainingEvaluation(needs, t, catalog)) for t in catalog.instance_types), filters
    )
    if not kept:
        raise no_feasible(rejected, tuple(f.name for f in filters))
    candidates = [_candidate(e) for e in kept]
    # Ties: the faster one, then the name.
    candidates.sort(key=lambda c: (*cost_order(c.cost), c.estimate.duration_hours, c.instance_type))
    return Selection(
        chosen=candidates[0],
        runners_up=tuple(candidates[1:]),
        rejected=rejected,
        assumptions=_assumptions(needs, candidates[0]),
    )


def training_filters(needs: TrainingRequirements, catalog: Catalog) -> tuple[Filter[TrainingEvaluation], ...]:
    """Return the questions that each type must pass, cheapest to answer first."""
    limits, model = needs.limits, needs.model
    return (
        Filter("pinned", lambda e: check_pinned(e.instance_type, limits)),
        Filter("use", lambda e: check_use(e.instance_type, Usage.TRAINING)),
        Filter("region", lambda e: check_region(e.instance_type, catalog, Usage.TRAINING)),
        Filter("policy", lambda e: check_policy(e.instance_type, limits)),
        Filter("image", lambda e: check_image(e.instance_type, limits, model)),
        Filter("accelerators", _check_accelerators),
        Filter("precision", _check_precision),
        Filter("estimate", _check_estimate),
        Filter("memory", _check_memory),
        Filter("deadline", _check_deadline),
    )


def _check_accelerators(e: TrainingEvaluation) -> Miss | None:
    least, most = e.needs.min_accelerators, e.instance_type.accelerator_count * e.instance_counts[-1]
    if least <= 1 or most >= least:
        return None
    return Miss(f"{most} accelerators at most, {least} asked", least / most if most else None)


def _check_precision(e: TrainingEvaluation) -> Miss | None:
    found = e.processor_or_reason
    return Miss(found) if isinstance(found, str) else None


def _check_estimate(e: TrainingEvaluation) -> Miss | None:
    if e.efficiency is None:
        return Miss(
            f"no efficiency is known for training a {e.needs.model.architecture} on {e.processor.table_name}"
        )
    return None


def _check_memory(e: TrainingEvaluation) -> Miss | None:
    if e.layouts:
        return None
    memory = e.largest_memory
    return Miss(
        f"needs {memory.needed_gib:.1f} GiB on each accelerator, which offers {memory.usable_gib:.1f}",
        memory.needed_gib / memory.usable_gib if memory.usable_gib else None,
    )


def _check_deadline(e: TrainingEvaluation) -> Miss | None:
    fastest = e.fastest
    if fastest.duration_hours <= e.needs.deadline_hours:
        return None
    return Miss(
        f"{fastest.duration_hours:,.1f} h on {fastest.instance_count} instance(s), "
        f"{e.needs.deadline_hours:g} h asked",
        fastest.duration_hours / e.needs.deadline_hours,
    )


def _candidate(e: TrainingEvaluation) -> Candidate[TrainingEstimate]:
    estimate = e.cheapest
    per_run = estimate.usd_per_run
    return Candidate(
        instance_type=e.instance_type.name,
        estimate=estimate,
        cost=job_cost(
            e.catalog.price(e.instance_type.name, Usage.TRAINING),
            None if per_run is None else per_run * (e.needs.runs_per_month or 1.0),
            discounted=estimate.spot_savings_pct is not None,
        ),
    )


def _assumptions(needs: TrainingRequirements, chosen: Candidate[TrainingEstimate]) -> tuple[str, ...]:
    runs = f"{needs.runs_per_month:.2f} runs per month" if needs.runs_per_month else "one run per month"
    lines = [
        f"{runs}; on-demand prices of {chosen.cost.price_date or 'unknown date'}",
        f"{START_UP_HOURS * 60:.0f} minutes of start-up are paid for",
        "storage and data loading keep up with the accelerators",
    ]
    if needs.spot:
        lines.append(
            "Spot saves and interrupts as the EC2 Spot Instance Advisor last published for the region"
        )
    if chosen.estimate.sharded:
        lines.append("weights, gradients and optimizer states are sharded over all accelerators")
    return (*lines, *needs.assumptions)

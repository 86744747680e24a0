"""Modes that answer later: asynchronous endpoints, from a queue, and batch transform, with the next job."""

from dataclasses import replace

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection.catalog import Catalog, Usage
from sizewell.instance_selection.modes.asynchronous import asynchronous_needs
from sizewell.instance_selection.modes.candidates import (
    EndpointCandidate,
    EndpointSelection,
    cheapest,
    try_select,
)
from sizewell.instance_selection.modes.cost_curves import CostCurve, Jobs, WakingFleet
from sizewell.instance_selection.modes.evaluation import Evaluation, curve_of
from sizewell.instance_selection.modes.misses import answer_miss, payload_misses
from sizewell.instance_selection.modes.needs import Load, ModeNeeds
from sizewell.instance_selection.modes.results import ModeMiss


def evaluate_asynchronous(needs: ModeNeeds, load: Load, catalog: Catalog) -> Evaluation:
    """Return the endpoint with a queue that costs least; it sleeps when the wait allows its start."""
    mode = Mode.ASYNCHRONOUS
    misses = (*answer_miss(needs), *payload_misses(mode, needs))
    queued = asynchronous_needs(
        needs.endpoint,
        max_wait_s=float("inf") if needs.max_wait_minutes is None else needs.max_wait_minutes * 60,
        average_requests_per_second=load.average_requests_per_second,
        active_hours_per_day=needs.active_hours_per_day,
    )
    selection = _named_wait(try_select(queued, catalog))
    if isinstance(selection, ModeMiss):
        return Evaluation(mode=mode, misses=(*misses, selection))
    queue = queued.queue
    assert queue is not None

    def sleeps(candidate: EndpointCandidate) -> bool:
        return queue.leaves_time_to_wake(candidate.estimate.service_time_ms / 1000)

    def fleet(candidate: EndpointCandidate) -> CostCurve | None:
        if candidate.cost.usd_per_hour is None:
            return None
        piece = WakingFleet(
            usd_per_hour=candidate.cost.usd_per_hour,
            hours_per_request=_hours_per_request(candidate, needs),
            hours_per_wake=(queue.wake_s + queue.idle_s) / 3600,
            active_hours=needs.active_hours_per_month,
            min_hours=0.0 if sleeps(candidate) else HOURS_PER_MONTH,
        )
        return curve_of(("instances while awake", piece))

    best = cheapest((selection.chosen, *selection.runners_up), fleet, load)
    assert best is not None
    return Evaluation(
        mode=mode,
        misses=misses,
        runs_on=best.instance_type,
        cold_start_s=queue.wake_s if sleeps(best) else None,
        p95_latency_ms=None,
        curve=fleet(best),
        basis=best.cost.basis,
        price_date=best.cost.price_date,
        conditions=("requests and answers go through S3, or SNS tells of them",),
        assumptions=(
            f"an asynchronous endpoint wakes in {queue.wake_s / 60:g} minutes, sleeps after "
            f"{queue.idle_s / 60:g} idle ones, and pays for both; min_instances does not hold for it",
        ),
    )


def evaluate_batch(needs: ModeNeeds, load: Load, catalog: Catalog) -> Evaluation:
    """Return the transform jobs that cost least: half of the wait collects requests, half works."""
    mode = Mode.BATCH
    misses = (*answer_miss(needs), *payload_misses(mode, needs))
    start_s = limit(mode, "start_minutes") * 60
    # Without a stated wait there is no pace: one job a day is shown.
    pace_s = 24 * 3600.0 if needs.max_wait_minutes is None else (needs.max_wait_minutes * 60 - start_s) / 2
    if pace_s <= 0:
        return Evaluation(mode=mode, misses=(*misses, _start_miss(start_s, needs.max_wait_minutes or 0.0)))
    selection = _select_behind_a_queue(needs, load, min(pace_s, limit(mode, "max_processing_s")), catalog)
    if isinstance(selection, ModeMiss):
        return Evaluation(mode=mode, misses=(*misses, selection))
    jobs = max(1.0, needs.active_hours_per_month * 3600 / pace_s)

    def work(candidate: EndpointCandidate) -> CostCurve | None:
        price = catalog.price(candidate.instance_type, Usage.TRANSFORM)
        if price.usd_per_hour is None:
            return None
        piece = Jobs(
            usd_per_hour=price.usd_per_hour,
            hours_per_request=_hours_per_request(candidate, needs),
            hours_per_start=start_s / 3600,
            jobs=jobs,
        )
        return curve_of(("instances of jobs", piece))

    offered = [
        c
        for c in (selection.chosen, *selection.runners_up)
        if catalog.is_offered(c.instance_type, Usage.TRANSFORM)
    ]
    best = cheapest(offered, work, load)
    if best is None:
        reason = f"none of the types that will do is offered for transform jobs in {catalog.region}"
        return Evaluation(mode=mode, misses=(*misses, ModeMiss(requirement="region", reason=reason)))
    price = catalog.price(best.instance_type, Usage.TRANSFORM)
    return Evaluation(
        mode=mode,
        misses=misses,
        runs_on=best.instance_type,
        p95_latency_ms=None,
        curve=work(best),
        basis=price.basis,
        price_date=price.as_of,
        conditions=("requests are collected in S3 until the next job",),
        assumptions=(
            f"a transform job starts in {start_s / 60:g} minutes, which are paid; {jobs:,.0f} jobs a month at most",
        ),
    )


def _select_behind_a_queue(
    needs: ModeNeeds, load: Load, max_answer_s: float, catalog: Catalog
) -> EndpointSelection | ModeMiss:
    """Return the types for the mean of the active hours, whatever the peak, with so much time for one answer."""
    rate = load.average_requests_per_second * 24 / needs.active_hours_per_day
    queued = replace(
        needs.endpoint.with_only_latency_bound(max_answer_s * 1000),
        peak_requests_per_second=rate,
        average_requests_per_second=rate,
        peak_concurrent_users=None,
        average_concurrent_users=None,
        min_instances=1,
    )
    return _named_wait(try_select(queued, catalog))


def _named_wait(found: EndpointSelection | ModeMiss) -> EndpointSelection | ModeMiss:
    if isinstance(found, ModeMiss) and found.requirement == "latency":
        return found.model_copy(update={"requirement": "wait"})
    return found


def _hours_per_request(candidate: EndpointCandidate, needs: ModeNeeds) -> float:
    """Return the instance-hours that one request keeps busy, headroom included."""
    rate = candidate.estimate.capacity_requests_per_second * (1 - needs.endpoint.headroom)
    return 1 / (rate * 3600)


def _start_miss(start_s: float, wait_minutes: float) -> ModeMiss:
    return ModeMiss(
        requirement="wait",
        reason=f"a job takes {start_s / 60:g} minutes to start, {wait_minutes:g} minutes may be waited",
        shortfall=start_s / 60 / wait_minutes,
    )

"""Modes that run on instances: real-time and multi-model endpoints, asynchronous endpoints, and batch transform."""

import math
from dataclasses import replace

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.facts.serving_modes import Mode, limit
from sizewell.facts.transform_jobs import MAX_INSTANCES, MAX_PAYLOAD_MB
from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.multi_model_filters import loaded_estimate
from sizewell.instance_selection.requirements import (
    EndpointRequirements,
    Engine,
    ModelSet,
    TransformRequirements,
    one_after_the_other,
)
from sizewell.instance_selection.results import Candidate, NoFeasibleInstanceError, TransformEstimate
from sizewell.instance_selection.transform_selection import select_transform_instance
from sizewell.serving_modes.asynchronous import asynchronous_needs
from sizewell.serving_modes.cost_curves import CostCurve, Piece, jobs, steps, waking_fleet
from sizewell.serving_modes.evaluation import (
    EndpointCandidate,
    EndpointSelection,
    Evaluation,
    curve_of,
    data_of,
    missed,
    no_type_miss,
    try_select,
    usd_per_hour_of,
)
from sizewell.serving_modes.misses import (
    answer_miss,
    archive_miss,
    container_misses,
    payload_misses,
)
from sizewell.serving_modes.needs import Load, ModeNeeds
from sizewell.serving_modes.results import ModeMiss, ModeOption

#: Break-even is not looked for in greater fleets.
MAX_FLEET = 1000


def evaluate_real_time(
    needs: ModeNeeds, load: Load, catalog: Catalog, selection: EndpointSelection | ModeMiss
) -> Evaluation:
    """Return the endpoint that the selection picks, with its fleet at any load."""
    mode, misses = Mode.REAL_TIME, payload_misses(Mode.REAL_TIME, needs)
    if isinstance(selection, ModeMiss):
        return missed(mode, *misses, selection)
    chosen = selection.chosen
    per_instance = _requests_per_instance(chosen, needs, load, catalog)
    return Evaluation(
        option=ModeOption(
            mode=mode,
            misses=misses,
            runs_on=f"{chosen.estimate.instances_at_average} x {chosen.instance_type}",
            p95_latency_ms=chosen.estimate.p95_latency_ms,
            basis=chosen.cost.basis,
            price_date=chosen.cost.price_date,
        ),
        curve=curve_of(
            (
                "instances",
                _instances(usd_per_hour_of(chosen, needs), per_instance, needs.endpoint.min_instances),
            ),
            *data_of(mode, needs, catalog.region),
        ),
        max_requests=per_instance * min(needs.endpoint.max_instances, MAX_FLEET),
    )


def evaluate_multi_model(needs: ModeNeeds, load: Load, catalog: Catalog) -> Evaluation:
    """Return our share of the cheapest fleet for all similar models, which get as many requests each."""
    mode, models = Mode.MULTI_MODEL, needs.similar_models
    misses = (*payload_misses(mode, needs), *container_misses(mode, needs))
    if models < 2:
        misses += (
            ModeMiss(requirement="models", reason="one model has no other model to share a fleet with"),
        )
    if needs.endpoint.engine is Engine.LLM_ENGINE:
        return missed(
            mode, *misses, ModeMiss(requirement="engine", reason="an llm-engine keeps one model in memory")
        )
    of_all = _of_all(needs.endpoint, models)
    selection = try_select(of_all, catalog)
    if isinstance(selection, ModeMiss):
        return missed(mode, *misses, selection)
    best = selection.chosen
    usd_per_hour = usd_per_hour_of(best, needs)
    loaded = loaded_estimate(of_all, catalog, best.instance_type)
    per_instance = _requests_per_instance(best, needs, load, catalog) / models
    # This many instances hold the models, however few requests there are.
    least = max(needs.endpoint.min_instances, loaded.fewest_instances)
    return Evaluation(
        option=ModeOption(
            mode=mode,
            misses=misses,
            runs_on=f"{best.instance_type} for {models}",
            p95_latency_ms=best.estimate.p95_latency_ms,
            cold_start_s=loaded.load_s,
            shared_by=models,
            basis=best.cost.basis,
            price_date=best.cost.price_date,
            conditions=(
                "a container for several models (Multi Model Server on CPUs, Triton on GPUs)",
                "the models share the capacity: the peak of one model slows the others",
            ),
        ),
        curve=curve_of(
            (f"1/{models} of the instances", _instances(usd_per_hour, per_instance, least, 1 / models)),
            *data_of(Mode.REAL_TIME, needs, catalog.region),
        ),
        fleet=curve_of(("instances", _instances(usd_per_hour, per_instance, least))),
        max_requests=per_instance * min(needs.endpoint.max_instances, MAX_FLEET),
        assumptions=(
            f"multi-model: {loaded.per_instance:,} of {models:,} models fit in the memory of an instance, "
            f"{loaded.miss_share:.1%} of the requests wait {loaded.load_s:.3g} s for theirs",
        ),
    )


def _of_all(needs: EndpointRequirements, models: int) -> EndpointRequirements:
    """Return what all similar models need together: each as many requests, each as much money."""

    def of_all(value: float | None) -> float | None:
        return None if value is None else value * models

    return replace(
        needs,
        models=ModelSet(count=models, max_cold_latency_ms=limit(Mode.MULTI_MODEL, "max_processing_s") * 1000),
        peak_requests_per_second=of_all(needs.peak_requests_per_second),
        average_requests_per_second=of_all(needs.average_requests_per_second),
        peak_concurrent_users=of_all(needs.peak_concurrent_users),
        average_concurrent_users=of_all(needs.average_concurrent_users),
        max_usd_per_month=of_all(needs.max_usd_per_month),
        # What was measured was measured of one model alone.
        measurements=(),
    )


def _requests_per_instance(
    candidate: EndpointCandidate, needs: ModeNeeds, load: Load, catalog: Catalog
) -> float:
    """Return the requests per month that one instance carries with the headroom kept free."""
    estimate = candidate.estimate
    capacity = estimate.capacity_concurrency if load.by_users else estimate.capacity_requests_per_second
    # A burstable type is not scaled: its fleet is that of the peak all month.
    peak_over_average = load.peak_units / load.average_units
    share = 1 / peak_over_average if catalog.get(candidate.instance_type).burstable else 1.0
    return capacity * (1 - needs.endpoint.headroom) * load.requests_per_unit * share


def _instances(
    usd_per_hour: float | None, per_instance: float, min_instances: int, share: float = 1.0
) -> Piece | None:
    if usd_per_hour is None:
        return None
    return steps(usd_per_hour * HOURS_PER_MONTH, per_instance, min_instances, share)


def evaluate_asynchronous(needs: ModeNeeds, load: Load, catalog: Catalog) -> Evaluation:
    """Return the endpoint with a queue that costs least; it sleeps when the wait allows its start."""
    mode = Mode.ASYNCHRONOUS
    misses = (*answer_miss(needs), *payload_misses(mode, needs), *container_misses(mode, needs))
    queued = asynchronous_needs(
        needs.endpoint,
        max_wait_s=float("inf") if needs.max_wait_minutes is None else needs.max_wait_minutes * 60,
        average_requests_per_second=load.average_requests_per_second,
        active_hours_per_day=needs.active_hours_per_day,
    )
    selection = try_select(queued, catalog)
    if isinstance(selection, ModeMiss):
        return missed(mode, *misses, _called_wait(selection, "latency"))
    queue = queued.queue
    assert queue is not None

    def sleeps(candidate: EndpointCandidate) -> bool:
        return queue.leaves_time_to_wake(candidate.estimate.service_time_ms / 1000)

    def fleet(candidate: EndpointCandidate) -> CostCurve | None:
        usd_per_hour = usd_per_hour_of(candidate, needs)
        if usd_per_hour is None:
            return None
        # What one request keeps busy, headroom included.
        rate = candidate.estimate.capacity_requests_per_second * (1 - needs.endpoint.headroom)
        piece = waking_fleet(
            usd_per_hour=usd_per_hour,
            hours_per_request=1 / (rate * 3600),
            hours_per_wake=(queue.wake_s + queue.idle_s) / 3600,
            active_hours=needs.active_hours_per_month,
            min_hours=0.0 if sleeps(candidate) else HOURS_PER_MONTH,
        )
        return curve_of(("instances while awake", piece))

    def order(candidate: EndpointCandidate) -> tuple[bool, float, str]:
        """Return the sort key: the lowest bill at the stated load, an unknown price last."""
        bill = fleet(candidate)
        return bill is None, bill.usd(load.requests_per_month) if bill else 0.0, candidate.instance_type

    best = min((selection.chosen, *selection.runners_up), key=order)
    return Evaluation(
        option=ModeOption(
            mode=mode,
            misses=misses,
            runs_on=best.instance_type,
            cold_start_s=queue.wake_s if sleeps(best) else None,
            basis=best.cost.basis,
            price_date=best.cost.price_date,
            conditions=("requests and answers go through S3, and SNS can announce an answer",),
        ),
        curve=fleet(best),
        assumptions=(
            f"an asynchronous endpoint wakes in {queue.wake_s / 60:g} minutes, sleeps after "
            f"{queue.idle_s / 60:g} idle ones, and pays for both; min_instances does not apply",
        ),
    )


def evaluate_batch(needs: ModeNeeds, load: Load, catalog: Catalog) -> Evaluation:
    """Return the transform jobs that cost least: half of the wait collects requests, half works."""
    mode = Mode.BATCH
    misses = (
        *answer_miss(needs),
        *payload_misses(mode, needs),
        *archive_miss(needs, "transform jobs"),
    )
    start_s, wait_minutes = limit(mode, "start_minutes") * 60, needs.max_wait_minutes
    # Without a stated wait there is no pace: one job a day is shown.
    pace_s = 24 * 3600.0 if wait_minutes is None else (wait_minutes * 60 - start_s) / 2
    if wait_minutes is not None and pace_s <= 0:
        reason = f"a job takes {start_s / 60:g} minutes to start, {wait_minutes:g} minutes may be waited"
        shortfall = start_s / 60 / wait_minutes
        return missed(mode, *misses, ModeMiss(requirement="wait", reason=reason, shortfall=shortfall))
    jobs_per_month = max(1.0, needs.active_hours_per_month * 3600 / pace_s)
    transform = _transform_of(needs, load, jobs_per_month, pace_s + start_s)
    try:
        chosen = select_transform_instance(transform, catalog).chosen
    except NoFeasibleInstanceError as error:
        return missed(mode, *misses, _called_wait(no_type_miss(error), "deadline", "timeout"))
    return Evaluation(
        option=ModeOption(
            mode=mode,
            misses=misses,
            runs_on=chosen.instance_type,
            basis=chosen.cost.basis,
            price_date=chosen.cost.price_date,
            conditions=("requests are collected in S3 until the next job",),
        ),
        curve=_curve_of_jobs(
            chosen, usd_per_hour_of(chosen, needs), transform, jobs_per_month, start_s / 3600
        ),
        assumptions=(
            f"a transform job starts in {start_s / 60:g} minutes, which are paid; {jobs_per_month:,.0f} jobs a month at most",
        ),
    )


def _called_wait(miss: ModeMiss, *filters: str) -> ModeMiss:
    """Return the miss of one of these filters as one of the wait, which is what the user states."""
    return miss.model_copy(update={"requirement": "wait"}) if miss.requirement in filters else miss


def _transform_of(
    needs: ModeNeeds, load: Load, jobs_per_month: float, deadline_s: float
) -> TransformRequirements:
    """Return what one job must get through: an object for each request, and as many instances as an endpoint may have."""
    endpoint, longest_s = needs.endpoint, limit(Mode.BATCH, "max_processing_s")
    requests = max(1.0, load.requests_per_month / jobs_per_month)
    return TransformRequirements(
        serving=one_after_the_other(endpoint.with_only_latency_bound(min(longest_s, deadline_s) * 1000)),
        rows=requests,
        objects=math.ceil(requests),
        rows_per_request=1,
        rows_in_turn=1,
        row_mb=needs.payload_mb or 0.0,
        payload_mb=max(1, math.ceil(min(needs.payload_mb or 1.0, MAX_PAYLOAD_MB))),
        deadline_hours=deadline_s / 3600,
        max_instances=min(endpoint.max_instances, MAX_INSTANCES),
        runs_per_month=jobs_per_month,
    )


def _curve_of_jobs(
    chosen: Candidate[TransformEstimate],
    usd_per_hour: float | None,
    transform: TransformRequirements,
    jobs_per_month: float,
    start_hours: float,
) -> CostCurve | None:
    estimate = chosen.estimate
    if usd_per_hour is None:
        return None
    work_hours = (estimate.duration_hours - start_hours) * estimate.instance_count
    piece = jobs(
        usd_per_hour=usd_per_hour,
        hours_per_request=work_hours / transform.rows,
        hours_per_start=start_hours * estimate.instance_count,
        most=jobs_per_month,
    )
    return curve_of(("instances of jobs", piece))

"""Modes whose callers wait on instances that run all the time: real-time and multi-model."""

from dataclasses import replace

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.modes.candidates import EndpointCandidate, EndpointSelection, try_select
from sizewell.instance_selection.modes.cost_curves import Steps
from sizewell.instance_selection.modes.evaluation import Evaluation, curve_of, data_of
from sizewell.instance_selection.modes.misses import container_misses, payload_misses
from sizewell.instance_selection.modes.needs import Load, ModeNeeds
from sizewell.instance_selection.modes.results import ModeMiss
from sizewell.instance_selection.multi_model_filters import loaded_estimate
from sizewell.instance_selection.requirements import EndpointRequirements, Engine, ModelSet

#: Break-even is not looked for in greater fleets.
MAX_FLEET = 1000


def evaluate_real_time(
    needs: ModeNeeds, load: Load, catalog: Catalog, selection: EndpointSelection | ModeMiss
) -> Evaluation:
    """Return the endpoint that the selection picks, with its fleet at any load."""
    misses = payload_misses(Mode.REAL_TIME, needs)
    if isinstance(selection, ModeMiss):
        return Evaluation(mode=Mode.REAL_TIME, misses=(*misses, selection))
    chosen = selection.chosen
    per_instance = _requests_per_instance(chosen, needs, load, catalog)
    return Evaluation(
        mode=Mode.REAL_TIME,
        misses=misses,
        runs_on=f"{chosen.estimate.instances_at_average} x {chosen.instance_type}",
        p95_latency_ms=chosen.estimate.p95_latency_ms,
        curve=curve_of(
            ("instances", _steps(chosen, per_instance, needs.endpoint.min_instances)),
            *data_of(Mode.REAL_TIME, needs, catalog.region),
        ),
        max_requests=per_instance * min(needs.endpoint.max_instances, MAX_FLEET),
        basis=chosen.cost.basis,
        price_date=chosen.cost.price_date,
    )


def evaluate_multi_model(needs: ModeNeeds, load: Load, catalog: Catalog) -> Evaluation:
    """Return our share of the cheapest fleet for all similar models, which get as many requests each."""
    mode, models = Mode.MULTI_MODEL, needs.similar_models
    misses = (*payload_misses(mode, needs), *container_misses(mode, needs))
    if models < 2:
        misses += (ModeMiss(requirement="models", reason="one model has nobody to share a fleet with"),)
    if needs.endpoint.engine is Engine.LLM_ENGINE:
        misses += (ModeMiss(requirement="engine", reason="an llm-engine keeps one model in memory"),)
        return Evaluation(mode=mode, misses=misses)
    of_all = _of_all(needs.endpoint, models)
    selection = try_select(of_all, catalog)
    if isinstance(selection, ModeMiss):
        return Evaluation(mode=mode, misses=(*misses, selection))
    best = selection.chosen
    loaded = loaded_estimate(of_all, catalog, best.instance_type)
    per_instance = _requests_per_instance(best, needs, load, catalog) / models
    # However few requests there are, so many instances hold the models.
    least = max(needs.endpoint.min_instances, loaded.fewest_instances)

    data = data_of(Mode.REAL_TIME, needs, catalog.region)
    return Evaluation(
        mode=mode,
        misses=misses,
        runs_on=f"{best.instance_type} for {models}",
        p95_latency_ms=best.estimate.p95_latency_ms,
        cold_start_s=loaded.load_s,
        curve=curve_of(
            (f"1/{models} of the instances", _steps(best, per_instance, least, 1 / models)), *data
        ),
        shared_by=models,
        fleet=curve_of(("instances", _steps(best, per_instance, least))),
        max_requests=per_instance * min(needs.endpoint.max_instances, MAX_FLEET),
        basis=best.cost.basis,
        price_date=best.cost.price_date,
        conditions=(
            "a container for several models (Multi Model Server on CPUs, Triton on GPUs)",
            "neighbours share the capacity: none is shielded from another's peak",
        ),
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


def _steps(
    candidate: EndpointCandidate, per_instance: float, min_instances: int, share: float = 1.0
) -> Steps | None:
    if candidate.cost.usd_per_hour is None:
        return None
    return Steps(candidate.cost.usd_per_hour * HOURS_PER_MONTH, per_instance, min_instances, share)

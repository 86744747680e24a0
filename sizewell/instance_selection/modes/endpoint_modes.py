"""Modes whose callers wait on instances that run all the time: real-time and multi-model."""

import math

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.facts.serving_modes import Mode, multi_model_gpu_families
from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.modes.candidates import EndpointCandidate, EndpointSelection, cheapest
from sizewell.instance_selection.modes.cost_curves import CostCurve, Steps
from sizewell.instance_selection.modes.evaluation import Evaluation, curve_of, data_of
from sizewell.instance_selection.modes.misses import container_misses, over, payload_misses
from sizewell.instance_selection.modes.needs import Load, ModeNeeds
from sizewell.instance_selection.modes.results import ModeMiss
from sizewell.instance_selection.requirements import Engine

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


def evaluate_multi_model(
    needs: ModeNeeds, load: Load, catalog: Catalog, selection: EndpointSelection | ModeMiss
) -> Evaluation:
    """Return our share of the cheapest fleet that holds all similar models in memory."""
    mode, models = Mode.MULTI_MODEL, needs.similar_models
    misses = (*payload_misses(mode, needs), *container_misses(mode, needs))
    if models < 2:
        misses += (ModeMiss(requirement="models", reason="one model has nobody to share a fleet with"),)
    if needs.endpoint.engine is Engine.LLM_ENGINE:
        misses += (ModeMiss(requirement="engine", reason="an llm-engine keeps one model in memory"),)
    if isinstance(selection, ModeMiss):
        return Evaluation(mode=mode, misses=(*misses, selection))

    def instances(candidate: EndpointCandidate, share: float) -> Steps | None:
        per_instance = _requests_per_instance(candidate, needs, load, catalog)
        return _steps(candidate, per_instance / models, needs.endpoint.min_instances, share)

    def ours(candidate: EndpointCandidate) -> CostCurve | None:
        return curve_of(
            (f"1/{models} of the instances", instances(candidate, 1 / models)),
            *data_of(Mode.REAL_TIME, needs, catalog.region),
        )

    candidates = (selection.chosen, *selection.runners_up)
    hosting = [c for c in candidates if _hosts_several(c, catalog)]
    holding = [c for c in hosting if _needed_gib(c, models) <= c.estimate.memory.usable_gib]
    carrying = [c for c in holding if _instances(c, needs, load, models) <= needs.endpoint.max_instances]
    misses += _throughput_miss(holding, needs, load, models) if holding else (_memory_miss(hosting, models),)
    best = cheapest(carrying or holding or hosting, ours, load)
    if best is None:
        return Evaluation(mode=mode, misses=misses)
    per_instance = _requests_per_instance(best, needs, load, catalog) / models
    return Evaluation(
        mode=mode,
        misses=misses,
        runs_on=f"{best.instance_type} for {models}",
        p95_latency_ms=best.estimate.p95_latency_ms,
        curve=ours(best),
        shared_by=models,
        fleet=curve_of(("instances", instances(best, 1.0))),
        max_requests=per_instance * min(needs.endpoint.max_instances, MAX_FLEET),
        basis=best.cost.basis,
        price_date=best.cost.price_date,
        conditions=(
            "a container for several models (Multi Model Server on CPUs, Triton on GPUs)",
            "neighbours share the capacity: none is shielded from another's peak",
        ),
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


def _hosts_several(candidate: EndpointCandidate, catalog: Catalog) -> bool:
    """Return whether multi-model endpoints take the type: any CPU, or one GPU of some families."""
    instance_type = catalog.get(candidate.instance_type)
    if not instance_type.accelerator_count:
        return True
    return instance_type.accelerator_count == 1 and instance_type.family in multi_model_gpu_families()


def _needed_gib(candidate: EndpointCandidate, models: int) -> float:
    memory = candidate.estimate.memory
    return memory.needed_gib + (models - 1) * memory.weights_gib


def _instances(candidate: EndpointCandidate, needs: ModeNeeds, load: Load, models: int) -> int:
    """Return how many instances carry the peak of all models at the same time."""
    estimate = candidate.estimate
    capacity = estimate.capacity_concurrency if load.by_users else estimate.capacity_requests_per_second
    return math.ceil(models * load.peak_units / (capacity * (1 - needs.endpoint.headroom)) - 1e-9)


def _throughput_miss(
    holding: list[EndpointCandidate], needs: ModeNeeds, load: Load, models: int
) -> tuple[ModeMiss, ...]:
    count = min(_instances(c, needs, load, models) for c in holding)
    most = needs.endpoint.max_instances
    reason = f"{count:,} instances carry the peak of {models} models, at most {most:,} are allowed"
    return over("throughput", count, most, reason)


def _memory_miss(hosting: list[EndpointCandidate], models: int) -> ModeMiss:
    if not hosting:
        return ModeMiss(
            requirement="hardware",
            reason="multi-model endpoints take CPUs, and types with one GPU of "
            f"{', '.join(sorted(multi_model_gpu_families()))}: none of them meets the needs",
        )
    nearest = min(
        hosting, key=lambda c: (_needed_gib(c, models) / c.estimate.memory.usable_gib, c.instance_type)
    )
    needed, usable = _needed_gib(nearest, models), nearest.estimate.memory.usable_gib
    return ModeMiss(
        requirement="memory",
        reason=f"{models} models need {needed:,.0f} GiB, the largest type that will do, "
        f"{nearest.instance_type}, offers {usable:,.0f}",
        shortfall=needed / usable,
    )

"""The comparison of all serving modes for one endpoint: which are feasible, their cost, and the break-even load."""

import math
from collections.abc import Collection, Iterator

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.facts.serving_modes import Mode
from sizewell.instance_selection.catalog import Catalog
from sizewell.serving_modes.cost_curves import crossings
from sizewell.serving_modes.evaluation import EndpointSelection, Evaluation, mode_price, try_select
from sizewell.serving_modes.function_modes import (
    estimate_on_cpu,
    evaluate_function,
    function_assumptions,
)
from sizewell.serving_modes.instance_modes import (
    evaluate_asynchronous,
    evaluate_batch,
    evaluate_multi_model,
    evaluate_real_time,
)
from sizewell.serving_modes.needs import Load, ModeNeeds, load_of
from sizewell.serving_modes.results import (
    BreakEven,
    CostPart,
    ModeComparison,
    ModeMiss,
    ModeOption,
)

#: Break-even is looked for up to this many times the stated load, and to what the fleets may grow to.
HORIZON = 1000.0


def compare_modes(
    needs: ModeNeeds,
    catalog: Catalog,
    *,
    asked: Mode | None = None,
    among: Collection[Mode] = tuple(Mode),
    selection: EndpointSelection | None = None,
) -> ModeComparison:
    """Return every mode with its cost, and the choice: the cheapest of ``among`` that meets every requirement, or ``asked``.

    ``selection`` is the real-time selection of the same needs, where there is one already. Never raises
    ``NoFeasibleInstanceError``: a mode that no instance type serves says so. Break-even points are exact.
    """
    real_time = selection or try_select(needs.endpoint, catalog)
    load = load_of(needs.endpoint, _answer_s(needs, real_time))
    cpu = estimate_on_cpu(needs, catalog)
    evaluations = {
        Mode.REAL_TIME: evaluate_real_time(needs, load, catalog, real_time),
        Mode.MULTI_MODEL: evaluate_multi_model(needs, load, catalog),
        Mode.SERVERLESS: evaluate_function(Mode.SERVERLESS, needs, load, catalog, cpu),
        Mode.ASYNCHRONOUS: evaluate_asynchronous(needs, load, catalog),
        Mode.BATCH: evaluate_batch(needs, load, catalog),
        Mode.LAMBDA: evaluate_function(Mode.LAMBDA, needs, load, catalog, cpu),
    }
    options = tuple(_option(evaluations[mode], evaluations[Mode.REAL_TIME], load) for mode in Mode)
    eligible = [option for option in options if option.eligible and asked in (None, option.mode)]
    chosen = _cheapest([option for option in eligible if option.mode in among])
    return ModeComparison(
        requests_per_month=load.requests_per_month,
        chosen=chosen,
        why=_why(options, chosen, asked, among),
        options=options,
        assumptions=(
            *_assumptions(needs, load, catalog),
            *(() if isinstance(cpu, ModeMiss) else function_assumptions(cpu)),
            *(line for mode in Mode for line in evaluations[mode].assumptions),
        ),
    )


def _answer_s(needs: ModeNeeds, selection: EndpointSelection | ModeMiss) -> float:
    """Return how long a user waits for an answer: on the real-time pick, or as long as is allowed."""
    if isinstance(selection, ModeMiss):
        return needs.endpoint.max_p95_latency_ms / 1000
    return selection.chosen.estimate.p95_latency_ms / 1000


def _option(evaluation: Evaluation, real_time: Evaluation, load: Load) -> ModeOption:
    """Return a mode with its cost at the stated load, and its break-even."""
    curve, fleet, requests = evaluation.curve, evaluation.fleet, load.requests_per_month
    if curve is None:
        return evaluation.option
    return evaluation.option.model_copy(
        update={
            "usd_per_month": curve.usd(requests),
            "parts": tuple(
                CostPart(name=name, usd_per_month=piece.usd(requests)) for name, piece in curve.pieces
            ),
            "fleet_usd_per_month": fleet.usd(requests) if fleet else None,
            "break_even": _break_even(evaluation, real_time, requests),
        }
    )


def _break_even(evaluation: Evaluation, real_time: Evaluation, requests: float) -> BreakEven | None:
    """Return the crossing with the real-time pick that is nearest to the stated load, as a ratio."""
    curve, other = evaluation.curve, real_time.curve
    if curve is None or other is None or evaluation is real_time or real_time.max_requests is None:
        return None
    max_requests = min(
        HORIZON * requests,
        max(real_time.max_requests, requests),
        evaluation.max_requests or math.inf,
    )
    found = crossings(curve, other, max_requests)
    return min(found, key=lambda c: abs(math.log(c.requests_per_month / requests)), default=None)


def _cheapest(options: list[ModeOption]) -> ModeOption | None:
    # The order of the modes breaks ties; an unknown price never wins against a known one.
    return min(options, key=lambda o: (o.usd_per_month is None, o.usd_per_month or 0.0), default=None)


def _why(
    options: tuple[ModeOption, ...], chosen: ModeOption | None, asked: Mode | None, among: Collection[Mode]
) -> str:
    eligible = [option for option in options if option.eligible]
    others = [option for option in eligible if option.mode not in among]
    if chosen is None:
        for option in others:
            if asked in (None, option.mode):
                return f"{option.mode} meets every requirement, but {_why_not_taken(option.mode)}"
        if asked is None:
            return "no mode meets every requirement"
        miss = next(option for option in options if option.mode is asked).misses[0]
        return f"{asked} does not meet {miss.requirement}: {miss.reason}"
    if asked is not None:
        return f"{asked} is what the configuration asks for"
    cheaper = _cheapest([option for option in others if _is_cheaper(option, chosen)])
    besides = f"; {cheaper.mode} would cost less, but {_why_not_taken(cheaper.mode)}" if cheaper else ""
    count = len(eligible) - len(others)
    if count == 1:
        is_built = "is built and " if others else ""
        return f"{chosen.mode} is the only mode that {is_built}meets every requirement{besides}"
    if chosen.usd_per_month is None:
        return f"{chosen.mode} comes first, because the prices of the {count} modes that meet every requirement are unknown"
    return f"{chosen.mode} costs the least of the {count} modes that meet every requirement{besides}"


def _why_not_taken(mode: Mode) -> str:
    return "it is not known whether its image starts there" if mode is Mode.LAMBDA else "is not built yet"


def _is_cheaper(option: ModeOption, other: ModeOption) -> bool:
    """Whether a mode costs less; the share of a fleet is no price of the whole."""
    if option.usd_per_month is None or other.usd_per_month is None or option.share:
        return False
    return option.usd_per_month < other.usd_per_month


def _assumptions(needs: ModeNeeds, load: Load, catalog: Catalog) -> Iterator[str]:
    yield f"{HOURS_PER_MONTH} hours per month; requests arrive evenly in {needs.active_hours_per_day:g} hours of a day"
    yield "real-time instances run day and night, and follow the mean load within the fleet's bounds"
    if percent := needs.endpoint.savings_plan_discount_pct:
        yield f"a Savings Plan takes {percent:g} % off every hour of an instance"
    yield "no free tier; not included: S3, API Gateway, data transfer, logs"
    if load.by_users:
        yield "users ask again as soon as the real-time pick has answered them"
    if needs.data_gb_per_request is None:
        yield "no payload is stated: its limits are not checked, and data processing is left out"
    elif mode_price(catalog.region, Mode.REAL_TIME, "usd_per_data_gb") is None:
        yield f"data processing is left out: its price in {catalog.region} is not known"
    if needs.max_wait_minutes is None:
        yield "the caller waits for each answer: asynchronous and batch are shown for their cost only"

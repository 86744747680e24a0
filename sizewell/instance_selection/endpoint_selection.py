"""Choose the instance type of an endpoint."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from sizewell.instance_selection.best_first import select_best
from sizewell.instance_selection.catalog import Catalog, Price
from sizewell.instance_selection.eligibility import ELIGIBILITY_FILTERS, eligible_types
from sizewell.instance_selection.endpoint_assumptions import endpoint_assumptions
from sizewell.instance_selection.endpoint_evaluation import EndpointColumns
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.memory import NEAR_FULL
from sizewell.instance_selection.estimation.uncertainty import MAX_HIGH_OVER_LOW
from sizewell.instance_selection.filters import Filter, Marks, Miss, apply_filters
from sizewell.instance_selection.latency_bounds import (
    BOUNDS,
    FIRST_TOKEN,
    INTER_TOKEN,
    P95,
    P99,
    LatencyBound,
)
from sizewell.instance_selection.multi_model_filters import HOSTING_FILTER, MODEL_FILTERS
from sizewell.instance_selection.pricing import endpoint_cost
from sizewell.instance_selection.requirements import EndpointRequirements
from sizewell.instance_selection.results import (
    Candidate,
    EndpointEstimate,
    MemoryEstimate,
    Rejection,
    Selection,
)
from sizewell.instance_selection.wording import milliseconds

_EndpointCandidate = Candidate[EndpointEstimate]
#: Names of filters for each type.
_Names = list[tuple[str, ...]]


def select_endpoint_instance(needs: EndpointRequirements, catalog: Catalog) -> Selection[EndpointEstimate]:
    """Return the best type that meets every requirement, with the reasons for all others.

    The best is the cheapest, or the fastest, as the objective says. Raises ``NoFeasibleInstanceError`` when none does.
    """
    eligible = eligible_types(
        catalog, needs.usage, needs.limits, needs.model.architecture, needs.model.framework
    )
    columns = EndpointColumns(needs, eligible)
    kept, misses = apply_filters(eligible.names, columns, ENDPOINT_FILTERS)
    candidates = endpoint_candidates(columns, kept, eligible.prices) if kept else []
    return select_best(
        candidates,
        {**eligible.rejected, **misses},
        catalog,
        endpoint_filter_names(),
        partial(endpoint_assumptions, needs),
        needs.limits.locked,
        objective=needs.objective,
        max_usd_per_month=needs.max_usd_per_month,
    )


def endpoint_verdicts(
    needs: EndpointRequirements, catalog: Catalog, instance_types: Iterable[str]
) -> dict[str, Rejection | None]:
    """Return for each named type why it cannot serve the workload, or None: whatever AWS offers or charges."""
    names = set(instance_types)
    everything = eligible_types(
        catalog, needs.usage, needs.limits, needs.model.architecture, needs.model.framework, any_offer=True
    )
    columns = EndpointColumns(needs, everything)
    _, misses = apply_filters(everything.names, columns, ENDPOINT_FILTERS)
    known = {**everything.rejected, **misses}
    return {t.name: known.get(t.name) for t in catalog.instance_types if t.name in names}


def endpoint_filter_names() -> tuple[str, ...]:
    """Return the names of all filters, in their order."""
    return (*ELIGIBILITY_FILTERS, *(f.name for f in ENDPOINT_FILTERS), "budget")


def _autoscaling(c: EndpointColumns) -> Marks:
    # RegisterScalableTarget refuses t2 and t3 variants; trn1 merely begins with the same letter.
    needs = c.needs
    fixed = needs.max_instances_is_stated and needs.max_instances == needs.min_instances
    ranged = (
        needs.bounds_of_week
        or (needs.max_instances_is_stated and needs.max_instances > needs.min_instances)
        or (needs.queue is not None and not fixed)
    )
    return c.types.burstable if ranged else np.zeros(len(c.types), bool)


def _describe_autoscaling(c: EndpointColumns, i: int) -> Miss:
    return Miss("burstable types cannot be autoscaled, and the configuration asks for a range of instances")


def _precision(c: EndpointColumns) -> Marks:
    return np.array([bool(reason) for reason in c.types.machines.reasons])


def _describe_precision(c: EndpointColumns, i: int) -> Miss:
    return Miss(c.types.machines.reasons[i])


def _memory(c: EndpointColumns) -> Marks:
    return ~c.layout.fits


def _describe_memory(c: EndpointColumns, i: int) -> Miss:
    memory = _memory_estimate(*c.smallest_memory_gib[:, i].tolist())
    degree = int(c.layout.degree[i])
    where = f"each of {degree} accelerators" if degree > 1 else "memory"
    if c.needs.pipeline_memory_gib and c.types.on_cpu[i]:
        where = "memory beside the pipeline"
    margin = f" with the margin of {c.needs.margin:.0%}" if c.needs.margin else ""
    needed = memory.needed_gib * (1 + c.needs.margin)
    return Miss(
        f"needs {needed:.1f} GiB{margin}, {where} offers {memory.usable_gib:.1f}",
        needed / memory.usable_gib if memory.usable_gib else None,
    )


def _host_memory(c: EndpointColumns) -> Marks:
    return np.asarray(c.memory.host_needed_gib > c.memory.host_gib)


def _describe_host_memory(c: EndpointColumns, i: int) -> Miss:
    needed, offered = float(c.memory.host_needed_gib[i]), float(c.memory.host_gib[i])
    what = (
        "weights and containers of the pipeline share"
        if c.needs.pipeline_memory_gib
        else "weights pass through"
    )
    return Miss(f"{needed:.1f} GiB of {what} {offered:.1f} GiB of usable host memory", needed / offered)


def _disk(c: EndpointColumns) -> Marks:
    return np.asarray(c.memory.artifact_gb > c.memory.disk_gb)


def _describe_disk(c: EndpointColumns, i: int) -> Miss:
    return Miss(
        f"needs {c.memory.artifact_gb:,.0f} GB of disk for the artifact, offers {c.memory.disk_gb[i]:,.0f}",
        c.memory.artifact_gb / float(c.memory.disk_gb[i]),
    )


def _latency_filter(bound: LatencyBound) -> Filter[EndpointColumns]:
    """Return the filter that keeps the types on which one request alone meets a bound; all types, where it is not stated."""

    def missed(c: EndpointColumns) -> Marks:
        max_s = dict(c.types.bounds).get(bound)
        return np.zeros(len(c.types), bool) if max_s is None else np.asarray(c.idle_s[bound] > max_s)

    def describe(c: EndpointColumns, i: int) -> Miss:
        model_ms, pipeline_ms = float(c.idle_s[bound][i]) * 1000, c.types.pipeline_s(bound) * 1000
        asked_ms, reached_ms = bound.asked_ms(c.needs) or 0.0, model_ms + pipeline_ms
        needed_ms = model_ms * (1.0 if c.types.is_measured(i, bound) else 1 + c.needs.margin) + pipeline_ms
        margin = (
            f" ({milliseconds(needed_ms)} with the margin of {c.needs.margin:.0%})"
            if needed_ms > reached_ms
            else ""
        )
        return Miss(
            f"{bound.name} of {milliseconds(reached_ms)}{margin} on an idle instance, {milliseconds(asked_ms)} asked",
            max(needed_ms / asked_ms, 1.0),
        )

    return Filter(bound.filter, missed, describe)


def _throughput(c: EndpointColumns) -> Marks:
    return np.asarray(c.capacity.instances_at_peak > c.needs.max_instances)


def _describe_throughput(c: EndpointColumns, i: int) -> Miss:
    count, max_count = int(c.capacity.instances_at_peak[i]), c.needs.max_instances
    # A single bound needs no name.
    bound = c.capacity.limiting_bound[i] if len(c.types.bounds) > 1 else None
    within = f" within the {bound.name} of {milliseconds(bound.asked_ms(c.needs) or 0.0)}" if bound else ""
    return Miss(
        f"{count:,} instances carry the peak{within}, at most {max_count:,} are allowed", count / max_count
    )


#: The questions that each eligible type must pass, cheapest to answer first.
ENDPOINT_FILTERS: tuple[Filter[EndpointColumns], ...] = (
    HOSTING_FILTER,
    Filter("autoscaling", _autoscaling, _describe_autoscaling),
    Filter("precision", _precision, _describe_precision),
    Filter("memory", _memory, _describe_memory),
    Filter("host-memory", _host_memory, _describe_host_memory),
    Filter("disk", _disk, _describe_disk),
    *map(_latency_filter, BOUNDS),
    *MODEL_FILTERS,
    Filter("throughput", _throughput, _describe_throughput),
)


def endpoint_candidates(
    c: EndpointColumns, kept: list[int], prices: Sequence[Price]
) -> list[_EndpointCandidate]:
    """Return the types at the positions that passed all filters, with what they do and what they cost."""
    types, needs, layout, capacity = c.types, c.needs, c.layout, c.capacity
    latencies_ms = {bound: 1000 * seconds for bound, seconds in capacity.latency_at_peak_s.items()}
    intervals: dict[str, tuple[Array, Array]] = {
        part: c.interval_of(part) for part in {bound.part for bound, _ in types.bounds}
    }
    # What is stated is no estimate.
    ranges_ms = [
        (latencies_ms[P95] - needs.pipeline_ms) * factor + needs.pipeline_ms for factor in intervals[P95.part]
    ]
    near, not_predicted, decisive = _bounds_of(c, latencies_ms, intervals)
    measured = [types.measured[i] for i in kept]
    scaled_by = c.measured.scaled_by if c.measured else [()] * len(types)
    nothing = [None] * len(kept)

    def floats(column: Array) -> list[Any]:
        return [*column[kept].tolist()]

    def counts(column: Array) -> list[Any]:
        return [*column[kept].astype(int).tolist()]

    paid = floats(capacity.instances_paid)
    estimates = EndpointEstimate.of_columns(
        {
            "memory": memory_estimates(c.memory_in_use_gib[:, kept]),
            "tensor_parallel_degree": counts(layout.degree),
            "replicas_per_instance": counts(layout.replicas),
            "service_time_ms": floats(layout.alone.request * 1000),
            "p95_latency_ms": floats(latencies_ms[P95]),
            "p99_latency_ms": floats(latencies_ms[P99]),
            "time_to_first_token_ms": floats(latencies_ms[FIRST_TOKEN]) if types.generates else nothing,
            "inter_token_ms": floats(latencies_ms[INTER_TOKEN]) if types.generates else nothing,
            "decisive_bound": [decisive[i] for i in kept],
            "capacity_requests_per_second": floats(capacity.requests_per_second),
            "capacity_concurrency": counts(layout.replicas * layout.concurrency),
            "utilization": floats(capacity.utilization_at_peak),
            "instances_at_average": counts(capacity.instances_at_average),
            "instances_at_peak": counts(capacity.instances_at_peak),
            "instances_by_schedule": paid if needs.bounds_of_week or needs.queue else nothing,
            "latency_range_ms": [
                None if "latency" in known else range_ms
                for known, range_ms in zip(measured, zip(*map(floats, ranges_ms), strict=True), strict=True)
            ],
            "near_limits": [near[i] for i in kept],
            "not_predicted": [not_predicted[i] for i in kept],
            "measured": measured,
            "scaled_by": [scaled_by[i] for i in kept],
        }
    )
    costs = [
        endpoint_cost(prices[i], instances, discount_percent=needs.savings_plan_discount_pct)
        for i, instances in zip(kept, paid, strict=True)
    ]
    names = [types.instance_types[i].name for i in kept]
    return _EndpointCandidate.of_columns({"instance_type": names, "estimate": estimates, "cost": costs})


def _bounds_of(
    c: EndpointColumns,
    latencies_ms: Mapping[LatencyBound, Array],
    intervals: Mapping[str, tuple[Array, Array]],
) -> tuple[_Names, _Names, list[str]]:
    """Return the limits of each type that its estimates leave open, those they say nothing of, and the bound with least room."""
    stated = [(bound, asked_ms) for bound in BOUNDS if (asked_ms := bound.asked_ms(c.needs)) is not None]
    used = np.array([latencies_ms[bound] / asked_ms for bound, asked_ms in stated])
    near: _Names = [()] * len(c.types)
    not_predicted: _Names = [()] * len(c.types)

    def add(names: _Names, name: str, marks: Marks, is_measured: Callable[[int], bool]) -> None:
        for i in np.flatnonzero(marks).tolist():
            if not is_measured(i):
                names[i] = (*names[i], name)

    for (bound, asked_ms), share in zip(stated, used, strict=True):
        stated_share = c.types.pipeline_s(bound) * 1000 / asked_ms
        low, high = intervals[bound.part]
        is_measured, too_wide = partial(c.types.is_measured, bound=bound), high > MAX_HIGH_OVER_LOW * low
        missed = (share - stated_share) * high + stated_share > 1
        add(near, bound.filter, missed & ~too_wide, is_measured)
        add(not_predicted, bound.filter, missed & too_wide, is_measured)
    # An engine fills what is left with cache: what counts is how close a single request comes.
    full = c.layout.smallest_memory.total > NEAR_FULL * c.memory.device_bytes
    add(near, "memory", full, lambda i: "memory" in c.types.measured[i])
    return near, not_predicted, [stated[b][0].filter for b in used.argmax(0).tolist()]


def memory_estimates(parts_gib: Array) -> list[MemoryEstimate]:
    """Return the memory of each column of weights, cache, activations, reserve, and what is usable."""
    # Types of one accelerator are alike.
    distinct: dict[tuple[float, ...], MemoryEstimate] = {}
    rows = zip(*parts_gib.tolist(), strict=True)
    return [distinct.get(row) or distinct.setdefault(row, _memory_estimate(*row)) for row in rows]


def _memory_estimate(
    weights: float, cache: float, activations: float, reserve: float, usable: float
) -> MemoryEstimate:
    return MemoryEstimate.trusted(
        {
            "weights_gib": weights,
            "kv_cache_gib": cache,
            "activations_gib": activations,
            "gradients_gib": 0.0,
            "optimizer_gib": 0.0,
            "reserve_gib": reserve,
            "usable_gib": usable,
        }
    )

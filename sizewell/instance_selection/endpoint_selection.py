"""Choose the instance type of an endpoint."""

from collections.abc import Iterable, Mapping

import numpy as np

from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.instance_selection.budget import within_budget
from sizewell.instance_selection.catalog import Catalog, Usage
from sizewell.instance_selection.eligibility import ELIGIBILITY_FILTERS, eligible_types
from sizewell.instance_selection.endpoint_evaluation import EndpointColumns
from sizewell.instance_selection.endpoint_evaluation.times import BURSTABLE_BASELINE
from sizewell.instance_selection.estimation.coefficients import Array
from sizewell.instance_selection.estimation.hardware import GIB, USABLE_ACCELERATOR_SHARE, USABLE_HOST_SHARE
from sizewell.instance_selection.estimation.memory import NEAR_FULL, ServingMemory
from sizewell.instance_selection.estimation.queueing import MAX_UTILIZATION, SERVICE_TAIL, service_tail
from sizewell.instance_selection.filters import Filter, Marks, Miss, apply_filters, no_feasible
from sizewell.instance_selection.latency_bounds import (
    BOUNDS,
    FIRST_TOKEN,
    INTER_TOKEN,
    P95,
    P99,
    LatencyBound,
)
from sizewell.instance_selection.pricing import cost_order, endpoint_cost
from sizewell.instance_selection.requirements import EndpointRequirements, Objective
from sizewell.instance_selection.results import (
    Candidate,
    EndpointEstimate,
    MemoryEstimate,
    Rejection,
    Selection,
)
from sizewell.instance_selection.wording import milliseconds

_EndpointCandidate = Candidate[EndpointEstimate]


def select_endpoint_instance(needs: EndpointRequirements, catalog: Catalog) -> Selection[EndpointEstimate]:
    """Return the best type that meets every requirement, with the reasons for all others.

    The best is the cheapest, or the fastest, as the objective says. Raises ``NoFeasibleInstanceError`` when none does.
    """
    eligible = eligible_types(
        catalog, Usage.HOSTING, needs.limits, needs.model.architecture, needs.model.framework
    )
    columns = EndpointColumns(needs, eligible)
    kept, misses = apply_filters(eligible.names, columns, ENDPOINT_FILTERS)
    candidates = _candidates(columns, kept, catalog) if kept else []
    if needs.max_usd_per_month is not None:
        candidates, over = within_budget(
            candidates, lambda c: c.cost.usd_per_month, needs.max_usd_per_month, "costs {cost} per month"
        )
        misses |= over
    known = {**eligible.rejected, **misses}
    rejected = tuple(known[t.name] for t in catalog.instance_types if t.name in known)
    if not candidates:
        raise no_feasible(rejected, endpoint_filter_names())
    if needs.objective is Objective.LEAST_LATENCY:
        candidates.sort(key=lambda c: (c.estimate.p95_latency_ms, *cost_order(c.cost), c.instance_type))
    else:
        # Ties: the faster one, then the name.
        candidates.sort(key=lambda c: (*cost_order(c.cost), c.estimate.p95_latency_ms, c.instance_type))
    return Selection(
        chosen=candidates[0],
        runners_up=tuple(candidates[1:]),
        rejected=rejected,
        assumptions=_assumptions(needs, candidates[0]),
    )


def endpoint_verdicts(
    needs: EndpointRequirements, catalog: Catalog, instance_types: Iterable[str]
) -> dict[str, Rejection | None]:
    """Return for each named type why it cannot serve the workload, or None: whatever AWS offers or charges."""
    names = set(instance_types)
    everything = eligible_types(
        catalog, Usage.HOSTING, needs.limits, needs.model.architecture, needs.model.framework, any_offer=True
    )
    columns = EndpointColumns(needs, everything)
    _, misses = apply_filters(everything.names, columns, ENDPOINT_FILTERS)
    known = {**everything.rejected, **misses}
    return {t.name: known.get(t.name) for t in catalog.instance_types if t.name in names}


def endpoint_filter_names() -> tuple[str, ...]:
    """Return the names of all questions, in the order in which they are asked."""
    return (*ELIGIBILITY_FILTERS, *(f.name for f in ENDPOINT_FILTERS), "budget")


def _autoscaling(c: EndpointColumns) -> Marks:
    # RegisterScalableTarget refuses t2 and t3 variants; trn1 merely begins with the same letter.
    needs = c.needs
    ranged = needs.bounds_of_week or (
        needs.max_instances_is_stated and needs.max_instances > needs.min_instances
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
    (memory,) = memory_estimates(c, c.layout.smallest_memory, [i])
    degree = int(c.layout.degree[i])
    where = f"each of {degree} accelerators" if degree > 1 else "memory"
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
    return Miss(
        f"{needed:.1f} GiB of weights pass through {offered:.1f} GiB of usable host memory", needed / offered
    )


def _disk(c: EndpointColumns) -> Marks:
    return np.asarray(c.memory.artifact_gb > c.memory.disk_gb)


def _describe_disk(c: EndpointColumns, i: int) -> Miss:
    return Miss(
        f"needs {c.memory.artifact_gb:,.0f} GB of disk for the artifact, offers {c.memory.disk_gb[i]:,.0f}",
        c.memory.artifact_gb / float(c.memory.disk_gb[i]),
    )


def _latency_filter(bound: LatencyBound) -> Filter[EndpointColumns]:
    """Return the question whether one request alone keeps a bound; where it is not stated, all do."""

    def reached_s(c: EndpointColumns) -> Array:
        seconds = getattr(c.layout.fastest, bound.part) * service_tail(bound.percentile)
        return np.asarray(seconds + c.types.delay_of_s(bound))

    def missed(c: EndpointColumns) -> Marks:
        max_s = dict(c.types.bounds).get(bound)
        return np.zeros(len(c.types), bool) if max_s is None else np.asarray(reached_s(c) > max_s)

    def describe(c: EndpointColumns, i: int) -> Miss:
        reached_ms, asked_ms = float(reached_s(c)[i]) * 1000, bound.asked_ms(c.needs) or 0.0
        needed_ms = reached_ms * (1.0 if "latency" in c.types.measured[i] else 1 + c.needs.margin)
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
    # With one bound nobody asks which.
    bound = c.capacity.limiting_bound[i] if len(c.types.bounds) > 1 else None
    within = f" within the {bound.name} of {milliseconds(bound.asked_ms(c.needs) or 0.0)}" if bound else ""
    return Miss(
        f"{count:,} instances carry the peak{within}, at most {max_count:,} are allowed", count / max_count
    )


#: The questions that each eligible type must pass, cheapest to answer first.
ENDPOINT_FILTERS: tuple[Filter[EndpointColumns], ...] = (
    Filter("autoscaling", _autoscaling, _describe_autoscaling),
    Filter("precision", _precision, _describe_precision),
    Filter("memory", _memory, _describe_memory),
    Filter("host-memory", _host_memory, _describe_host_memory),
    Filter("disk", _disk, _describe_disk),
    *map(_latency_filter, BOUNDS),
    Filter("throughput", _throughput, _describe_throughput),
)


def _candidates(c: EndpointColumns, kept: list[int], catalog: Catalog) -> list[Candidate[EndpointEstimate]]:
    needs, layout = c.needs, c.layout
    low, high = c.interval_of("request")
    scaled_by = c.measured.scaled_by if c.measured else None
    latencies = c.capacity.latency_at_peak_s
    memories = memory_estimates(c, c.memory_in_use, kept)
    # An engine fills what is left with cache: what counts is how close a single request comes.
    full = layout.smallest_memory.total > NEAR_FULL * c.memory.device_bytes
    near_latency, decisive = _bounds_of(c, latencies)
    columns = (
        layout.degree,
        layout.replicas,
        layout.alone.request,
        layout.concurrency,
        c.capacity.requests_per_second,
        c.capacity.utilization_at_peak,
        c.capacity.instances_at_average,
        c.capacity.instances_paid,
        c.capacity.instances_at_peak,
        low,
        high,
        1000 * latencies[P95],
        1000 * latencies[P99],
        1000 * latencies[FIRST_TOKEN],
        1000 * latencies[INTER_TOKEN],
    )
    rows = zip(*(column[kept].tolist() for column in columns), strict=True)
    generates = c.types.generates
    found = []
    for i, memory, row in zip(kept, memories, rows, strict=True):
        (
            degree,
            replicas,
            alone_s,
            concurrency,
            capacity,
            used,
            average,
            paid,
            peak,
            lower,
            upper,
            p95_ms,
            p99_ms,
            first_token_ms,
            inter_token_ms,
        ) = row
        measured = c.types.measured[i]
        near = () if "latency" in measured else near_latency[i]
        if full[i] and "memory" not in measured:
            near = (*near, "memory")
        estimate = EndpointEstimate.trusted(
            memory=memory,
            tensor_parallel_degree=int(degree),
            replicas_per_instance=int(replicas),
            service_time_ms=alone_s * 1000,
            p95_latency_ms=p95_ms,
            p99_latency_ms=p99_ms,
            time_to_first_token_ms=first_token_ms if generates else None,
            inter_token_ms=inter_token_ms if generates else None,
            decisive_bound=decisive[i],
            capacity_requests_per_second=capacity,
            capacity_concurrency=int(replicas * concurrency),
            utilization=used,
            instances_at_average=int(average),
            instances_at_peak=int(peak),
            instances_by_schedule=paid if needs.bounds_of_week else None,
            latency_range_ms=None if "latency" in measured else (p95_ms * lower, p95_ms * upper),
            near_limits=near,
            measured=measured,
            scaled_by=scaled_by[i] if scaled_by else (),
        )
        cost = endpoint_cost(
            catalog,
            c.types.instance_types[i],
            Usage.HOSTING,
            paid,
            discount_percent=needs.savings_plan_discount_pct,
        )
        found.append(
            _EndpointCandidate.trusted(
                instance_type=c.types.instance_types[i].name, estimate=estimate, cost=cost
            )
        )
    return found


def _bounds_of(
    c: EndpointColumns, latencies: Mapping[LatencyBound, Array]
) -> tuple[list[tuple[str, ...]], list[str]]:
    """Return which bounds of a type may be missed by what its estimates leave open, and which one leaves the least room."""
    stated = [(bound, asked_ms) for bound in BOUNDS if (asked_ms := bound.asked_ms(c.needs)) is not None]
    names = [bound.filter for bound, _ in stated]
    used = np.array([1000 * latencies[bound] / asked_ms for bound, asked_ms in stated])
    near: list[tuple[str, ...]] = [()] * len(c.types)
    for name, (bound, _), share in zip(names, stated, used, strict=True):
        for i in np.flatnonzero(share * c.interval_of(bound.part)[1] > 1).tolist():
            near[i] = (*near[i], name)
    return near, [names[i] for i in used.argmax(0).tolist()]


def memory_estimates(c: EndpointColumns, memory: ServingMemory, kept: list[int]) -> list[MemoryEstimate]:
    """Return the memory of one device of each kept type."""
    parts = (memory.weights, memory.cache, memory.activations, memory.reserve, c.memory.device_bytes)
    shape = (len(c.types),)
    rows = zip(*((np.broadcast_to(part, shape)[kept] / GIB).tolist() for part in parts), strict=True)
    # Types of one accelerator are alike.
    distinct: dict[tuple[float, ...], MemoryEstimate] = {}
    return [distinct.get(row) or distinct.setdefault(row, _memory_estimate(*row)) for row in rows]


def _memory_estimate(
    weights: float, cache: float, activations: float, reserve: float, usable: float
) -> MemoryEstimate:
    return MemoryEstimate.trusted(
        weights_gib=weights,
        kv_cache_gib=cache,
        activations_gib=activations,
        gradients_gib=0.0,
        optimizer_gib=0.0,
        reserve_gib=reserve,
        usable_gib=usable,
    )


def _assumptions(needs: EndpointRequirements, chosen: Candidate[EndpointEstimate]) -> tuple[str, ...]:
    lines = [
        f"{HOURS_PER_MONTH} hours per month; on-demand prices of {chosen.cost.price_date or 'unknown date'}",
        f"{USABLE_ACCELERATOR_SHARE:.0%} of accelerator memory and {USABLE_HOST_SHARE:.0%} of host memory are usable",
        f"the 95th percentile of one request alone is {SERVICE_TAIL:g} times its mean",
        f"{needs.headroom:.0%} of the capacity stays free",
    ]
    if needs.batching is not None:
        lines.append(
            f"the server computes up to {needs.batching.max_batch_size} requests in one pass; the first waits "
            f"{needs.batching.max_delay_ms} ms for others, which the 95th percentile includes"
        )
    if needs.bounds_of_week:
        lines.append(
            f"{chosen.estimate.instances_paid:.3g} instances on the average of a week: the average load at every hour, within "
            "the bounds of that hour"
        )
    if needs.savings_plan_discount_pct:
        lines.append(f"a Savings Plan takes {needs.savings_plan_discount_pct:g} % off every hour")
    if needs.peak_requests_per_second is not None:
        lines.append(
            f"requests arrive at random; no queue is planned above {MAX_UTILIZATION:.0%} utilization"
        )
    if needs.limits.allow_burstable:
        lines.append(f"a burstable vCPU sustains {BURSTABLE_BASELINE:.1%} of its speed")
    return tuple(lines)

"""Choose the instance type of a real-time endpoint."""

from instance_selection.catalog import Catalog, Usage
from instance_selection.endpoint_evaluation import BURSTABLE_BASELINE, EndpointEvaluation
from instance_selection.estimation.hardware import USABLE_ACCELERATOR_SHARE, USABLE_HOST_SHARE
from instance_selection.estimation.queueing import MAX_UTILIZATION, SERVICE_TAIL
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
from instance_selection.pricing import HOURS_PER_MONTH, cost_order, endpoint_cost
from instance_selection.requirements import EndpointRequirements
from instance_selection.results import Candidate, EndpointEstimate, Selection


def select_endpoint_instance(needs: EndpointRequirements, catalog: Catalog) -> Selection[EndpointEstimate]:
    """Return the cheapest type that meets every requirement, with the reasons for all others.

    Raises ``NoFeasibleInstanceError`` when there is none.
    """
    filters = endpoint_filters(needs, catalog)
    kept, rejected = apply_filters(
        ((t.name, EndpointEvaluation(needs, t)) for t in catalog.instance_types), filters
    )
    if not kept:
        raise no_feasible(rejected, tuple(f.name for f in filters))
    candidates = [
        Candidate(
            instance_type=e.instance_type.name,
            estimate=e.estimate,
            cost=endpoint_cost(catalog, e.instance_type, Usage.HOSTING, e.instances_at_average),
        )
        for e in kept
    ]
    # Ties: the faster one, then the name.
    candidates.sort(key=lambda c: (*cost_order(c.cost), c.estimate.p95_latency_ms, c.instance_type))
    return Selection(
        chosen=candidates[0],
        runners_up=tuple(candidates[1:]),
        rejected=rejected,
        assumptions=_assumptions(needs, candidates[0]),
    )


def endpoint_filters(needs: EndpointRequirements, catalog: Catalog) -> tuple[Filter[EndpointEvaluation], ...]:
    """Return the questions that each type must pass, cheapest to answer first."""
    limits, model = needs.limits, needs.model
    return (
        Filter("pinned", lambda e: check_pinned(e.instance_type, limits)),
        Filter("use", lambda e: check_use(e.instance_type, Usage.HOSTING)),
        Filter("region", lambda e: check_region(e.instance_type, catalog, Usage.HOSTING)),
        Filter("policy", lambda e: check_policy(e.instance_type, limits)),
        Filter("image", lambda e: check_image(e.instance_type, limits, model)),
        Filter("autoscaling", _check_autoscaling),
        Filter("precision", _check_precision),
        Filter("estimate", _check_estimate),
        Filter("memory", _check_memory),
        Filter("host-memory", _check_host_memory),
        Filter("latency", _check_latency),
        Filter("throughput", _check_throughput),
    )


def _check_autoscaling(e: EndpointEvaluation) -> Miss | None:
    # RegisterScalableTarget refuses t2 and t3 variants; trn1 merely begins with the same letter.
    if (
        e.instance_type.burstable
        and e.needs.max_instances_is_stated
        and e.needs.max_instances > e.needs.min_instances
    ):
        return Miss(
            "burstable types cannot be autoscaled, and the configuration asks for a range of instances"
        )
    return None


def _check_precision(e: EndpointEvaluation) -> Miss | None:
    found = e.processor_or_reason
    return Miss(found) if isinstance(found, str) else None


def _check_estimate(e: EndpointEvaluation) -> Miss | None:
    if e.efficiency is None:
        return Miss(
            f"no efficiency is known for {e.needs.engine} {e.needs.model.architecture} on {e.processor.table_name}"
        )
    if e.needs.output_tokens and e.processor.bandwidth_bytes_s is None:
        return Miss("decoding is bound by memory bandwidth, which is not published for its CPU")
    return None


def _check_memory(e: EndpointEvaluation) -> Miss | None:
    memory = e.least_memory
    if memory.fits:
        return None
    where = f"each of {e.degree} accelerators" if e.degree > 1 else "memory"
    return Miss(
        f"needs {memory.needed_gib:.1f} GiB, {where} offers {memory.usable_gib:.1f}",
        memory.needed_gib / memory.usable_gib if memory.usable_gib else None,
    )


def _check_host_memory(e: EndpointEvaluation) -> Miss | None:
    needed, offered = e.host_memory_needed_gib, e.instance_type.memory_gib * USABLE_HOST_SHARE
    if needed <= offered:
        return None
    return Miss(
        f"{needed:.1f} GiB of weights pass through {offered:.1f} GiB of usable host memory", needed / offered
    )


def _check_latency(e: EndpointEvaluation) -> Miss | None:
    limit_ms = e.needs.max_p95_latency_ms
    p95_ms = e.unloaded_p95_s * 1000
    if e.unloaded_p95_s <= e.max_p95_s and e.concurrency >= 1:
        return None
    return Miss(f"p95 of {_ms(p95_ms)} on an idle instance, {_ms(limit_ms)} asked", p95_ms / limit_ms)


def _ms(value: float) -> str:
    return f"{value:,.0f} ms" if value >= 10 else f"{value:.1f} ms"


def _check_throughput(e: EndpointEvaluation) -> Miss | None:
    if e.instances_at_peak <= e.needs.max_instances:
        return None
    return Miss(
        f"{e.instances_at_peak} instances carry the peak, at most {e.needs.max_instances} are allowed",
        e.instances_at_peak / e.needs.max_instances,
    )


def _assumptions(needs: EndpointRequirements, chosen: Candidate[EndpointEstimate]) -> tuple[str, ...]:
    lines = [
        f"{HOURS_PER_MONTH} hours per month; on-demand prices of {chosen.cost.price_date or 'unknown date'}",
        f"{USABLE_ACCELERATOR_SHARE:.0%} of accelerator memory and {USABLE_HOST_SHARE:.0%} of host memory are usable",
        f"the 95th percentile of one request alone is {SERVICE_TAIL:g} times its mean",
        f"{needs.headroom:.0%} of the capacity stays free",
    ]
    if needs.peak_requests_per_second is not None:
        lines.append(
            f"requests arrive at random; no queue is planned above {MAX_UTILIZATION:.0%} utilization"
        )
    if needs.limits.allow_burstable:
        lines.append(f"a burstable vCPU sustains {BURSTABLE_BASELINE:.1%} of its speed")
    return tuple(lines)

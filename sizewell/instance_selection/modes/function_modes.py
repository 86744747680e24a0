"""Modes that are paid by the second of work on CPUs: SageMaker Serverless Inference and AWS Lambda."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection.catalog import Catalog, InstanceType, PriceBasis, Usage
from sizewell.instance_selection.latency_bounds import BOUNDS, P95, LatencyBound
from sizewell.instance_selection.modes.candidates import try_select
from sizewell.instance_selection.modes.cost_curves import PerRequest, Piece, WarmWorkers
from sizewell.instance_selection.modes.evaluation import Evaluation, curve_of, data_of
from sizewell.instance_selection.modes.misses import latency_misses, over, payload_misses
from sizewell.instance_selection.modes.mode_prices import ModePrice, mode_price
from sizewell.instance_selection.modes.needs import Load, ModeNeeds, mean_in_progress, workers_for
from sizewell.instance_selection.modes.results import ModeMiss
from sizewell.instance_selection.requirements import HardwareKind, InstanceLimits
from sizewell.instance_selection.wording import milliseconds

#: A CPU of the kind that functions run on, with memory for everything that fits into one of them.
REFERENCE_TYPE = "ml.m5.xlarge"
REFERENCE_VCPUS = 4
#: So little traffic that no request waits for another.
_IDLE_REQUESTS_PER_SECOND = 1e-6
_NO_LATENCY_BOUND_MS = 1e9

CONDITIONS = {
    Mode.SERVERLESS: (
        "outside the VPC, without data capture and multiple variants",
        "an endpoint cannot be changed from instances to serverless: it is a new endpoint",
    ),
    Mode.LAMBDA: ("an image with the Lambda runtime interface: SageMaker images do not start there",),
}


@dataclass(frozen=True, slots=True)
class CpuEstimate:
    """One request alone on the reference CPU."""

    instance_type: str
    vcpus: int
    service_s: float
    latencies_s: Mapping[LatencyBound, float]
    """What each bound of latency is about."""
    needed_gib: float
    weights_gib: float


def estimate_on_cpu(needs: ModeNeeds, catalog: Catalog) -> CpuEstimate | ModeMiss:
    """Return what one request takes on a CPU of the catalog, or why that cannot be said."""
    if HardwareKind.CPU_X86_64 not in needs.endpoint.limits.images:
        return ModeMiss(
            requirement="image", reason="functions have CPUs only, and there is no image for cpu_x86_64"
        )
    reference = _reference(catalog)
    if reference is None:
        return ModeMiss(requirement="estimate", reason="no CPU of the region says how long a request takes")
    selection = try_select(
        replace(
            needs.endpoint.with_only_latency_bound(_NO_LATENCY_BOUND_MS),
            limits=InstanceLimits(images=frozenset({HardwareKind.CPU_X86_64}), instance_type=reference.name),
            peak_requests_per_second=_IDLE_REQUESTS_PER_SECOND,
            average_requests_per_second=_IDLE_REQUESTS_PER_SECOND,
            peak_concurrent_users=None,
            average_concurrent_users=None,
            batching=None,
            min_instances=1,
        ),
        catalog,
    )
    if isinstance(selection, ModeMiss):
        reason = selection.reason.partition("nearest, ")[2]
        return selection.model_copy(update={"reason": f"as estimated on {reason}"})
    estimate = selection.chosen.estimate
    return CpuEstimate(
        instance_type=reference.name,
        vcpus=reference.vcpus,
        service_s=estimate.service_time_ms / 1000,
        latencies_s={
            bound: reached / 1000 for bound in BOUNDS if (reached := bound.reached_ms(estimate)) is not None
        },
        needed_gib=estimate.memory.needed_gib,
        weights_gib=estimate.memory.weights_gib,
    )


def cold_start_s(mode: Mode, cpu: CpuEstimate) -> float:
    """Return how long a new worker takes to start and to load the weights."""
    return limit(mode, "cold_start_s") + limit(mode, "cold_start_s_per_gib") * cpu.weights_gib


def function_assumptions(cpu: CpuEstimate) -> tuple[str, ...]:
    """Return what the figures of functions rest on."""
    return (
        f"one request takes {milliseconds(cpu.service_s * 1000)} on the {cpu.vcpus} vCPUs of {cpu.instance_type}; a function "
        f"takes as much longer as it has fewer, one for each {limit(Mode.LAMBDA, 'mb_per_vcpu'):,.0f} MB",
        f"a function starts in {cold_start_s(Mode.LAMBDA, cpu):.0f} s, by the size of the weights; where the latency "
        "leaves no time for that, as many are kept warm as 95 of 100 requests need at peak",
    )


def evaluate_function(
    mode: Mode, needs: ModeNeeds, load: Load, catalog: Catalog, cpu: CpuEstimate | ModeMiss
) -> Evaluation:
    """Return the smallest memory that will do, warm where the latency leaves no time for a cold start."""
    misses = payload_misses(mode, needs)
    if mode is Mode.SERVERLESS and needs.network_isolation:
        misses += (
            ModeMiss(requirement="isolation", reason="serverless endpoints do not support network isolation"),
        )
    if isinstance(cpu, ModeMiss):
        return Evaluation(mode=mode, misses=(*misses, cpu))
    memory_mb = _smallest_memory_mb(mode, needs, load, cpu)
    vcpus = memory_mb / limit(mode, "mb_per_vcpu")
    speed = cpu.vcpus / vcpus
    service_s = cpu.service_s * speed
    reached_ms = {bound: s * speed * 1000 for bound, s in cpu.latencies_s.items()}
    p95_ms = reached_ms[P95]
    where = f"on {vcpus:.1f} vCPUs ({memory_mb:,} MB)"
    cold_s = cold_start_s(mode, cpu)
    # A cold start delays whatever is asked of the first token, too.
    warm = any(
        cold_s * 1000 + ms > asked_ms
        for bound, ms in reached_ms.items()
        if bound.part != "step" and (asked_ms := bound.asked_ms(needs.endpoint)) is not None
    )
    mean = load.peak_in_progress(service_s)
    workers = workers_for(mean, load.spread)
    needed_gib, offered_gib = _needed_gib(mode, cpu), memory_mb / 1024
    longest_s, most_workers = limit(mode, "max_processing_s"), limit(mode, "max_concurrency")
    misses += (
        *over("memory", needed_gib, offered_gib, f"needs {needed_gib:,.1f} GiB, at most {offered_gib:g} GiB"),
        *over(
            "duration",
            service_s,
            longest_s,
            f"one request takes {service_s:,.0f} s {where}, at most {longest_s:,.0f} s",
        ),
        *latency_misses(reached_ms, needs, where),
        *(_start_miss(cold_s) if mode is Mode.SERVERLESS else ()),
        *over(
            "concurrency",
            workers,
            most_workers,
            f"{workers:,.0f} requests in progress at peak, at most {most_workers:,.0f}",
        ),
    )
    slots = f", {max(1, math.ceil(workers - 1e-9)):,} kept warm" if warm else ""
    prices = {name: mode_price(catalog.region, mode, name) for name in _PRICES[mode, warm]}
    dates = [price.as_of for price in prices.values() if price and price.as_of]
    curve = curve_of(
        *_pieces(prices, needs, load, memory_mb / 1024, service_s), *data_of(mode, needs, catalog.region)
    )
    return Evaluation(
        mode=mode,
        misses=misses,
        runs_on=f"{memory_mb:,} MB{slots}",
        p95_latency_ms=p95_ms,
        cold_start_s=None if warm else cold_s,
        curve=curve,
        max_requests=load.requests_per_month * mean_in_progress(most_workers, load.spread) / mean,
        basis=PriceBasis.UNKNOWN if curve is None else PriceBasis.PUBLISHED,
        price_date=min(dates, default=None) if curve is not None else None,
        conditions=CONDITIONS[mode],
    )


#: The prices that a bill needs, by mode and whether workers are kept warm; nobody here knows that of a warm
#: serverless endpoint.
_PRICES = {
    (Mode.SERVERLESS, False): ("usd_per_gb_s",),
    (Mode.SERVERLESS, True): ("usd_per_warm_gb_s", "usd_per_provisioned_gb_s"),
    (Mode.LAMBDA, False): ("usd_per_gb_s", "usd_per_request"),
    (Mode.LAMBDA, True): ("usd_per_warm_gb_s", "usd_per_provisioned_gb_s", "usd_per_request"),
}


def _pieces(
    prices: Mapping[str, ModePrice | None],
    needs: ModeNeeds,
    load: Load,
    memory_gb: float,
    service_s: float,
) -> list[tuple[str, Piece | None]]:
    pieces: list[tuple[str, Piece | None]] = []
    for name, price in prices.items():
        if price is None:
            pieces.append((name, None))
        elif name == "usd_per_request":
            pieces.append(("requests", PerRequest(price.usd)))
        elif name == "usd_per_provisioned_gb_s":
            seconds = needs.active_hours_per_month * 3600
            each = load.peak_in_progress(service_s) / load.requests_per_month
            warm_workers = WarmWorkers(price.usd * memory_gb * seconds, each, load.spread)
            pieces.append(("workers kept warm", warm_workers))
        else:
            # Billed by the millisecond, rounded up.
            seconds = math.ceil(service_s * 1000 - 1e-9) / 1000
            pieces.append(("compute", PerRequest(price.usd * memory_gb * seconds)))
    return pieces


def _reference(catalog: Catalog) -> InstanceType | None:
    """Return the CPU that stands for a function's: the reference type, or the nearest that the region offers."""
    cpus = [
        one
        for one in catalog.instance_types
        if not one.accelerator_count
        and not one.burstable
        and one.cpu_architecture == "x86_64"
        and one.cpu is not None
        and one.cpu.peak_fp32_gflops_per_vcpu is not None
        and catalog.is_offered(one.name, Usage.HOSTING)
    ]
    return min(
        cpus,
        key=lambda one: (
            one.name != REFERENCE_TYPE,
            abs(one.vcpus - REFERENCE_VCPUS),
            -one.memory_gib,
            one.name,
        ),
        default=None,
    )


def _smallest_memory_mb(mode: Mode, needs: ModeNeeds, load: Load, cpu: CpuEstimate) -> int:
    """Return the smallest memory that holds the model and answers in time; the largest where none does.

    Never less than one vCPU: a request costs the same on any memory, as long as its time falls with more vCPUs.
    """
    step, max_mb = int(limit(mode, "memory_step_mb")), int(limit(mode, "max_memory_mb"))
    longest_s = min(
        limit(mode, "max_processing_s"),
        *(
            asked_ms / 1000 * cpu.service_s / reached_s
            for bound, reached_s in cpu.latencies_s.items()
            if (asked_ms := bound.asked_ms(needs.endpoint)) is not None
        ),
        # More memory answers sooner, and so has fewer requests in progress.
        load.longest_service_s(limit(mode, "max_concurrency")),
    )
    needed_mb = max(
        limit(mode, "min_memory_mb"),
        limit(mode, "mb_per_vcpu"),
        _needed_gib(mode, cpu) * 1024,
        cpu.service_s * cpu.vcpus * limit(mode, "mb_per_vcpu") / longest_s,
    )
    return min(max_mb, math.ceil(needed_mb / step - 1e-9) * step)


def _needed_gib(mode: Mode, cpu: CpuEstimate) -> float:
    return cpu.needed_gib + limit(mode, "runtime_gib")


def _start_miss(cold_s: float) -> tuple[ModeMiss, ...]:
    max_s = limit(Mode.SERVERLESS, "max_start_s")
    return over("start", cold_s, max_s, f"the model loads in {cold_s:,.0f} s, at most {max_s:,.0f} s")

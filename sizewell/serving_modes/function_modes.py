"""Modes that are paid by the second of work on CPUs: SageMaker Serverless Inference and AWS Lambda."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from sizewell.facts.billing import SECONDS_PER_MONTH
from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection.catalog import Catalog, InstanceType, PriceBasis, Usage
from sizewell.instance_selection.estimation.hardware import GIB, hardware_kind
from sizewell.instance_selection.latency_bounds import BOUNDS, P95, LatencyBound
from sizewell.instance_selection.requirements import HardwareKind, InstanceLimits
from sizewell.instance_selection.wording import milliseconds
from sizewell.serving_modes.cost_curves import CostCurve, Piece, fixed, per_request, warm_workers
from sizewell.serving_modes.evaluation import (
    Evaluation,
    ModePrice,
    curve_of,
    data_of,
    missed,
    mode_price,
    try_select,
)
from sizewell.serving_modes.misses import (
    archive_miss,
    container_misses,
    latency_misses,
    over,
    payload_misses,
    whole_answer_misses,
)
from sizewell.serving_modes.needs import Load, ModeNeeds, mean_in_progress, workers_for
from sizewell.serving_modes.results import ModeMiss, ModeOption

#: A CPU of the kind that functions run on, with memory for everything that fits into one of them. On arm64 that is AWS
#: Graviton2: "Selecting and configuring an instruction set architecture for your Lambda function",
#: https://docs.aws.amazon.com/lambda/latest/dg/foundation-arch.html
REFERENCE_TYPES = {
    HardwareKind.CPU_X86_64: "ml.m5.xlarge",
    HardwareKind.CPU_ARM64: "ml.m6g.xlarge",
}
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

    hardware: HardwareKind
    instance_type: str
    vcpus: int
    service_s: float
    latencies_s: Mapping[LatencyBound, float]
    """What each bound of latency is about."""
    needed_gib: float
    weights_gib: float


def estimate_on_cpu(
    needs: ModeNeeds, catalog: Catalog, hardware: HardwareKind = HardwareKind.CPU_X86_64
) -> CpuEstimate | ModeMiss:
    """Return what one request takes on a CPU of the catalog, or why that cannot be said."""
    if hardware not in needs.endpoint.limits.images:
        return ModeMiss(
            requirement="image", reason=f"functions have CPUs only, and there is no image for {hardware}"
        )
    reference = _reference(catalog, hardware)
    if reference is None:
        return ModeMiss(requirement="estimate", reason="no CPU of the region says how long a request takes")
    selection = try_select(
        replace(
            needs.endpoint.with_only_latency_bound(_NO_LATENCY_BOUND_MS),
            limits=InstanceLimits(images=frozenset({hardware}), instance_type=reference.name),
            peak_requests_per_second=_IDLE_REQUESTS_PER_SECOND,
            average_requests_per_second=_IDLE_REQUESTS_PER_SECOND,
            peak_concurrent_users=None,
            average_concurrent_users=None,
            batching=None,
            min_instances=1,
            # The instance stands for a function: it is not paid for.
            max_usd_per_month=None,
        ),
        catalog,
    )
    if isinstance(selection, ModeMiss):
        reason = selection.reason.partition("nearest, ")[2]
        return selection.model_copy(update={"reason": f"as estimated on {reason}"})
    estimate = selection.chosen.estimate
    return CpuEstimate(
        hardware=hardware,
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
        f"has one vCPU for each {limit(Mode.LAMBDA, 'mb_per_vcpu'):,.0f} MB, and with fewer vCPUs takes longer in proportion",
        f"a function starts in {cold_start_s(Mode.LAMBDA, cpu):.0f} s, by the size of the weights; where the latency "
        "leaves no time for that, enough functions for 95 of 100 requests at peak are kept warm",
    )


@dataclass(frozen=True, kw_only=True)
class FunctionSize:
    """A function with one of the memories that it can have: what is predicted, what it costs, and what it misses."""

    memory_mb: int
    vcpus: float
    """In proportion to the memory."""
    service_s: float
    """The time of one request, which has the function for itself."""
    reached_ms: Mapping[LatencyBound, float]
    cold_start_s: float
    workers_at_peak: int
    """How many workers 95 of 100 requests need at peak."""
    leaves_no_time: bool
    """Whether a cold start takes longer than the latency allows."""
    kept_warm: float
    """How many workers are kept warm, on the average of the month; 0 starts each when it is needed."""
    misses: tuple[ModeMiss, ...]
    """What more memory may mend."""
    curve: CostCurve | None
    """None where a price is unknown."""


def memory_sizes_mb(mode: Mode) -> range:
    """Return every memory that a function can have."""
    step = int(limit(mode, "memory_step_mb"))
    return range(int(limit(mode, "min_memory_mb")), int(limit(mode, "max_memory_mb")) + 1, step)


def function_size(
    mode: Mode,
    needs: ModeNeeds,
    load: Load,
    region: str,
    cpu: CpuEstimate,
    memory_mb: int,
    *,
    kept_warm: Callable[[float, int], float] | None = None,
    max_concurrency: int | None = None,
) -> FunctionSize:
    """Return what a function does with this memory.

    Where the latency leaves no time for a cold start, as many workers are kept warm as 95 of 100 requests need at peak; elsewhere
    none. ``kept_warm`` returns another average of a month, from the seconds of one request and that number. ``max_concurrency``
    is a lower limit than that of the mode.
    """
    vcpus = memory_mb / limit(mode, "mb_per_vcpu")
    speed = cpu.vcpus / vcpus
    service_s = cpu.service_s * speed
    reached_ms = {bound: s * speed * 1000 for bound, s in cpu.latencies_s.items()}
    where = f"on {vcpus:.1f} vCPUs ({memory_mb:,} MB)"
    cold_s = cold_start_s(mode, cpu)
    # A cold start delays whatever is asked of the first token, too.
    leaves_no_time = any(
        cold_s * 1000 + ms > asked_ms
        for bound, ms in reached_ms.items()
        if bound.part != "step" and (asked_ms := bound.asked_ms(needs.endpoint)) is not None
    )
    workers = workers_for(load.peak_in_progress(service_s), load.spread)
    workers_at_peak = max(1, math.ceil(workers - 1e-9))
    warm_at_peak = workers_at_peak if leaves_no_time else 0
    units = kept_warm(service_s, warm_at_peak) if kept_warm else warm_at_peak
    memory_gib = memory_mb / 1024
    prices = _prices(mode, region, cpu.hardware, warm=units > 0)
    pieces = _pieces(prices, load, memory_gib, service_s, fixed_units=units if kept_warm else None)
    needed_gib = (cpu.needed_gib + limit(mode, "runtime_gib")) * (1 + needs.endpoint.margin)
    longest_s = limit(mode, "max_processing_s")
    most_workers = max_concurrency or limit(mode, "max_concurrency")
    too_little = f"needs {needed_gib:,.1f} GiB, at most {memory_gib:g} GiB"
    too_long = f"one request takes {service_s:,.0f} s {where}, at most {longest_s:,.0f} s"
    too_many = f"{workers:,.0f} requests in progress at peak, at most {most_workers:,.0f}"
    return FunctionSize(
        memory_mb=memory_mb,
        vcpus=vcpus,
        service_s=service_s,
        reached_ms=reached_ms,
        cold_start_s=cold_s,
        workers_at_peak=workers_at_peak,
        leaves_no_time=leaves_no_time,
        kept_warm=units,
        misses=(
            *over("memory", needed_gib, memory_gib, too_little),
            *over("duration", service_s, longest_s, too_long),
            *latency_misses(reached_ms, needs, where),
            *over("concurrency", workers, most_workers, too_many),
        ),
        curve=curve_of(*pieces, *data_of(mode, needs, region)),
    )


def smallest_that_fits(mode: Mode, size: Callable[[int], FunctionSize]) -> FunctionSize:
    """Return the smallest memory that misses nothing; the largest where every one misses something.

    Not less than one vCPU where no worker is kept warm: a request costs the same on any memory, as long as its time falls with
    more vCPUs. A warm worker costs more with more memory. More memory never misses more, so it is found by halving.
    """
    sizes = memory_sizes_mb(mode)
    place = bisect_left(sizes, True, key=lambda mb: not size(mb).misses)
    smallest = size(sizes[min(place, len(sizes) - 1)])
    if smallest.kept_warm or smallest.vcpus >= 1:
        return smallest
    return size(next(mb for mb in sizes if mb >= limit(mode, "mb_per_vcpu")))


def function_misses(mode: Mode, needs: ModeNeeds, cpu: CpuEstimate) -> tuple[ModeMiss, ...]:
    """Return what no memory mends: payload, pipeline, isolation, the time to start, and the disk."""
    misses = (*payload_misses(mode, needs), *container_misses(mode, needs))
    if needs.network_isolation:
        who = "serverless endpoints" if mode is Mode.SERVERLESS else "functions"
        misses += (ModeMiss(requirement="isolation", reason=f"{who} do not support network isolation"),)
    return (*misses, *(_serverless_misses(needs, cpu) if mode is Mode.SERVERLESS else ()))


def _serverless_misses(needs: ModeNeeds, cpu: CpuEstimate) -> Iterator[ModeMiss]:
    yield from archive_miss(needs, "serverless endpoints")
    yield from whole_answer_misses(needs)
    cold_s, max_s = cold_start_s(Mode.SERVERLESS, cpu), limit(Mode.SERVERLESS, "max_start_s")
    yield from over("start", cold_s, max_s, f"the model loads in {cold_s:,.0f} s, at most {max_s:,.0f} s")
    model, max_gib = needs.endpoint.model, limit(Mode.SERVERLESS, "max_disk_gib")
    disk_gib = needs.artifact_gib or model.parameters * model.precision.bytes / GIB
    yield from over(
        "disk", disk_gib, max_gib, f"the artifact has {disk_gib:,.3g} GiB, at most {max_gib:g} GiB are there"
    )


def evaluate_function(
    mode: Mode, needs: ModeNeeds, load: Load, catalog: Catalog, cpu: CpuEstimate | ModeMiss
) -> Evaluation:
    """Return the smallest memory that will do, warm where the latency leaves no time for a cold start."""
    if isinstance(cpu, ModeMiss):
        return missed(mode, *payload_misses(mode, needs), cpu)
    size = smallest_that_fits(mode, lambda mb: function_size(mode, needs, load, catalog.region, cpu, mb))
    slots = f", {size.workers_at_peak:,} kept warm" if size.kept_warm else ""
    prices = _prices(mode, catalog.region, cpu.hardware, warm=size.kept_warm > 0)
    dates = [price.as_of for price in prices.values() if price and price.as_of]
    return Evaluation(
        option=ModeOption(
            mode=mode,
            misses=(*function_misses(mode, needs, cpu), *size.misses),
            runs_on=f"{size.memory_mb:,} MB{slots}",
            p95_latency_ms=size.reached_ms[P95],
            cold_start_s=None if size.kept_warm else size.cold_start_s,
            basis=PriceBasis.UNKNOWN if size.curve is None else PriceBasis.PUBLISHED,
            price_date=min(dates, default=None) if size.curve is not None else None,
            conditions=CONDITIONS[mode],
        ),
        curve=size.curve,
        max_requests=load.requests_per_month
        * mean_in_progress(limit(mode, "max_concurrency"), load.spread)
        / load.peak_in_progress(size.service_s),
    )


#: The prices that a bill needs, by mode and whether workers are kept warm.
_PRICES = {
    (Mode.SERVERLESS, False): ("usd_per_gb_s",),
    (Mode.SERVERLESS, True): ("usd_per_warm_gb_s", "usd_per_provisioned_gb_s"),
    (Mode.LAMBDA, False): ("usd_per_gb_s", "usd_per_request"),
    (Mode.LAMBDA, True): ("usd_per_warm_gb_s", "usd_per_provisioned_gb_s", "usd_per_request"),
}


def _prices(mode: Mode, region: str, hardware: HardwareKind, *, warm: bool) -> dict[str, ModePrice | None]:
    """Return the prices by the names of x86; what is paid by the second has a price of its own on arm64."""
    arm = hardware is HardwareKind.CPU_ARM64
    return {
        name: mode_price(region, mode, f"arm64_{name}" if arm and name.endswith("_gb_s") else name)
        for name in _PRICES[mode, warm]
    }


def _pieces(
    prices: Mapping[str, ModePrice | None],
    load: Load,
    memory_gb: float,
    service_s: float,
    *,
    fixed_units: float | None,
) -> Iterator[tuple[str, Piece | None]]:
    for name, price in prices.items():
        if price is None:
            yield name, None
        elif name == "usd_per_request":
            yield "requests", per_request(price.usd)
        elif name == "usd_per_provisioned_gb_s":
            # Nothing says at which hours requests come: they are kept warm day and night.
            usd_per_worker = price.usd * memory_gb * SECONDS_PER_MONTH
            each = load.peak_in_progress(service_s) / load.requests_per_month
            yield (
                "workers kept warm",
                warm_workers(usd_per_worker, each, load.spread)
                if fixed_units is None
                else fixed(usd_per_worker * fixed_units),
            )
        else:
            # Billed by the millisecond, rounded up.
            seconds = math.ceil(service_s * 1000 - 1e-9) / 1000
            yield "compute", per_request(price.usd * memory_gb * seconds)


def _reference(catalog: Catalog, hardware: HardwareKind) -> InstanceType | None:
    """Return the type whose CPU is most like that of a function: the reference type, or the nearest that the region offers."""
    cpus = [
        instance_type
        for instance_type in catalog.instance_types
        if hardware_kind(instance_type) is hardware
        and not instance_type.burstable
        and instance_type.cpu is not None
        and instance_type.cpu.peak_fp32_gflops_per_vcpu is not None
        and catalog.is_offered(instance_type.name, Usage.HOSTING)
    ]
    return min(
        cpus,
        key=lambda instance_type: (
            instance_type.name != REFERENCE_TYPES[hardware],
            abs(instance_type.vcpus - REFERENCE_VCPUS),
            -instance_type.memory_gib,
            instance_type.name,
        ),
        default=None,
    )

"""The decisions for one serverless endpoint: its memory, how many requests at once, and how many workers stay warm.

They rest on the same figures as the comparison of modes: ``sizewell.instance_selection.modes.function_modes``.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sizewell.config.policy import Policy
from sizewell.config.serverless_endpoint import (
    MAX_CONCURRENCY,
    ConcurrencyScaling,
    ServerlessEndpoint,
)
from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection import EndpointRequirements, HardwareKind, InstanceLimits, Measurement
from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.latency_bounds import BOUNDS, P95
from sizewell.instance_selection.modes.function_modes import (
    CpuEstimate,
    FunctionSize,
    estimate_on_cpu,
    function_misses,
    function_size,
    memory_sizes_mb,
    smallest_that_fits,
)
from sizewell.instance_selection.modes.needs import Load, ModeNeeds, load_of
from sizewell.instance_selection.modes.results import ModeMiss
from sizewell.instance_selection.wording import milliseconds
from sizewell.planning.access import plan_access
from sizewell.planning.alarm_thresholds import (
    ERROR_4XX_PERCENT,
    ERROR_5XX_PERCENT,
    MEMORY_PERCENT,
    evaluation_faults,
    latency_thresholds_ms,
    percentile_faults,
    stated_alarms,
)
from sizewell.planning.digests import needs_digest
from sizewell.planning.engines import engine_assumptions, engine_of
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.images import plan_image
from sizewell.planning.model_spec import model_assumptions, model_spec
from sizewell.planning.names import Names
from sizewell.planning.scaling_schedules import cron_of, hours_per_week
from sizewell.planning.serverless_plan_model import (
    ConcurrencyActionPlan,
    ConcurrencyScalingPlan,
    MemorySizePlan,
    ServerlessEndpointPlan,
)
from sizewell.planning.translate import image_for, request_units
from sizewell.planning.translate import load_of as traffic_needs

_MODE = Mode.SERVERLESS
VARIANT_NAME = "primary"
#: More requests at once than the peak needs, for the day when the peak was wrong; what is not used is not paid.
MAX_OVER_PEAK = 1.5
#: A cold start that takes this many times what is predicted, and requests that use this share of what is allowed at once.
SETUP_OVER_PREDICTED = 2.0
CONCURRENCY_PERCENT = 90.0
_HOURS_PER_WEEK = 7 * 24

#: The key that answers for a requirement, and what to do about it.
_REMEDIES = {
    "image": (("container", "images", "cpu_x86_64"), "name an image for x86 CPUs"),
    "memory": (
        ("model",),
        "use fewer bits in model.precision or a smaller model, or write kind: real-time-endpoint",
    ),
    "duration": (
        ("latency", "max_p95_ms"),
        "shorten the request, use a faster engine or a smaller model, or write kind: real-time-endpoint",
    ),
    "start": (
        ("model",),
        "use fewer bits in model.precision or a smaller model, or write kind: real-time-endpoint",
    ),
    "concurrency": (("traffic",), "plan for less traffic, or write kind: real-time-endpoint"),
    **{
        bound.filter: (
            ("latency", bound.key),
            "allow more milliseconds, shorten the request, use a faster engine, or write kind: real-time-endpoint",
        )
        for bound in BOUNDS
    },
}


def serverless_needs(
    endpoint: ServerlessEndpoint, policy: Policy, measurements: tuple[Measurement, ...] = ()
) -> ModeNeeds:
    """Return the needs of a serverless endpoint, in the terms of the comparison of modes."""
    model = model_spec(endpoint.model)
    return ModeNeeds(
        endpoint=EndpointRequirements(
            model=model,
            engine=engine_of(endpoint),
            limits=InstanceLimits(images=frozenset({HardwareKind.CPU_X86_64})),
            max_p95_latency_ms=endpoint.latency.max_p95_ms,
            max_p99_latency_ms=endpoint.latency.max_p99_ms,
            margin=policy.margin if endpoint.margin is None else endpoint.margin,
            measurements=measurements,
            **request_units(endpoint.request, model),
            **traffic_needs(endpoint.traffic),
        ),
        payload_mb=endpoint.request.payload_mb,
        response_mb=endpoint.request.response_mb,
        active_hours_per_day=endpoint.traffic.active_hours_per_day,
    )


def plan_serverless_endpoint(
    name: str,
    endpoint: ServerlessEndpoint,
    policy: Policy,
    catalog: Catalog,
    names: Names,
    measurements: tuple[Measurement, ...] = (),
) -> ServerlessEndpointPlan:
    """Return the plan of a serverless endpoint; raises ``PlanError`` with every need that no memory meets."""
    needs = serverless_needs(endpoint, policy, measurements)
    cpu = estimate_on_cpu(needs, catalog)
    if isinstance(cpu, ModeMiss):
        raise PlanError((_fault(name, endpoint, cpu),))
    choice = _Choice(endpoint, needs, catalog.region, cpu)
    chosen = choice.chosen
    if misses := (*function_misses(_MODE, needs, cpu), *chosen.misses):
        raise PlanError(tuple(_fault(name, endpoint, miss) for miss in misses))
    requests_per_month = choice.load.requests_per_month
    provisioned = choice.provisioned(chosen)
    scaling = choice.scaling(chosen.service_s, provisioned) if provisioned else None
    alarms, alarms_off = stated_alarms(
        endpoint.alarms,
        _default_thresholds(endpoint, chosen, provisioned),
        choice.load.average_requests_per_second,
        instances_report=False,
    )
    return ServerlessEndpointPlan(
        name=name,
        description=endpoint.description,
        stack_name=names.stack(name),
        tags=dict(sorted(endpoint.tags.items())),
        place=endpoint.place,
        execution_role_arn=endpoint.execution_role_arn,
        access=plan_access(endpoint.access, names.account),
        environment=dict(sorted(endpoint.container.environment.items())),
        network_isolation=endpoint.container.network_isolation,
        needs_digest=needs_digest(
            needs,
            region=policy.region,
            memory_mb=str(endpoint.memory_mb),
            max_concurrency=str(endpoint.max_concurrency),
            provisioned_concurrency=str(endpoint.provisioned_concurrency),
        ),
        endpoint_name=names.workload(name),
        variant_name=VARIANT_NAME,
        image=plan_image(image_for(endpoint.container.images, HardwareKind.CPU_X86_64), names),
        artifact_key=endpoint.container.artifact.key,
        artifact_compression=endpoint.container.artifact.compression,
        memory_mb=chosen.memory_mb,
        max_concurrency=choice.max_concurrency(chosen, scaling),
        provisioned_concurrency=provisioned or None,
        scaling=scaling,
        requests_per_month=requests_per_month,
        average_provisioned_concurrency=chosen.kept_warm,
        service_time_ms=math.ceil(chosen.service_s * 1000 - 1e-9),
        p95_latency_ms=chosen.reached_ms[P95],
        cold_start_s=chosen.cold_start_s,
        data_gb_per_request=needs.data_gb_per_request,
        alarms=alarms,
        alarms_off=alarms_off,
        sizes=tuple(choice.told(mb) for mb in memory_sizes_mb(_MODE)),
        decisions=tuple(_decisions(endpoint, choice, provisioned, scaling)),
        assumptions=(
            f"one request takes {milliseconds(cpu.service_s * 1000)} on the {cpu.vcpus} vCPUs of {cpu.instance_type}; a worker "
            f"takes as much longer as it has fewer, one for each {limit(_MODE, 'mb_per_vcpu'):,.0f} MB",
            f"a worker starts in {chosen.cold_start_s:.0f} s, by the size of the weights",
            f"{HOURS_PER_MONTH} hours per month; no free tier",
            *model_assumptions(endpoint.model),
            *engine_assumptions(endpoint),
        ),
    )


def serverless_faults(endpoint: ServerlessEndpoint, plan: ServerlessEndpointPlan) -> Iterator[PlanFault]:
    """Yield what a plan does not allow, or leaves without effect."""
    path = ("workloads", plan.name)
    if endpoint.scaling is not None and plan.provisioned_concurrency is None:
        yield PlanFault(
            (*path, "scaling"),
            f"has no effect: the latency leaves time for a cold start of {plan.cold_start_s:.0f} s, so nothing is provisioned",
            "remove it, or state provisioned_concurrency",
        )
    if plan.provisioned_concurrency is None and endpoint.alarms.provisioned_concurrency_spillover.stated:
        yield PlanFault(
            (*path, "alarms", "provisioned_concurrency_spillover"),
            "has no effect: nothing is provisioned, so nothing spills over",
            "remove it, or state provisioned_concurrency",
        )
    chosen = next(size for size in plan.sizes if size.memory_mb == plan.memory_mb)
    most, cost = endpoint.max_usd_per_month, chosen.usd_per_month
    if most is not None and cost is not None and cost > most:
        yield PlanFault(
            (*path, "max_usd_per_month"),
            f"costs {cost:,.2f} USD per month with {plan.memory_mb:,} MB"
            + (f" and {plan.provisioned_concurrency} kept warm" if plan.provisioned_concurrency else ""),
            "raise it, plan for less traffic, or keep fewer workers warm (provisioned_concurrency, scaling)",
        )
    alarms_path = (*path, "alarms")
    yield from evaluation_faults(alarms_path, plan.alarms)
    yield from percentile_faults(alarms_path, endpoint.alarms, plan.alarms)


@dataclass(frozen=True)
class _Choice:
    """What each memory does for an endpoint, and which of them is taken."""

    endpoint: ServerlessEndpoint
    needs: ModeNeeds
    region: str
    cpu: CpuEstimate

    @property
    def chosen(self) -> FunctionSize:
        """The memory that is stated, or the smallest that will do."""
        stated = self.endpoint.memory_mb
        return self.size(stated) if stated is not None else smallest_that_fits(_MODE, self.size)

    @property
    def load(self) -> Load:
        """The load; users ask again as soon as the chosen memory has answered."""
        # How many requests come in a month decides on no memory: users are as many at once as they are.
        return load_of(self.needs.endpoint, self.chosen.service_s)

    def size(self, memory_mb: int) -> FunctionSize:
        """Return what a memory does."""
        speed = self.cpu.vcpus / (memory_mb / limit(_MODE, "mb_per_vcpu"))
        return function_size(
            _MODE,
            self.needs,
            load_of(self.needs.endpoint, self.cpu.service_s * speed),
            self.region,
            self.cpu,
            memory_mb,
            kept_warm=self._kept_warm,
            max_concurrency=self.endpoint.max_concurrency,
        )

    def told(self, memory_mb: int) -> MemorySizePlan:
        """Return a memory as the plan tells it."""
        size, chosen = self.size(memory_mb), self.chosen
        why_not = [miss.reason for miss in size.misses]
        if not why_not and size.memory_mb != chosen.memory_mb:
            if self.endpoint.memory_mb is not None:
                why_not = [f"memory_mb is {chosen.memory_mb}"]
            elif size.memory_mb > chosen.memory_mb:
                why_not = [f"{chosen.memory_mb:,} MB will do"]
            else:
                why_not = [
                    "less than one vCPU: a request costs the same with a whole one, and is answered sooner"
                ]
        load = load_of(self.needs.endpoint, size.service_s)
        return MemorySizePlan(
            memory_mb=memory_mb,
            vcpus=round(size.vcpus, 2),
            p95_latency_ms=size.reached_ms[P95],
            concurrency_at_peak=size.workers_at_peak,
            usd_per_month=size.curve.usd(load.requests_per_month) if size.curve else None,
            why_not=tuple(why_not),
        )

    def provisioned(self, size: FunctionSize) -> int:
        """Return how many workers a deployment keeps warm."""
        stated = self.endpoint.provisioned_concurrency
        at_peak = size.workers_at_peak if size.leaves_no_time else 0
        return self._start(at_peak if stated is None else stated)

    def scaling(self, service_s: float, provisioned: int) -> ConcurrencyScalingPlan | None:
        """Return how provisioned concurrency follows the load; None for a fixed number."""
        scaling = self.endpoint.scaling
        if scaling is None:
            return None
        least, most = self._bounds(scaling, service_s, provisioned)
        if least >= most and not scaling.schedules:
            return None
        hours = hours_per_week(scaling.schedules)
        actions = []
        for name, one in sorted(scaling.schedules.items()):
            low = one.min_provisioned_concurrency or least
            actions.append(
                ConcurrencyActionPlan(
                    name=name,
                    schedule=cron_of(one),
                    time_zone=one.time_zone,
                    min_provisioned_concurrency=min(low, one.max_provisioned_concurrency or low),
                    max_provisioned_concurrency=one.max_provisioned_concurrency or max(low, most),
                    hours_per_week=hours[name],
                )
            )
        return ConcurrencyScalingPlan(
            min_provisioned_concurrency=least,
            max_provisioned_concurrency=most,
            target_utilization=round(1 - scaling.headroom, 6),
            scale_out_cooldown_s=scaling.scale_out_cooldown_s,
            scale_in_cooldown_s=scaling.scale_in_cooldown_s,
            scheduled_actions=tuple(actions),
        )

    def max_concurrency(self, size: FunctionSize, scaling: ConcurrencyScalingPlan | None) -> int:
        """Return how many requests may be answered at once: never fewer than workers that may be warm."""
        if self.endpoint.max_concurrency is not None:
            return self.endpoint.max_concurrency
        warm = [self.provisioned(size)]
        if scaling is not None:
            warm += [scaling.max_provisioned_concurrency]
            warm += [action.max_provisioned_concurrency for action in scaling.scheduled_actions]
        return min(MAX_CONCURRENCY, max(math.ceil(size.workers_at_peak * MAX_OVER_PEAK), *warm))

    def _start(self, workers: int) -> int:
        """Return a number of workers within what is stated of them."""
        scaling = self.endpoint.scaling
        most = scaling.max_provisioned_concurrency if scaling else None
        least = scaling.min_provisioned_concurrency if scaling else None
        if not workers:
            return 0
        return max(least or 1, min(workers, most or workers, self.endpoint.max_concurrency or workers))

    def _bounds(self, scaling: ConcurrencyScaling, service_s: float, provisioned: int) -> tuple[int, int]:
        """Return the bounds by themselves: from one worker to what the peak needs with its headroom."""
        at_peak = self._load_at(service_s).peak_in_progress(service_s) / (1 - scaling.headroom)
        ceiling = self.endpoint.max_concurrency or MAX_CONCURRENCY
        least = scaling.min_provisioned_concurrency or 1
        most = scaling.max_provisioned_concurrency or min(
            ceiling, max(provisioned, math.ceil(at_peak - 1e-9))
        )
        return least, max(least, most)

    def _kept_warm(self, service_s: float, at_peak: int) -> float:
        """Return how many workers are kept warm over the month, as the load and the clock let them be."""
        stated = self.endpoint.provisioned_concurrency
        provisioned = self._start(at_peak if stated is None else stated)
        plan = self.scaling(service_s, provisioned) if provisioned else None
        if plan is None:
            return provisioned
        load = self._load_at(service_s)
        average = load.average_units if load.by_users else load.average_requests_per_second * service_s
        wanted = math.ceil(average / plan.target_utilization - 1e-9)
        bounds = [
            (one.hours_per_week, one.min_provisioned_concurrency, one.max_provisioned_concurrency)
            for one in plan.scheduled_actions
        ] or [(_HOURS_PER_WEEK, plan.min_provisioned_concurrency, plan.max_provisioned_concurrency)]
        return sum(hours * max(low, min(wanted, high)) for hours, low, high in bounds) / _HOURS_PER_WEEK

    def _load_at(self, service_s: float) -> Load:
        return load_of(self.needs.endpoint, service_s)


def _default_thresholds(
    endpoint: ServerlessEndpoint, chosen: FunctionSize, provisioned: int
) -> dict[str, float]:
    latency = latency_thresholds_ms(endpoint.latency)
    setup_ms = chosen.cold_start_s * 1000 * SETUP_OVER_PREDICTED
    if not provisioned:
        # OverheadLatency holds the cold starts, and with little traffic every request may be one.
        latency["overhead_latency"] += setup_ms
    return {
        "server_error_rate": ERROR_5XX_PERCENT,
        "client_error_rate": ERROR_4XX_PERCENT,
        **latency,
        "model_setup_time": setup_ms,
        "memory_utilization": MEMORY_PERCENT,
        "concurrency_utilization": CONCURRENCY_PERCENT,
        **({"provisioned_concurrency_spillover": 0.0} if provisioned else {}),
    }


def _decisions(
    endpoint: ServerlessEndpoint,
    choice: _Choice,
    provisioned: int,
    scaling: ConcurrencyScalingPlan | None,
) -> Iterator[str]:
    size = choice.chosen
    why = (
        "as stated"
        if endpoint.memory_mb is not None
        else "the smallest that holds the model and answers in time"
    )
    yield f"{size.memory_mb:,} MB, {size.vcpus:.1f} vCPUs: {why}"
    at_once = f"95 of 100 requests find a worker at peak where there are {size.workers_at_peak:,}"
    if endpoint.max_concurrency is None:
        yield f"{choice.max_concurrency(size, scaling):,} requests at once: {at_once}, and half as many again are allowed"
    else:
        yield f"{endpoint.max_concurrency:,} requests at once, as stated: {at_once}"
    cold = f"a cold start of {size.cold_start_s:.0f} s"
    if provisioned:
        why = "as stated" if endpoint.provisioned_concurrency else f"the latency leaves no time for {cold}"
        yield f"{provisioned:,} kept warm: {why}"
    elif size.leaves_no_time:
        yield f"none kept warm, as stated: a request that starts a worker waits {cold}, which the latency leaves no time for"
    else:
        yield f"none kept warm: the latency leaves time for {cold}"
    if scaling is not None:
        yield (
            f"{scaling.min_provisioned_concurrency} to {scaling.max_provisioned_concurrency} kept warm as the load wants, at "
            f"{scaling.target_utilization:.0%} utilization; a load that grows finds cold workers until more are warm"
        )


def _fault(name: str, endpoint: ServerlessEndpoint, miss: ModeMiss) -> PlanFault:
    key, remedy = _REMEDIES.get(miss.requirement, ((), "write kind: real-time-endpoint"))
    if miss.requirement == "concurrency" and endpoint.max_concurrency is not None:
        key, remedy = ("max_concurrency",), "raise it, or plan for less traffic"
    elif endpoint.memory_mb is not None and miss.requirement in (
        "memory",
        "duration",
        *(b.filter for b in BOUNDS),
    ):
        key, remedy = ("memory_mb",), "raise it, or leave it out: the smallest that will do is taken"
    if miss.requirement == "memory" and "at most" not in miss.reason:
        most = f", and a serverless endpoint has {limit(_MODE, 'max_memory_mb') / 1024:g} GB at most"
        return PlanFault(("workloads", name, *key), f"{miss.requirement}: {miss.reason}{most}", remedy)
    best = (
        ""
        if endpoint.memory_mb is not None or miss.requirement == "start"
        else "; no serverless endpoint does better"
    )
    return PlanFault(("workloads", name, *key), f"{miss.requirement}: {miss.reason}{best}", remedy)

"""What each memory does for what workers serve on demand, and which of them is taken.

It rests on the same figures as the comparison of modes: ``sizewell.serving_modes.function_modes``.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

from sizewell.config.policy import Policy
from sizewell.config.served_on_demand import ConcurrencyScaling, ServedOnDemand
from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection import EndpointRequirements, HardwareKind, InstanceLimits, Measurement
from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.latency_bounds import BOUNDS, P95
from sizewell.planning.engines import engine_of
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.model_spec import model_spec
from sizewell.planning.on_demand_plan_model import (
    ConcurrencyActionPlan,
    ConcurrencyScalingPlan,
    MemorySizePlan,
)
from sizewell.planning.scaling_schedules import cron_of, hours_per_week
from sizewell.planning.translate import load_of as traffic_needs
from sizewell.planning.translate import request_units
from sizewell.serving_modes.function_modes import (
    CpuEstimate,
    FunctionSize,
    estimate_on_cpu,
    function_misses,
    function_size,
    memory_sizes_mb,
    smallest_that_fits,
)
from sizewell.serving_modes.needs import Load, ModeNeeds, load_of
from sizewell.serving_modes.results import ModeMiss

#: More requests at once than the peak needs, for the day when the peak was wrong; what is not used is not paid.
MAX_OVER_PEAK = 1.5
_HOURS_PER_WEEK = 7 * 24
#: More memories than these are told by the gigabyte.
_MOST_TOLD = 10
_NOUN = {Mode.SERVERLESS: "serverless endpoint", Mode.LAMBDA: "Lambda function"}
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
    "disk": (("container", "artifact"), "put less into the artifact, or write kind: real-time-endpoint"),
    "concurrency": (("traffic",), "plan for less traffic, or write kind: real-time-endpoint"),
    **{
        bound.filter: (
            ("latency", bound.key),
            "allow more milliseconds, shorten the request, use a faster engine, or write kind: real-time-endpoint",
        )
        for bound in BOUNDS
    },
}


def on_demand_needs(
    workload: ServedOnDemand, policy: Policy, measurements: tuple[Measurement, ...] = ()
) -> ModeNeeds:
    """Return the needs of a workload, in the terms of the comparison of modes."""
    model = model_spec(workload.model)
    return ModeNeeds(
        endpoint=EndpointRequirements(
            model=model,
            engine=engine_of(workload),
            limits=InstanceLimits(images=frozenset(map(HardwareKind, workload.container.runs_on))),
            max_p95_latency_ms=workload.latency.max_p95_ms,
            max_p99_latency_ms=workload.latency.max_p99_ms,
            margin=policy.margin if workload.margin is None else workload.margin,
            measurements=measurements,
            **request_units(workload.request, model),
            **traffic_needs(workload.traffic),
        ),
        payload_mb=workload.request.payload_mb,
        response_mb=workload.request.response_mb,
        active_hours_per_day=workload.traffic.active_hours_per_day,
        artifact_gib=workload.container.artifact.size_gib if workload.container.artifact else None,
    )


def choose(
    name: str,
    workload: ServedOnDemand,
    mode: Mode,
    needs: ModeNeeds,
    catalog: Catalog,
) -> "OnDemandChoice":
    """Return the cheaper of the CPUs that there is an image for; raises ``PlanError`` with every need that no memory meets."""
    found: list[OnDemandChoice] = []
    misses_of: dict[HardwareKind, tuple[ModeMiss, ...]] = {}
    for hardware in map(HardwareKind, workload.container.runs_on):
        cpu = estimate_on_cpu(needs, catalog, hardware)
        if isinstance(cpu, ModeMiss):
            misses_of[hardware] = (cpu,)
            continue
        choice = OnDemandChoice(mode, workload, needs, catalog.region, cpu)
        if misses := (*function_misses(mode, needs, cpu), *choice.chosen.misses):
            misses_of[hardware] = misses
        else:
            found.append(choice)
    if not found:
        first = next(iter(misses_of.values()))
        raise PlanError(tuple(_fault(name, workload, mode, miss) for miss in first))
    best, *others = sorted(
        found, key=lambda choice: math.inf if choice.usd_per_month is None else choice.usd_per_month
    )
    why_not = (
        *(f"{other.cpu.hardware} would cost {_usd(other.usd_per_month)}" for other in others),
        *(f"{hardware} will not do: {misses[0].reason}" for hardware, misses in misses_of.items()),
    )
    return replace(best, other_cpus=why_not)


def _usd(usd_per_month: float | None) -> str:
    return "what nobody here knows" if usd_per_month is None else f"{usd_per_month:,.2f} USD per month"


@dataclass(frozen=True)
class OnDemandChoice:
    """What each memory does for a workload, and which of them is taken."""

    mode: Mode
    workload: ServedOnDemand
    needs: ModeNeeds
    region: str
    cpu: CpuEstimate
    other_cpus: tuple[str, ...] = ()
    """Why not the other ones that there is an image for."""

    @cached_property
    def chosen(self) -> FunctionSize:
        """The memory that is stated, or the smallest that will do."""
        stated = self.workload.memory_mb
        return self.size(stated) if stated is not None else smallest_that_fits(self.mode, self.size)

    @property
    def load(self) -> Load:
        """The load; users ask again as soon as the chosen memory has answered."""
        # How many requests come in a month decides on no memory: users are as many at once as they are.
        return load_of(self.needs.endpoint, self.chosen.service_s)

    @property
    def usd_per_month(self) -> float | None:
        """At average load, without data and alarms; None is unknown."""
        curve = self.chosen.curve
        return curve.usd(self.load.requests_per_month) if curve else None

    @property
    def told_sizes_mb(self) -> tuple[int, ...]:
        """The memories that are told: of many, whole gigabytes and the one that is taken."""
        sizes = memory_sizes_mb(self.mode)
        if len(sizes) <= _MOST_TOLD:
            return tuple(sizes)
        return tuple(sorted({self.chosen.memory_mb, *(mb for mb in sizes if mb % 1024 == 0)}))

    def size(self, memory_mb: int) -> FunctionSize:
        """Return what a memory does."""
        speed = self.cpu.vcpus / (memory_mb / limit(self.mode, "mb_per_vcpu"))
        return function_size(
            self.mode,
            self.needs,
            load_of(self.needs.endpoint, self.cpu.service_s * speed),
            self.region,
            self.cpu,
            memory_mb,
            kept_warm=self._kept_warm,
            max_concurrency=self.workload.max_concurrency or self.workload.most_concurrency,
        )

    def told(self, memory_mb: int) -> MemorySizePlan:
        """Return a memory as the plan tells it."""
        size, chosen = self.size(memory_mb), self.chosen
        why_not = [miss.reason for miss in size.misses]
        if not why_not and size.memory_mb != chosen.memory_mb:
            if self.workload.memory_mb is not None:
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
        stated = self.workload.provisioned_concurrency
        at_peak = size.workers_at_peak if size.leaves_no_time else 0
        return self._start(at_peak if stated is None else stated)

    def scaling(self, service_s: float, provisioned: int) -> ConcurrencyScalingPlan | None:
        """Return how provisioned concurrency follows the load; None for a fixed number."""
        scaling = self.workload.scaling
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
        if self.workload.max_concurrency is not None:
            return self.workload.max_concurrency
        warm = [self.provisioned(size)]
        if scaling is not None:
            warm += [scaling.max_provisioned_concurrency]
            warm += [action.max_provisioned_concurrency for action in scaling.scheduled_actions]
        return min(
            self.workload.most_concurrency, max(math.ceil(size.workers_at_peak * MAX_OVER_PEAK), *warm)
        )

    def _start(self, workers: int) -> int:
        """Return a number of workers within what is stated of them."""
        scaling = self.workload.scaling
        most = scaling.max_provisioned_concurrency if scaling else None
        least = scaling.min_provisioned_concurrency if scaling else None
        if not workers:
            return 0
        return max(least or 1, min(workers, most or workers, self.workload.max_concurrency or workers))

    def _bounds(self, scaling: ConcurrencyScaling, service_s: float, provisioned: int) -> tuple[int, int]:
        """Return the bounds by themselves: from one worker to what the peak needs with its headroom."""
        at_peak = self._load_at(service_s).peak_in_progress(service_s) / (1 - scaling.headroom)
        ceiling = self.workload.max_concurrency or self.workload.most_concurrency
        least = scaling.min_provisioned_concurrency or 1
        most = scaling.max_provisioned_concurrency or min(
            ceiling, max(provisioned, math.ceil(at_peak - 1e-9))
        )
        return least, max(least, most)

    def _kept_warm(self, service_s: float, at_peak: int) -> float:
        """Return how many workers are kept warm over the month, as the load and the clock let them be."""
        stated = self.workload.provisioned_concurrency
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


def _fault(name: str, workload: ServedOnDemand, mode: Mode, miss: ModeMiss) -> PlanFault:
    key, remedy = _REMEDIES.get(miss.requirement, ((), "write kind: real-time-endpoint"))
    if miss.requirement == "concurrency" and workload.max_concurrency is not None:
        key, remedy = ("max_concurrency",), "raise it, or plan for less traffic"
    elif miss.requirement == "concurrency" and mode is Mode.LAMBDA:
        remedy += "; where AWS has raised the quota of the account, state max_concurrency"
    elif workload.memory_mb is not None and miss.requirement in (
        "memory",
        "duration",
        *(b.filter for b in BOUNDS),
    ):
        key, remedy = ("memory_mb",), "raise it, or leave it out: the smallest that will do is taken"
    if miss.requirement == "memory" and "at most" not in miss.reason:
        most = f", and a {_NOUN[mode]} has {limit(mode, 'max_memory_mb') / 1024:g} GB at most"
        return PlanFault(("workloads", name, *key), f"{miss.requirement}: {miss.reason}{most}", remedy)
    best = (
        ""
        if workload.memory_mb is not None or miss.requirement == "start"
        else f"; no {_NOUN[mode]} does better"
    )
    return PlanFault(("workloads", name, *key), f"{miss.requirement}: {miss.reason}{best}", remedy)

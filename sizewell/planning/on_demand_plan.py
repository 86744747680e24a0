"""The decisions that plans of serverless endpoints and Lambda functions share: memory, requests at once, warm workers."""

import math
from collections.abc import Iterator
from typing import Any

from sizewell.config.alarms import Alarm
from sizewell.config.served_on_demand import ServedOnDemand
from sizewell.facts.billing import HOURS_PER_MONTH
from sizewell.facts.serving_modes import Mode, limit
from sizewell.instance_selection.latency_bounds import P95
from sizewell.instance_selection.wording import milliseconds
from sizewell.planning.digests import needs_digest
from sizewell.planning.engines import engine_assumptions
from sizewell.planning.errors import PlanFault
from sizewell.planning.kind import Stated
from sizewell.planning.model_containers import Calls, container_assumptions
from sizewell.planning.model_spec import model_assumptions
from sizewell.planning.names import composite_alarm_name, stated_keys
from sizewell.planning.on_demand_choice import OnDemandChoice
from sizewell.planning.on_demand_plan_model import (
    ConcurrencyScalingPlan,
    OnDemandPlan,
)


def decided(stated: Stated, choice: "OnDemandChoice") -> dict[str, Any]:
    """Return what the plans of both kinds have, but the alarms, by the names of ``OnDemandPlan``."""
    workload: ServedOnDemand = stated.workload
    chosen, cpu, mode = choice.chosen, choice.cpu, choice.mode
    provisioned = choice.provisioned(chosen)
    scaling = choice.scaling(chosen.service_s, provisioned) if provisioned else None
    return {
        **stated_keys(stated.name, workload, stated.names),
        "composite_alarm_name": composite_alarm_name(stated.policy, stated.names, stated.name),
        "needs_digest": needs_digest(
            choice.needs,
            region=stated.policy.region,
            memory_mb=str(workload.memory_mb),
            max_concurrency=str(workload.max_concurrency),
            provisioned_concurrency=str(workload.provisioned_concurrency),
        ),
        "memory_mb": chosen.memory_mb,
        "max_concurrency": choice.max_concurrency(chosen, scaling),
        "provisioned_concurrency": provisioned or None,
        "scaling": scaling,
        "requests_per_month": choice.load.requests_per_month,
        "average_provisioned_concurrency": chosen.kept_warm,
        "service_time_ms": math.ceil(chosen.service_s * 1000 - 1e-9),
        "p95_latency_ms": chosen.reached_ms[P95],
        "cold_start_s": chosen.cold_start_s,
        "sizes": tuple(map(choice.told, choice.told_sizes_mb)),
        "decisions": tuple(_decisions(choice, provisioned, scaling)),
        "assumptions": (
            f"one request takes {milliseconds(cpu.service_s * 1000)} on the {cpu.vcpus} vCPUs of {cpu.instance_type}; a worker "
            f"takes as much longer as it has fewer, one for each {limit(mode, 'mb_per_vcpu'):,.0f} MB",
            f"a worker starts in {chosen.cold_start_s:.0f} s, by the size of the weights",
            f"{HOURS_PER_MONTH} hours per month; no free tier",
            *model_assumptions(workload.model),
            *engine_assumptions(workload),
            *container_assumptions(workload.container, cpu.hardware, Calls.of(workload.request)),
        ),
    }


def _at_once(choice: OnDemandChoice, most: int) -> str:
    peak = f"95 of 100 requests find a worker at peak where there are {choice.chosen.workers_at_peak:,}"
    reserves = choice.mode is Mode.LAMBDA
    if choice.workload.max_concurrency is not None:
        kept = ", which no other function of the account may use" if reserves else ""
        return f"{most:,} requests at once, as stated{kept}: {peak}"
    if reserves:
        allowed = "half as many again are expected; nothing is reserved: state max_concurrency for that"
    else:
        allowed = "half as many again are allowed"
    return f"{most:,} requests at once: {peak}, and {allowed}"


def on_demand_faults(workload: ServedOnDemand, spillover: Alarm, plan: OnDemandPlan) -> Iterator[PlanFault]:
    """Yield what a plan does not allow, or leaves without effect."""
    path = ("workloads", plan.name)
    if workload.scaling is not None and plan.provisioned_concurrency is None:
        yield PlanFault(
            (*path, "scaling"),
            f"has no effect: the latency leaves time for a cold start of {plan.cold_start_s:.0f} s, so nothing is provisioned",
            "remove it, or state provisioned_concurrency",
        )
    if plan.provisioned_concurrency is None and spillover.stated:
        yield PlanFault(
            (*path, "alarms", "provisioned_concurrency_spillover"),
            "has no effect: nothing is provisioned, so nothing spills over",
            "remove it, or state provisioned_concurrency",
        )
    most, cost = workload.max_usd_per_month, plan.usd_per_month
    if most is not None and cost is not None and cost > most:
        yield PlanFault(
            (*path, "max_usd_per_month"),
            f"costs {cost:,.2f} USD per month with {plan.memory_mb:,} MB"
            + (f" and {plan.provisioned_concurrency} kept warm" if plan.provisioned_concurrency else ""),
            "raise it, plan for less traffic, or keep fewer workers warm (provisioned_concurrency, scaling)",
        )


def _decisions(
    choice: OnDemandChoice, provisioned: int, scaling: ConcurrencyScalingPlan | None
) -> Iterator[str]:
    size, workload = choice.chosen, choice.workload
    why = (
        "as stated"
        if workload.memory_mb is not None
        else "the smallest that holds the model and answers in time"
    )
    yield f"{size.memory_mb:,} MB, {size.vcpus:.1f} vCPUs: {why}"
    for other in choice.other_cpus:
        yield f"{choice.cpu.hardware}: {other}"
    yield _at_once(choice, choice.max_concurrency(size, scaling))
    cold = f"a cold start of {size.cold_start_s:.0f} s"
    if provisioned:
        why = "as stated" if workload.provisioned_concurrency else f"the latency leaves no time for {cold}"
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

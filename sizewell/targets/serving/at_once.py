"""How many containers answer those who wait, by what they scale, and which alarms watch them."""

import math
from collections.abc import Sequence
from typing import Any

from sizewell.facts.models import Engine
from sizewell.facts.scaling import Signal
from sizewell.facts.serving_modes import Mode, limit
from sizewell.planning.alarm_thresholds import plan_alarms
from sizewell.planning.endpoint_plan import Hosted
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.kind import Stated
from sizewell.planning.scaling import MAX_OVER_PEAK, three_digits
from sizewell.planning.scaling_targets import default_signal, derived_target
from sizewell.planning.workload_plan import AlarmPlan
from sizewell.targets.contract.proxy import STREAM_TIMEOUT_S
from sizewell.targets.serving.on_ec2 import Replicas, ServedOnEc2
from sizewell.targets.serving.plan_model import ReplicaScalingPlan

#: What the proxy beside a model counts: what a container may scale by, and the alarms that follow from it.
SIGNALS = (Signal.INVOCATIONS, Signal.CONCURRENCY)
WATCHED = ("model_error_rate", "model_latency_p95", "model_latency_p99")
_SECONDS_PER_MINUTE = 60


def replicas_that_answer(
    stated: Stated, served: ServedOnEc2, signals: Sequence[Signal] = SIGNALS
) -> Replicas:
    """Return the decisions; ``signals`` are what is counted of a container there, and it may scale by. Raises ``PlanError``."""
    hosted = served.hosted
    # An engine of LLMs streams its tokens: the proxy ends an answer after either, by its own limits.
    streams = hosted.needs.engine is Engine.LLM_ENGINE
    return Replicas(
        average_count=hosted.estimate.instances_at_average,
        scaling=_plan_scaling(stated, hosted, signals),
        alarms=_plan_alarms(stated.workload, hosted, served.average_requests_per_second),
        # Beyond that, a request would not be answered in time.
        max_concurrent_requests=math.ceil(hosted.capacity_requests_per_second * served.timeout_s),
        longest_answer_s=STREAM_TIMEOUT_S if streams else int(limit(Mode.REAL_TIME, "max_processing_s")),
    )


def _plan_alarms(endpoint: Any, hosted: Hosted, average: float) -> dict[str, AlarmPlan]:
    alarms, _ = plan_alarms(endpoint, endpoint.alarms, hosted.gpu_count, average)
    return {name: alarm for name, alarm in alarms.items() if name in WATCHED}


def _plan_scaling(stated: Stated, hosted: Hosted, signals: Sequence[Signal]) -> ReplicaScalingPlan | None:
    """Return how containers scale; None where their number is fixed. Raises ``PlanError``."""
    scaling, needs, at_peak = stated.workload.scaling, hosted.needs, hosted.instances_at_peak
    path = ("workloads", stated.name, "scaling", "track")
    most = scaling.max_instances or max(
        at_peak, min(stated.policy.max_endpoint_instances, math.ceil(at_peak * MAX_OVER_PEAK))
    )
    tracked = scaling.track
    if most <= needs.min_instances:
        return None
    if tracked is not None and (len(tracked) != 1 or not tracked.keys() <= set(signals)):
        reason = f"in this cluster, containers follow {' or '.join(signals)}"
        raise PlanError((PlanFault(path, reason, "track one of them, or leave it to the plan"),))
    usual = default_signal(hosted)
    signal = Signal(next(iter(tracked))) if tracked else usual if usual in signals else signals[0]
    value = tracked[signal].target if tracked else None
    derivation = "stated"
    if value is None:
        derived = derived_target(signal, hosted)
        if isinstance(derived, str):
            raise PlanError((PlanFault((*path, signal), derived, "state target, or track invocations"),))
        value, derivation = derived
    if signal is Signal.INVOCATIONS:
        value, derivation = value / _SECONDS_PER_MINUTE, derivation.removesuffix(", x 60 s")
    return ReplicaScalingPlan(
        min_instance_count=needs.min_instances,
        max_instance_count=most,
        signal="concurrency" if signal is Signal.CONCURRENCY else "invocations",
        target_value=three_digits(value),
        scale_out_cooldown_s=scaling.scale_out_cooldown_s,
        scale_in_cooldown_s=scaling.scale_in_cooldown_s,
        derivation=derivation,
    )

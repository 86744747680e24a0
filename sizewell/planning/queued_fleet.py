"""A fleet behind a queue, whatever launches its instances: how many there are, when they sleep, and what each works on."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sizewell.config.policy import Policy
from sizewell.facts.asynchronous import MAX_CONCURRENT_INVOCATIONS, WAKE_S
from sizewell.instance_selection import Engine
from sizewell.planning.endpoint_plan import Hosted
from sizewell.planning.errors import PlanFault
from sizewell.planning.model_containers import Calls
from sizewell.planning.scaling import MAX_OVER_PEAK
from sizewell.planning.workload_plan import INFERENCE_PREFIX


@dataclass(frozen=True, kw_only=True)
class QueuedFleet:
    """The decisions."""

    max_wait_s: float
    answer_s: float
    """What one request alone takes."""
    requests_per_second: float
    """What one instance works off with its headroom kept free."""
    concurrency: int
    """How many requests one instance works on at a time: its container must not get more than it can begin with."""
    can_sleep: bool
    """Whether the wait leaves time for the start of an instance."""
    min_instances: int
    max_instances: int

    @property
    def _times(self) -> str:
        return (
            f"an instance takes {WAKE_S / 60:g} minutes to start and {self.answer_s:,.1f} s for an answer, and "
            f"{self.max_wait_s / 60:g} minutes may be waited"
        )

    def why(self, stated_min_instances: int | None) -> str:
        """Return why instances sleep, or what keeps them awake."""
        if not self.can_sleep:
            return f"one instance stays without work: {self._times}"
        if stated_min_instances:
            return f"scaling.min_instances keeps {stated_min_instances} without work; instances could sleep, as {self._times}"
        return f"instances sleep without work: {self._times}"


def plan_queued_fleet(endpoint: Any, hosted: Hosted, policy: Policy) -> QueuedFleet:
    """Return the decisions for an endpoint whose needs have a queue."""
    scaling, needs, queue = endpoint.scaling, hosted.needs, hosted.needs.queue
    assert queue is not None
    answer_s = hosted.estimate.service_time_ms / 1000
    requests_per_second = hosted.capacity_requests_per_second * (1 - needs.headroom)
    at_peak = math.ceil(endpoint.traffic.peak_requests_per_second / requests_per_second - 1e-9)
    can_sleep = queue.leaves_time_to_wake(answer_s)
    least = (0 if can_sleep else 1) if scaling.min_instances is None else scaling.min_instances
    most = scaling.max_instances or min(
        policy.max_endpoint_instances, math.ceil(max(1, at_peak, least) * MAX_OVER_PEAK)
    )
    return QueuedFleet(
        max_wait_s=queue.max_wait_s,
        answer_s=answer_s,
        requests_per_second=requests_per_second,
        concurrency=_concurrency(hosted),
        can_sleep=can_sleep,
        min_instances=least,
        max_instances=max(least, most),
    )


def answered_later(name: str, endpoint: Any, hosted: Hosted, fleet: QueuedFleet) -> dict[str, Any]:
    """Return what the plan says of requests that wait: where they and their answers lie, and how long they may take."""
    stated = (
        endpoint.scaling.min_instances,
        *(schedule.min_instances for schedule in endpoint.scaling.schedules.values()),
    )
    return {
        "input_prefix": f"{INFERENCE_PREFIX}{name}/input/",
        "output_prefix": f"{INFERENCE_PREFIX}{name}/output/",
        "failure_prefix": f"{INFERENCE_PREFIX}{name}/failure/",
        "success_topic_arn": endpoint.notifications.success_topic_arn,
        "error_topic_arn": endpoint.notifications.error_topic_arn,
        "max_wait_s": fleet.max_wait_s,
        "invocation_timeout_s": Calls.of(endpoint.request, hosted.needs.queue).timeout_s,
        "sleeps": fleet.can_sleep and (not endpoint.scaling.min_instances or 0 in stated),
        "why": fleet.why(endpoint.scaling.min_instances),
    }


def sleep_faults(name: str, endpoint: Any, answer_s: float, *, sleeps: bool) -> Iterator[PlanFault]:
    """Yield where zero instances were asked for that would not wake in time."""
    if sleeps:
        return
    scaling = endpoint.scaling
    zero: list[tuple[str, ...]] = [("scaling",)] if scaling.min_instances == 0 else []
    zero += [
        ("scaling", "schedules", key)
        for key, schedule in scaling.schedules.items()
        if schedule.min_instances == 0
    ]
    for place in zero:
        yield PlanFault(
            ("workloads", name, *place, "min_instances"),
            f"is 0, but an instance takes {WAKE_S / 60:g} minutes to start and {answer_s:,.1f} s for an answer, and "
            f"latency.max_wait_minutes is {endpoint.latency.max_wait_minutes:g}",
            "write min_instances: 1, or raise latency.max_wait_minutes above "
            f"{math.ceil((WAKE_S + answer_s) / 6) / 10:g}",
        )


def _concurrency(hosted: Hosted) -> int:
    needs, estimate = hosted.needs, hosted.estimate
    each = needs.batching.max_batch_size if needs.batching else 1
    at_once = (
        estimate.capacity_concurrency
        if needs.engine is Engine.LLM_ENGINE
        else estimate.replicas_per_instance * each
    )
    return max(1, min(at_once, MAX_CONCURRENT_INVOCATIONS))

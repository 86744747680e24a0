"""How a new fleet of several instances takes over: a canary where a second fleet is at hand, batches where instances are scarce.

SageMaker developer guide, "Use deployment guardrails": https://docs.aws.amazon.com/sagemaker/latest/dg/deployment-guardrails.html
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from sizewell.config.rollout import WAIT_INTERVAL_S, Rollout
from sizewell.facts.alarms import (
    ASYNCHRONOUS_ROLLBACK_ALARMS,
    OF_REQUESTS,
    ROLLBACK_ALARMS,
    SLOW_PERCENT,
    AlarmEvaluation,
)
from sizewell.facts.deployment_guardrails import EXECUTION_TIMEOUT_BOUNDS_S, RolloutStrategy, wait_intervals
from sizewell.facts.durations import MINUTE_S
from sizewell.instance_selection.catalog import InstanceType
from sizewell.planning.endpoint_plan_model import EndpointPlan, RolloutPlan
from sizewell.planning.errors import PlanFault
from sizewell.planning.workload_plan import AlarmPlan

#: A fleet of this size or less is exchanged in halves, a larger one in quarters.
MAX_FLEET_IN_HALVES = 4
HALF_PERCENT, QUARTER_PERCENT, CANARY_PERCENT = 50, 25, 10
#: The period of an alarm where few requests come: one that is above goes off within the usual wait.
LONG_PERIOD_S = WAIT_INTERVAL_S // 2
#: The period of slow requests where so many come in it.
SHORT_PERIOD_S, REQUESTS_OF_SHORT_PERIOD = 120, 1000
#: "Exclusions" of the guardrails: such an endpoint is updated all at once.
_WITHOUT_GUARDRAILS = "inf1"


def plan_rollout(
    instance_type: InstanceType,
    instance_count: int,
    startup_timeout_s: int,
    alarms: Mapping[str, AlarmPlan],
    average_requests_per_second: float,
    stated: Rollout | None = None,
    *,
    in_batches: bool = True,
) -> RolloutPlan | None:
    """Return how a fleet is exchanged: as stated, or as fits it; None where SageMaker offers nothing but all at once.

    Waits that are not stated are long enough for each of ``alarms`` that calls a fleet back. ``in_batches`` is False where
    SageMaker exchanges none of its instances: with several variants.

    Accelerators are short, and their quotas are counted in instances: they are exchanged in batches. Other fleets are made
    twice, and a canary tells first. A canary of few instances is half of them, the most that SageMaker takes.
    """
    if stated is None and instance_type.family == _WITHOUT_GUARDRAILS:
        return None
    scarce = instance_type.accelerator_count and in_batches
    rollout = stated or Rollout(strategy="rolling" if scarce else "canary")
    if rollout.strategy == "none":
        return None
    share = rollout.share_percent or _share_percent(rollout.strategy, instance_count)
    steps = 1 if share is None else 2 if rollout.strategy == "canary" else -(-100 // share)
    intervals = wait_intervals(rollout.strategy, share)
    has_last_wait = rollout.strategy != "rolling"
    wait_interval_s = rollout.wait_interval_s
    if wait_interval_s is None:
        wait_interval_s = usual_wait_s(
            callbacks(alarms, average_requests_per_second * (share or 100) / 100),
            intervals + (has_last_wait and rollout.termination_wait_s is None),
        )
    last_wait_s = wait_interval_s if rollout.termination_wait_s is None else rollout.termination_wait_s
    plan = RolloutPlan(
        strategy=rollout.strategy,
        first_share_percent=share,
        wait_interval_s=wait_interval_s,
        termination_wait_s=last_wait_s if has_last_wait else 0,
        max_execution_timeout_s=EXECUTION_TIMEOUT_BOUNDS_S[0],
    )
    return plan.model_copy(
        update={"max_execution_timeout_s": execution_timeout_s(steps * startup_timeout_s + plan.watched_s)}
    )


def execution_timeout_s(there_s: int) -> int:
    """Return the time limit of a deployment: the way back takes as long as the way there."""
    low, high = EXECUTION_TIMEOUT_BOUNDS_S
    return max(low, min(high, 2 * there_s))


def rollback_alarms(
    rollout: RolloutPlan | None, alarms: Mapping[str, AlarmPlan], average_requests_per_second: float
) -> dict[str, AlarmPlan]:
    """Return the alarms that call a new fleet back by name: what would go off after the last wait is not made."""
    if rollout is None:
        return {}
    share = (rollout.first_share_percent or 100) / 100
    return in_time(callbacks(alarms, average_requests_per_second * share), rollout.watched_s)


def callbacks(alarms: Mapping[str, AlarmPlan], requests_per_second: float) -> dict[str, AlarmPlan]:
    """Return how the errors and the latency of ``alarms`` are watched of what gets so many requests.

    Where a minute holds no request, periods are longer, and one tells of an error. Latency is high while caches are cold: three
    periods in a row tell of it, of which two minutes touch two.
    """
    watched = {}
    for name in (*ROLLBACK_ALARMS, *ASYNCHRONOUS_ROLLBACK_ALARMS):
        if name not in alarms:
            continue
        if name in SLOW_PERCENT:
            usual = of_slow_requests(requests_per_second)
        elif requests_per_second * MINUTE_S >= 1:
            usual = OF_REQUESTS
        else:
            usual = AlarmEvaluation(period_s=LONG_PERIOD_S, datapoints_to_alarm=1, evaluation_periods=1)
        watched[name] = AlarmPlan(threshold=alarms[name].threshold, **asdict(usual))
    return watched


def of_slow_requests(requests_per_second: float) -> AlarmEvaluation:
    """Return in which periods the slow ones of so many requests are looked at."""
    is_busy = requests_per_second * SHORT_PERIOD_S >= REQUESTS_OF_SHORT_PERIOD
    period_s = SHORT_PERIOD_S if is_busy else LONG_PERIOD_S
    return AlarmEvaluation(period_s=period_s, datapoints_to_alarm=3, evaluation_periods=3)


def in_time(watched: Mapping[str, AlarmPlan], watched_s: int) -> dict[str, AlarmPlan]:
    """Return the alarms that go off within so many seconds."""
    return {name: alarm for name, alarm in watched.items() if _needed_s(alarm) <= watched_s}


def usual_wait_s(watched: Mapping[str, AlarmPlan], waits: int) -> int:
    """Return how long each of so many waits takes, in which all the alarms go off."""
    needed_s = max(map(_needed_s, watched.values()), default=0)
    return max(WAIT_INTERVAL_S, -(-needed_s // max(1, waits)))


def _needed_s(alarm: AlarmPlan) -> int:
    """Return when an alarm has gone off: after as many periods as must be above, and the one before, in which the fleet came."""
    return (alarm.datapoints_to_alarm + 1) * alarm.period_s


def rollout_faults(name: str, stated: Rollout | None, plan: EndpointPlan) -> Iterator[PlanFault]:
    """Yield why a fleet cannot be exchanged as stated; hardware is a matter of ``sizewell.planning.legality``."""
    path, rollout = ("workloads", name, "rollout"), plan.rollout
    if stated is not None and stated.strategy not in ("all-at-once", "none") and plan.fewest_instances < 2:
        yield PlanFault(
            (*path, "strategy"),
            f"{stated.strategy} exchanges up to half of a fleet at a time, and this one may have a single instance",
            "write strategy: all-at-once, whose alarms call a new fleet back as well; or scaling.min_instances: 2",
        )
    if rollout is None:
        return
    yield from wait_faults(path, rollout.watched_s)
    if not plan.rollback_alarms and plan.alarms.keys() & set(ROLLBACK_ALARMS):
        yield no_callback_fault(path, rollout.watched_s)


def wait_faults(path: tuple[str, ...], watched_s: int) -> Iterator[PlanFault]:
    """Yield that the waits alone take longer than SageMaker lets a whole deployment take."""
    longest_s = EXECUTION_TIMEOUT_BOUNDS_S[1]
    if watched_s >= longest_s:
        yield PlanFault(
            (*path, "wait_interval_s"),
            f"makes a deployment wait {watched_s:,} s in all, but SageMaker ends it after {longest_s:,} s",
            "wait less, or exchange a larger share at a time (share_percent)",
        )


def no_callback_fault(path: tuple[str, ...], watched_s: int) -> PlanFault:
    """Return that the waits are shorter than any alarm takes to go off."""
    return PlanFault(
        path,
        f"nothing would call a bad model back: alarms are watched for {watched_s:,} s in all, and go off later",
        f"leave wait_interval_s and termination_wait_s out, or write {WAIT_INTERVAL_S} or more",
    )


def _share_percent(strategy: RolloutStrategy, instance_count: int) -> int | None:
    if strategy == "all-at-once":
        return None
    if strategy == "canary" and instance_count > MAX_FLEET_IN_HALVES:
        return CANARY_PERCENT
    return batch_percent(instance_count)


def batch_percent(count: int) -> int:
    """Return how much of so many instances or copies is exchanged at a time."""
    return HALF_PERCENT if count <= MAX_FLEET_IN_HALVES else QUARTER_PERCENT

"""How a new version of a function takes over: step by step, watched by alarms of its own that go off in time."""

from collections.abc import Iterator

from sizewell.config.rollout import WAIT_INTERVAL_S
from sizewell.facts.alarms import LAMBDA_ROLLBACK_ALARMS, OF_REQUESTS, SLOW_PERCENT, AlarmEvaluation
from sizewell.facts.codedeploy import INTERVAL_S, MAX_SHIFT_S, waits
from sizewell.facts.deployment_guardrails import MAX_WAIT_S
from sizewell.kinds.lambda_function.config import LambdaFunction
from sizewell.kinds.lambda_function.plan_model import LambdaFunctionPlan, LambdaRolloutPlan
from sizewell.planning.alarm_thresholds import evaluation
from sizewell.planning.errors import PlanFault
from sizewell.planning.rollout import CANARY_PERCENT
from sizewell.planning.workload_plan import AlarmPlan

#: The periods to choose from, in seconds, and how many requests one must hold: one tells of an error, of ten two may be slow.
_PERIODS_S = (60, 300, 900, 3600, 14_400)
_REQUESTS = {"error_rate": 1, "duration_p95": 10}


def plan_lambda_rollout(
    function: LambdaFunction, alarms: dict[str, AlarmPlan], average_requests_per_second: float
) -> LambdaRolloutPlan | None:
    """Return how the traffic moves, as stated; None where all of it moves at once.

    ``alarms`` are those of the alias: the same errors and latencies are watched of the new version, in periods that hold enough
    of its share of the requests. An alarm goes off when as many periods are over as must be above, and the one before, in
    which the version came; what would go off after the shift is not made.
    """
    stated = function.rollout
    if stated is None or stated.strategy == "none":
        return None
    share_percent = stated.share_percent or CANARY_PERCENT
    of_version = average_requests_per_second * share_percent / 100
    watched = {
        name: AlarmPlan(
            threshold=alarms[name].threshold,
            **evaluation(getattr(function.alarms, name), _usual(name, of_version)),
        )
        for name in LAMBDA_ROLLBACK_ALARMS
        if name in alarms
    }
    needed_s = {name: (alarm.datapoints_to_alarm + 1) * alarm.period_s for name, alarm in watched.items()}
    count = waits(stated.strategy, share_percent)
    usual_s = max((seconds for seconds in needed_s.values() if seconds <= count * MAX_WAIT_S), default=0)
    wait_interval_s = stated.wait_interval_s or max(WAIT_INTERVAL_S, _wait_s(usual_s, count))
    shift_s = count * wait_interval_s
    return LambdaRolloutPlan(
        strategy=stated.strategy,
        share_percent=share_percent,
        wait_interval_s=wait_interval_s,
        shift_s=shift_s,
        alarms={name: alarm for name, alarm in watched.items() if needed_s[name] <= shift_s},
        too_slow_s={name: seconds for name, seconds in needed_s.items() if seconds > shift_s},
    )


def _usual(name: str, requests_per_second: float) -> AlarmEvaluation:
    """Return the shortest periods that hold enough requests; in three in a row requests are slow that are not cold starts."""
    is_slow = name in SLOW_PERCENT
    fitting = (
        period_s for period_s in _PERIODS_S[is_slow:] if period_s * requests_per_second >= _REQUESTS[name]
    )
    period_s = next(fitting, _PERIODS_S[-1])
    if is_slow:
        return AlarmEvaluation(period_s=period_s, datapoints_to_alarm=3, evaluation_periods=3)
    if period_s == OF_REQUESTS.period_s:
        return OF_REQUESTS
    return AlarmEvaluation(period_s=period_s, datapoints_to_alarm=2, evaluation_periods=3)


def rollout_decisions(rollout: LambdaRolloutPlan | None, *, is_warm: bool) -> Iterator[str]:
    """Yield what is decided of a shift, and what speaks against it."""
    if rollout is None:
        return
    share, wait = f"{rollout.share_percent} percent of the requests", _minutes(rollout.wait_interval_s)
    steps = f"{share} first, the rest after {wait}"
    if rollout.strategy == "linear":
        steps = f"{share} more every {wait}, all after {_minutes(rollout.shift_s)}"
    yield f"a new version takes {steps}; its alarms call it back: {', '.join(rollout.alarms)}"
    for name, seconds in rollout.too_slow_s.items():
        yield f"{name} of a new version calls nothing back: at the average load it would take {_minutes(seconds)} to go off"
    if is_warm:
        yield "warm workers are shared by both versions until all of the traffic has moved, and do not scale meanwhile"


def lambda_rollout_faults(plan: LambdaFunctionPlan) -> Iterator[PlanFault]:
    """Yield why a shift would be refused, or would call nothing back."""
    rollout, path = plan.rollout, ("workloads", plan.name)
    if rollout is None:
        return
    if rollout.shift_s > MAX_SHIFT_S:
        yield PlanFault(
            (*path, "rollout", "wait_interval_s"),
            f"makes a shift of {_minutes(rollout.shift_s)}; CodeDeploy takes {_minutes(MAX_SHIFT_S)} at most from the first step "
            "to the last",
            "wait less, or move a larger share at a time (share_percent)",
        )
    elif rollout.too_slow_s and not rollout.alarms:
        fastest_s = min(rollout.too_slow_s.values())
        count = waits(rollout.strategy, rollout.share_percent)
        yield PlanFault(
            (*path, "rollout"),
            f"nothing would call a bad version back: at the average load {rollout.share_percent} percent of the requests take "
            f"{_minutes(fastest_s)} to make an alarm go off, and the shift takes {_minutes(rollout.shift_s)}",
            f"write wait_interval_s: {_wait_s(fastest_s, count)} or more, a larger share_percent, or strategy: none",
        )
    elif not rollout.alarms:
        yield PlanFault(
            (*path, "alarms"),
            f"{' and '.join(LAMBDA_ROLLBACK_ALARMS)} are off, but a new version takes over by a {rollout.strategy} shift, and "
            "nothing would call a bad one back",
            "leave one of them on, or write rollout.strategy: none",
        )


def _wait_s(shift_s: int, count: int) -> int:
    """Return the wait between steps, in whole minutes, that makes a shift as long or longer."""
    return -(-shift_s // (count * INTERVAL_S)) * INTERVAL_S


def _minutes(seconds: int) -> str:
    return f"{seconds / 60:,.0f} min"

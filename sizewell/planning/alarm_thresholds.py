"""The alarms of an endpoint: what the configuration says of each, and what follows from the objective and the hardware."""

import math
from collections.abc import Iterator, Mapping
from itertools import chain

from sizewell.config.alarms import Alarm, Alarms
from sizewell.config.availability import AvailabilityObjective
from sizewell.config.base import ConfigModel
from sizewell.config.endpoint import AnswerLatency, EndpointNeeds
from sizewell.facts.alarms import (
    OF_INSTANCES,
    OF_REQUESTS,
    OF_SHARES,
    ROLLBACK_ALARMS,
    SHARE_ALARMS,
    SLOW_PERCENT,
    AlarmEvaluation,
    least_errors,
)
from sizewell.facts.models import Engine
from sizewell.instance_selection.wording import milliseconds
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.engines import engine_of
from sizewell.planning.errors import PlanFault
from sizewell.planning.workload_plan import AlarmPlan

#: How many times as fast as the objective allows errors may be made: at this rate, those of a month are made in twelve days.
MAX_BURN_RATE = 2.5
SERVER_ERRORS = "model_error_rate counts them, too: state above_percent for an alarm of their own"
#: What a client does wrong, no fleet can help.
CLIENT_ERRORS = "bad input of one client would wake people: state above_percent for an alarm all the same"
#: Requests that the period of a share holds: of those that are missed in a cache, and of slow ones.
_ENOUGH = {"model_cache_hit": 2000, **dict.fromkeys(SLOW_PERCENT, 60)}
#: Of fewer requests than these a share says little: the period is a day.
_FEW_REQUESTS = 20
#: Of periods longer than a minute, whatever they are of: datapoints and periods.
OF_LONG_PERIODS = (2, 3)
SLOWEST_PERCENT = "latency.max_p95_ms is the objective: state latency.max_p99_ms or above_ms for an alarm on the slowest percent"
OVERHEAD = "it is SageMaker's own share of a request: state above_ms for an alarm all the same"
#: People are woken for what users see, and for what ends an instance: memory and disk that are this full do not come back.
FULL_PROCESSORS = "requests that are slow for it are told: state above_percent for an alarm all the same"
#: Of an alarm on processors that is there to tell that no instance reports any more.
SILENCE_PERCENT = 99.9
MEMORY_PERCENT = 90.0
DISK_PERCENT = 80.0
GPU_MEMORY_PERCENT = 95.0

#: Requests that use this share of what is allowed at once.
CONCURRENCY_PERCENT = 90.0

GPU_ALARMS = ("gpu_utilization", "gpu_memory_utilization")
#: Of endpoints, and of functions.
PERCENTILE_ALARMS = (("model_latency_p95", "model_latency_p99"), ("duration_p95", "duration_p99"))
_OF_LLM_ENGINE = (
    "an llm-engine fills GPUs and their memory on purpose: state above_percent for an alarm all the same"
)


def plan_alarms(
    endpoint: EndpointNeeds, alarms: Alarms, gpu_count: int, average_requests_per_second: float
) -> tuple[dict[str, AlarmPlan], dict[str, str]]:
    """Return the alarms by name, and the reason of each that is off, though the hardware of the endpoint has its metric.

    Instances have ``gpu_count`` NVIDIA GPUs. The numbers are what the configuration asks for, possible or not: ``alarm_faults``.
    """
    defaults = default_thresholds(endpoint, endpoint.latency, engine_of(endpoint), gpu_count)
    return stated_alarms(alarms, defaults, average_requests_per_second)


def stated_alarms(
    alarms: ConfigModel,
    defaults: Mapping[str, float | str],
    average_requests_per_second: float,
    *,
    instances_report: bool = True,
) -> tuple[dict[str, AlarmPlan], dict[str, str]]:
    """Return the alarms by name, and why some are off; ``defaults`` are the thresholds of those that there may be, or why one
    of them is off unless a threshold is stated.

    ``instances_report``: utilization is reported every minute, with or without requests.
    """
    on: dict[str, AlarmPlan] = {}
    off: dict[str, str] = {}
    for name, default in defaults.items():
        stated: Alarm = getattr(alarms, name)
        asked = stated_threshold(stated)
        threshold = default if asked is None else asked
        if stated.off_because is not None:
            off[name] = stated.off_because
        elif isinstance(threshold, str):
            off[name] = threshold
        else:
            if name in SHARE_ALARMS:
                usual = of_share(name, threshold, average_requests_per_second)
            else:
                usual = OF_INSTANCES if instances_report and name.endswith("_utilization") else OF_REQUESTS
            on[name] = AlarmPlan(threshold=threshold, **evaluation(stated, usual))
    return on, off


def of_share(name: str, threshold: float, average_requests_per_second: float) -> AlarmEvaluation:
    """Return in which periods a share of the requests is looked at: in an hour, unless it holds too few of them.

    An error rate is of so many requests that the threshold is as many errors as are no chance.
    """
    enough = _ENOUGH.get(name, 0) or math.ceil(least_errors(threshold) / (threshold or 100) * 100)
    hour, four_hours, day = OF_SHARES
    if average_requests_per_second * hour.period_s >= enough:
        return hour
    return four_hours if average_requests_per_second * four_hours.period_s >= _FEW_REQUESTS else day


def alarm_faults(alarms: Alarms, plan: EndpointPlan) -> Iterator[PlanFault]:
    """Yield what the configuration asks of alarms that the hardware, CloudWatch or a rollout does not allow."""
    path = ("workloads", plan.name, "alarms")
    yield from evaluation_faults(path, plan.alarms)
    for name in (known for known in type(alarms).model_fields if known not in plan.alarms):
        stated: Alarm = getattr(alarms, name)
        if stated.stated - {"off_because"}:
            # A team that asks for an alarm must not be without it and not know. A reason to be without it is no demand.
            metal = f"{plan.instance_type} has no NVIDIA GPU, and no metric of one"
            yield PlanFault(
                (*path, name),
                plan.alarms_off.get(name, metal),
                f"write {name}: null to leave it out" if name not in plan.alarms_off else None,
            )
    yield from percentile_faults(path, alarms, plan.alarms, plan.selection.chosen.estimate.p95_latency_ms)
    if plan.rollout is not None and not plan.alarms.keys() & set(ROLLBACK_ALARMS):
        yield PlanFault(
            path,
            f"{', '.join(ROLLBACK_ALARMS)} are all off, but a new fleet of this endpoint takes over by a {plan.rollout.strategy} "
            "update, and nothing would call a bad one back",
            "leave one of them on",
        )


def evaluation_faults(path: tuple[str, ...], alarms: Mapping[str, AlarmPlan]) -> Iterator[PlanFault]:
    """Yield the periods that CloudWatch does not take."""
    for name, alarm in alarms.items():
        numbers = (alarm.period_s, alarm.datapoints_to_alarm, alarm.evaluation_periods)
        for key, reason in AlarmEvaluation.faults(*numbers):
            yield PlanFault((*path, name, key), reason)


def percentile_faults(
    path: tuple[str, ...], stated: ConfigModel, alarms: Mapping[str, AlarmPlan], predicted_p95_ms: float
) -> Iterator[PlanFault]:
    """Yield where fewer of the requests are allowed more time than more of them, and where less is allowed than is predicted."""
    for name in chain(*PERCENTILE_ALARMS):
        asked = stated_threshold(getattr(stated, name)) if name in alarms else None
        if asked is not None and asked < predicted_p95_ms:
            back = ", and call every new model back" if name in ROLLBACK_ALARMS else ""
            yield PlanFault(
                (*path, name, "above_ms"),
                f"is {asked:g}, but the plan predicts that 95 of 100 requests take up to {milliseconds(predicted_p95_ms)} at "
                f"peak load: the alarm would go off while all is well{back}",
                "raise it, or lower latency.max_p95_ms for a faster type; if you measured less, state it in measurements.yaml",
            )
    for fewer, more in PERCENTILE_ALARMS:
        if not alarms.keys() >= {fewer, more}:
            continue
        p95, p99 = alarms[fewer].threshold, alarms[more].threshold
        if p99 < p95:
            name = fewer if stated_threshold(getattr(stated, more)) is None else more
            yield PlanFault(
                (*path, name, "above_ms"),
                f"99 of 100 requests would be allowed {p99:g} ms and 95 of 100 {p95:g} ms: the first includes the second",
                f"raise above_ms of {more}, or lower that of {fewer}",
            )


def error_percent(objective: AvailabilityObjective) -> float:
    """Return the share of the requests in percent that may fail for a while: the objective is of a month."""
    return round(MAX_BURN_RATE * (100 - objective.min_availability_percent), 6)


def default_thresholds(
    objective: AvailabilityObjective, latency: AnswerLatency, engine: Engine, gpu_count: int
) -> Mapping[str, float | str]:
    """Return the threshold of every metric that the hardware has, or why the engine gives it no meaning."""
    # An LLM engine takes nearly all GPU memory for its KV cache at start, and always has a kernel running while anybody
    # waits for an answer, which is all that GPUUtilization counts: full is normal there.
    llm = engine is Engine.LLM_ENGINE
    gpu = {
        "gpu_utilization": _OF_LLM_ENGINE if llm else FULL_PROCESSORS,
        "gpu_memory_utilization": _OF_LLM_ENGINE if llm else GPU_MEMORY_PERCENT,
    }
    return {
        "server_error_rate": SERVER_ERRORS,
        "model_error_rate": error_percent(objective),
        "client_error_rate": CLIENT_ERRORS,
        **latency_thresholds_ms(latency),
        "cpu_utilization": FULL_PROCESSORS,
        **(gpu if gpu_count else {}),
        "memory_utilization": MEMORY_PERCENT,
        "disk_utilization": DISK_PERCENT,
    }


def stated_threshold(alarm: Alarm) -> float | None:
    """Return the milliseconds or the percentage that the configuration states of an alarm; None where it states none."""
    keys = ("above_ms", "above_percent", "below_percent")
    return next((getattr(alarm, key) for key in keys if hasattr(alarm, key)), None)


def latency_thresholds_ms(latency: AnswerLatency) -> dict[str, float | str]:
    """Return the thresholds that follow from the objective by the names of their alarms, or why there is none."""
    return {
        "model_latency_p95": latency.max_p95_ms,
        "model_latency_p99": latency.max_p99_ms or SLOWEST_PERCENT,
        "overhead_latency": OVERHEAD,
    }


def evaluation(stated: Alarm, usual: AlarmEvaluation) -> dict[str, int]:
    """Return when an alarm goes off: what is stated of it, with what fits to that."""
    period_s = stated.period_s or usual.period_s
    datapoints, periods = (
        (usual.datapoints_to_alarm, usual.evaluation_periods)
        if period_s == usual.period_s
        else OF_LONG_PERIODS
    )
    if stated.evaluation_periods is not None:
        # As CloudWatch itself does.
        datapoints = periods = stated.evaluation_periods
    if stated.datapoints_to_alarm is not None:
        datapoints = stated.datapoints_to_alarm
        periods = stated.evaluation_periods or max(periods, datapoints)
    return {"period_s": period_s, "datapoints_to_alarm": datapoints, "evaluation_periods": periods}

"""The alarms of an asynchronous endpoint: on its queue, on what is lost, and on what its instances run out of."""

from collections.abc import Iterator

from sizewell.config.alarms import Alarm
from sizewell.facts.alarms import OF_INSTANCES, OF_LOSS, OF_REQUESTS, OF_WAKING, AlarmEvaluation
from sizewell.kinds.asynchronous_endpoint.config import (
    AgeAlarm,
    AsynchronousAlarms,
    AsynchronousEndpoint,
    CountAlarm,
)
from sizewell.planning.alarm_thresholds import (
    DISK_PERCENT,
    MEMORY_PERCENT,
    evaluation,
    of_share,
    stated_threshold,
)
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.errors import PlanFault
from sizewell.planning.workload_plan import AlarmPlan

#: Thresholds in percent. Bad input fails, too: a file that nobody can read is no incident.
_PERCENT = {
    "invocation_failures": 2.5,
    "memory_utilization": MEMORY_PERCENT,
    "disk_utilization": DISK_PERCENT,
}
#: When each goes off, where nobody says otherwise; another is on a share of the requests.
_USUAL = {
    "age_of_oldest_request": OF_REQUESTS,
    "backlog_without_capacity": OF_WAKING,
    "expired_requests": OF_LOSS,
    "response_upload_failures": OF_LOSS,
    "notification_failures": OF_LOSS,
    "memory_utilization": OF_INSTANCES,
    "disk_utilization": OF_INSTANCES,
}


def plan_asynchronous_alarms(endpoint: AsynchronousEndpoint) -> tuple[dict[str, AlarmPlan], dict[str, str]]:
    """Return the alarms by name, and the reason of each that is off."""
    on: dict[str, AlarmPlan] = {}
    off: dict[str, str] = {}
    for name in AsynchronousAlarms.model_fields:
        stated: Alarm = getattr(endpoint.alarms, name)
        if stated.off_because is not None:
            off[name] = stated.off_because
            continue
        threshold = _threshold(name, stated, endpoint)
        usual = (
            _USUAL[name]
            if name in _USUAL
            else of_share(name, threshold, endpoint.traffic.average_requests_per_second)
        )
        on[name] = AlarmPlan(threshold=threshold, **evaluation(stated, usual))
    return on, off


def asynchronous_alarm_faults(plan: EndpointPlan) -> Iterator[PlanFault]:
    """Yield what the configuration asks of alarms that CloudWatch or a rollout does not allow."""
    path = ("workloads", plan.name, "alarms")
    for name, alarm in plan.alarms.items():
        for key, reason in AlarmEvaluation.faults(
            alarm.period_s, alarm.datapoints_to_alarm, alarm.evaluation_periods
        ):
            yield PlanFault((*path, name, key), reason)
    if plan.rollout is not None and "invocation_failures" not in plan.alarms:
        yield PlanFault(
            (*path, "invocation_failures"),
            f"is off, but a new fleet of this endpoint takes over by a {plan.rollout.strategy} update, and nothing would call "
            "a bad one back",
            "leave it on",
        )


def _threshold(name: str, stated: Alarm, endpoint: AsynchronousEndpoint) -> float:
    if isinstance(stated, AgeAlarm):
        minutes = stated.above_minutes
        return (endpoint.latency.max_wait_minutes if minutes is None else minutes) * 60
    if isinstance(stated, CountAlarm):
        return float(stated.above_count or 0)
    threshold = stated_threshold(stated)
    return _PERCENT.get(name, 0.0) if threshold is None else threshold

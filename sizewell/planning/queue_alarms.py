"""The alarms of what works off a queue: on the queue, on what is lost, and on what its instances run out of."""

from sizewell.config.alarms import Alarm
from sizewell.config.base import ConfigModel
from sizewell.facts.alarms import OF_INSTANCES, OF_LOSS, OF_REQUESTS, OF_WAKING
from sizewell.planning.alarm_thresholds import (
    DISK_PERCENT,
    MEMORY_PERCENT,
    evaluation,
    of_share,
    stated_threshold,
)
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


def plan_queue_alarms(
    alarms: ConfigModel, *, max_wait_s: float, average_requests_per_second: float
) -> tuple[dict[str, AlarmPlan], dict[str, str]]:
    """Return the alarms by name, and the reason of each that is off; a request may wait ``max_wait_s``."""
    on: dict[str, AlarmPlan] = {}
    off: dict[str, str] = {}
    for name in type(alarms).model_fields:
        stated: Alarm = getattr(alarms, name)
        if stated.off_because is not None:
            off[name] = stated.off_because
            continue
        threshold = _threshold(name, stated, max_wait_s)
        usual = _USUAL[name] if name in _USUAL else of_share(name, threshold, average_requests_per_second)
        on[name] = AlarmPlan(threshold=threshold, **evaluation(stated, usual))
    return on, off


def _threshold(name: str, stated: Alarm, max_wait_s: float) -> float:
    if hasattr(stated, "above_minutes"):  # of an age
        return max_wait_s if stated.above_minutes is None else stated.above_minutes * 60
    if hasattr(stated, "above_count"):
        return float(stated.above_count or 0)
    threshold = stated_threshold(stated)
    return _PERCENT.get(name, 0.0) if threshold is None else threshold

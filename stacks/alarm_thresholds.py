"""From the plan of alarms to what the constructs are told."""

from collections.abc import Mapping
from typing import Any

from constructs_lib.alarms.alarm_limit import AlarmLimit
from constructs_lib.alarms.endpoint_thresholds import THRESHOLD_OF_ALARM, AlarmThresholds
from sizewell.planning.workload_plan import AlarmPlan


def alarm_props(alarms: Mapping[str, AlarmPlan]) -> dict[str, Any]:
    """Return the thresholds, and over how many periods each is looked at."""
    return {
        "thresholds": AlarmThresholds(
            **{THRESHOLD_OF_ALARM[name]: alarm.threshold for name, alarm in alarms.items()}
        ),
        "evaluations": {THRESHOLD_OF_ALARM[name]: alarm.evaluation for name, alarm in alarms.items()},
    }


def alarm_limits(alarms: Mapping[str, AlarmPlan]) -> dict[str, AlarmLimit]:
    """Return the limits of alarms that are told apart by their names alone."""
    return {
        name: AlarmLimit(threshold=alarm.threshold, evaluation=alarm.evaluation)
        for name, alarm in alarms.items()
    }

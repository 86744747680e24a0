"""When a job starts by itself, and by which events."""

from sizewell.config.clock import minute_of_day
from sizewell.config.schedule import Schedule
from sizewell.config.starts_on import StartsOn
from sizewell.facts.cron import cron
from sizewell.planning.workload_plan import SchedulePlan, StartsOnPlan


def plan_schedule(schedule: Schedule) -> SchedulePlan:
    """Return the expression of a schedule."""
    minute = minute_of_day(schedule.at)
    expression = {
        "day": cron(minute),
        "week": cron(minute, weekdays=(schedule.weekday,)),
        "month": cron(minute, day_of_month=str(schedule.day_of_month)),
    }[schedule.every]
    return SchedulePlan(expression=expression, time_zone=schedule.time_zone, enabled=schedule.enabled)


def plan_starts_on(starts_on: StartsOn | None) -> StartsOnPlan | None:
    """Return the events that start a run."""
    if starts_on is None:
        return None
    return StartsOnPlan(object_key=starts_on.object, alarm_name=starts_on.alarm)

"""Bounds of scaling that change by the clock: how much of a week each of them holds, and what they may be too small for."""

from collections.abc import Iterator, Mapping
from typing import Any

from sizewell.config.clock import WEEKDAYS
from sizewell.config.scaling import MINUTES_PER_DAY, ScheduleMoment
from sizewell.facts.cron import cron
from sizewell.instance_selection import BoundsOfWeek
from sizewell.planning.endpoint_plan_model import ScheduledActionPlan
from sizewell.planning.plan import DeploymentPlan

MINUTES_PER_WEEK = len(WEEKDAYS) * MINUTES_PER_DAY


def hours_per_week(schedules: Mapping[str, ScheduleMoment]) -> dict[str, float]:
    """Return how many hours of a week each schedule holds: from its moments until another one begins.

    By the clock of their time zone; the hour that daylight saving adds or takes twice a year is not counted.
    """
    begins = sorted((minute, name) for name, one in schedules.items() for minute in one.minutes_of_week)
    hours = dict.fromkeys(schedules, 0.0)
    for (minute, name), (following, _) in zip(begins, [*begins[1:], *begins[:1]], strict=True):
        hours[name] += ((following - minute) % MINUTES_PER_WEEK or MINUTES_PER_WEEK) / 60
    return hours


def bounds_of_week(
    schedules: Mapping[str, Any], min_instances: int, max_instances: int
) -> tuple[BoundsOfWeek, ...]:
    """Return between which numbers of instances the load is followed, and for how many hours of a week.

    The bounds that a schedule does not state are those given.
    """
    hours = hours_per_week(schedules)
    return tuple(
        BoundsOfWeek(
            hours_per_week=hours[name],
            min_instances=min_instances if one.min_instances is None else one.min_instances,
            max_instances=one.max_instances or max_instances,
        )
        for name, one in sorted(schedules.items())
    )


def cron_of(schedule: ScheduleMoment) -> str:
    """Return the moments at which a schedule begins, as Application Auto Scaling reads them."""
    weekdays = sorted(schedule.weekdays, key=WEEKDAYS.index)
    return cron(schedule.minute_of_day, weekdays=weekdays if len(weekdays) < len(WEEKDAYS) else ())


def plan_scheduled_actions(
    schedules: Mapping[str, Any], min_instance_count: int, max_instance_count: int
) -> tuple[ScheduledActionPlan, ...]:
    """Return the actions by name; the bounds that one does not state are those given."""
    hours = hours_per_week(schedules)
    actions = []
    for name, one in sorted(schedules.items()):
        least = min_instance_count if one.min_instances is None else one.min_instances
        actions.append(
            ScheduledActionPlan(
                name=name,
                schedule=cron_of(one),
                time_zone=one.time_zone,
                min_instance_count=least,
                max_instance_count=one.max_instances or max(least, max_instance_count),
                hours_per_week=hours[name],
            )
        )
    return tuple(actions)


def schedule_warnings(plan: DeploymentPlan) -> Iterator[str]:
    """Yield each schedule that allows fewer instances than the peak needs.

    Not a fault: nothing states at which hour the peak comes, and to be small at night is what schedules are for. Where none
    of them allows enough, no instance type meets the needs, which is one.
    """
    # The queue of an asynchronous endpoint takes what is too much.
    for variant in (
        one for endpoint in plan.endpoints if not endpoint.asynchronous for one in endpoint.variants
    ):
        peak = variant.selection.chosen.estimate.instances_at_peak
        for action in variant.scaling.scheduled_actions if variant.scaling else ():
            if action.max_instance_count < peak:
                yield (
                    f"{variant.name}: {action.name} allows {action.max_instance_count} at most, and the peak needs "
                    f"{peak} instances: it must not come in those {action.hours_per_week:g} hours of a week"
                )

"""How the number of instances of an endpoint follows the load, and the clock."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ON_MAX_INSTANCES, ConfigModel, InstanceCount, Name, fault, without
from sizewell.config.clock import WEEKDAYS, TimeOfDay, TimeZone, Weekday, minute_of_day
from sizewell.config.effects import Below, Computed, OnChange, OnNumber, SelectionNeed
from sizewell.config.scaling_policies import Steps, Tracked, check_policies

#: A scalable target has at most 200 scheduled actions (Application Auto Scaling user guide, "Quotas").
MAX_SCHEDULES = 200
MINUTES_PER_DAY = 24 * 60


def check_order(min_instances: int | None, max_instances: int | None) -> None:
    """Raise the fault of a lower bound above its upper one; None is not stated."""
    if min_instances and max_instances and min_instances > max_instances:
        raise fault("min_instances", f"is {min_instances}, above max_instances ({max_instances})")


class ScheduleMoment(ConfigModel):
    """A moment of the week from which on other bounds hold."""

    weekdays: Annotated[tuple[Weekday, ...], Field(min_length=1, max_length=len(WEEKDAYS))] = WEEKDAYS
    """The days on which it begins; by default every day."""
    at: TimeOfDay
    """The time of day at which it begins, HH:MM in quotes."""
    time_zone: TimeZone = "UTC"
    """The time zone of that time, a name of the IANA database; the same in all schedules of an endpoint."""

    @model_validator(mode="after")
    def _each_day_once(self) -> Self:
        if len(set(self.weekdays)) < len(self.weekdays):
            raise fault("weekdays", "names a day twice")
        return self

    @property
    def minutes_of_week(self) -> Iterator[int]:
        """The minutes since Monday, midnight, at which it begins."""
        return (WEEKDAYS.index(day) * MINUTES_PER_DAY + self.minute_of_day for day in self.weekdays)

    @property
    def minute_of_day(self) -> int:
        """The minutes since midnight at which it begins."""
        return minute_of_day(self.at)


class ScalingSchedule(ScheduleMoment):
    """Bounds that hold from a moment of the week until the next schedule begins."""

    min_instances: InstanceCount | None = None
    """The least number of instances from then on; by default that of scaling."""
    max_instances: InstanceCount | None = None
    """The largest number of instances from then on; by default that of scaling."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        check_order(self.min_instances, self.max_instances)
        return self


#: What a change of a schedule means.
ON_SCHEDULE = Below(
    OnChange(
        changed="other bounds hold from its moment on",
        added="its bounds hold from its moment on, until the next schedule begins",
        removed="what holds before its moment holds on",
    )
)
Headroom = Annotated[
    float,
    Field(ge=0, lt=0.9),
    OnNumber(
        "less capacity stays free while instances start", "more capacity stays free: scales out earlier"
    ),
    SelectionNeed.SCALING,
]
Cooldown = Annotated[int, Field(ge=0, le=3600)]


#: What a change of a policy means.
ON_POLICY = Below(
    OnChange(
        changed="instances are added and removed by other values",
        added="instances are added and removed by it, too",
        removed="instances are no longer added and removed by it",
    )
)


def check_schedules(scaling: ConfigModel, schedules: Mapping[str, ScheduleMoment]) -> None:
    """Raise the fault of schedules of which nobody can say which one holds, and of one that changes no bound.

    What a schedule does not state is what ``scaling``, which it belongs to, states.
    """
    begins: dict[int, str] = {}
    for name, schedule in schedules.items():
        first = next(iter(schedules.values()))
        if schedule.time_zone != first.time_zone:
            raise fault(
                f"schedules.{name}.time_zone",
                f"is {schedule.time_zone}, but another schedule of the endpoint is in {first.time_zone}: which of them "
                "begins first may change with daylight saving time; state all of them in one time zone",
            )
        for minute in schedule.minutes_of_week:
            if (other := begins.setdefault(minute, name)) != name:
                raise fault(
                    f"schedules.{name}.at",
                    f"begins at the same moment as {other} ({WEEKDAYS[minute // MINUTES_PER_DAY]} {schedule.at}), and "
                    "AWS does not say which of them comes last; choose another time",
                )
    order = [begins[minute] for minute in sorted(begins)]
    bounds = {name: _bounds(scaling, one) for name, one in schedules.items()}
    for name in schedules:
        # A single one comes after the bounds of scaling, which a deployment sets.
        before = {bounds[other] for other, after in pairwise([*order[-1:], *order]) if after == name != other}
        if (before or {_bounds(scaling, scaling)}) == {bounds[name]}:
            raise fault(
                f"schedules.{name}",
                "never changes anything: its bounds are those that hold before it begins; state others, or "
                f"{without(f'schedules.{name}')}",
            )


def _bounds(scaling: ConfigModel, one: ConfigModel) -> tuple[int | None, ...]:
    """Return the bounds that one states, each by default that of ``scaling``."""
    names = [name for name in type(scaling).model_fields if name.startswith(("min_", "max_"))]
    return tuple(getattr(scaling if getattr(one, name) is None else one, name) for name in names)


class Scaling(ConfigModel):
    """How the number of instances follows the load, and the clock."""

    min_instances: Annotated[InstanceCount | None, Computed.MIN_INSTANCES, SelectionNeed.SCALING] = None
    """The least number of instances (MinCapacity); by default the policy's min_endpoint_instances, which it may not be
    below."""
    max_instances: Annotated[InstanceCount | None, ON_MAX_INSTANCES, SelectionNeed.SCALING] = None
    """The largest number of instances (MaxCapacity), at most the policy's max_endpoint_instances; by default one and a
    half times what the peak load needs."""
    schedules: Annotated[
        dict[Name, ScalingSchedule],
        Field(max_length=MAX_SCHEDULES),
        ON_SCHEDULE,
        SelectionNeed.SCALING,
    ] = {}
    """Bounds that hold from a moment of the week on (ScheduledActions), by a name of yours."""
    track: Annotated[Tracked | None, ON_POLICY] = None
    """What the number of instances follows: invocations, concurrency, cpu, gpu, gpu-memory, latency, or a metric of your own by
    a name of yours. Of several, the one that asks for the most instances holds. By default concurrency for an llm-engine on
    one instance type, else invocations; {} scales by steps alone."""
    steps: Annotated[Steps, ON_POLICY] = {}
    """Values above which instances are added faster than by what is tracked, by names of yours; with track: {} values below
    which they are removed, too."""
    headroom: Headroom = 0.3
    """The share of an instance's capacity that stays free while new instances start."""
    scale_out_cooldown_s: Cooldown = 60
    """Seconds after adding instances before more are added (ScaleOutCooldown)."""
    scale_in_cooldown_s: Cooldown = 300
    """Seconds after removing instances before more are removed (ScaleInCooldown)."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        check_order(self.min_instances, self.max_instances)
        return self

    @model_validator(mode="after")
    def _one_schedule_at_a_time(self) -> Self:
        check_schedules(self, self.schedules)
        return self

    @model_validator(mode="after")
    def _policies_go_together(self) -> Self:
        check_policies(self.track, self.steps)
        return self

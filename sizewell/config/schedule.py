"""When a job starts by itself."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, fault, without
from sizewell.config.clock import TimeOfDay, TimeZone, Weekday
from sizewell.config.effects import OnToggle, SelectionNeed


class Schedule(ConfigModel):
    """When the job runs by itself."""

    every: Annotated[Literal["day", "week", "month"], SelectionNeed.TIMES]
    """How often the job starts."""
    weekday: Weekday = "SUN"
    """The day on which a weekly job starts."""
    day_of_month: Annotated[int, Field(ge=1, le=28)] = 1
    """The day on which a monthly job starts; at most 28, so that every month has it."""
    at: TimeOfDay = "03:00"
    """The time of day at which the job starts, HH:MM in quotes."""
    time_zone: TimeZone = "UTC"
    """The time zone of that time, a name of the IANA database."""
    enabled: Annotated[bool, OnToggle(on="runs by itself", off="runs only by hand")] = True
    """Whether the schedule starts the job; false keeps the schedule and starts nothing."""

    @model_validator(mode="after")
    def _day_is_of_the_period(self) -> Self:
        for key, period in (("weekday", "week"), ("day_of_month", "month")):
            if key in self.model_fields_set and self.every != period:
                raise fault(key, f"has no effect on a job of every {self.every}; {without(key)}")
        return self

"""When people work: what may stop at all other times."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, fault
from sizewell.config.clock import WEEKDAYS, TimeOfDay, TimeZone, Weekday, minute_of_day

#: Average number of weeks in a month of 365/12 days.
WEEKS_PER_MONTH = 365 / 12 / 7


class WorkingHours(ConfigModel):
    """The hours of a week in which people work."""

    weekdays: Annotated[tuple[Weekday, ...], Field(min_length=1, max_length=len(WEEKDAYS))] = WEEKDAYS[:5]
    """The days on which people work; by default Monday to Friday."""
    start: TimeOfDay
    """The time of day at which they begin, HH:MM in quotes."""
    end: TimeOfDay
    """The time of day at which they end, HH:MM in quotes, later than start."""
    time_zone: TimeZone = "UTC"
    """The time zone of both, a name of the IANA database."""

    @model_validator(mode="after")
    def _hours_of_each_day_once(self) -> Self:
        if len(set(self.weekdays)) < len(self.weekdays):
            raise fault("weekdays", "names a day twice")
        if minute_of_day(self.end) <= minute_of_day(self.start):
            raise fault(
                "end",
                f"is {self.end}, not after start ({self.start}): working hours begin and end on the same day",
            )
        return self

    @property
    def hours_per_week(self) -> float:
        """All of them."""
        return len(self.weekdays) * (minute_of_day(self.end) - minute_of_day(self.start)) / 60

    @property
    def hours_per_month(self) -> float:
        """All of them."""
        return self.hours_per_week * WEEKS_PER_MONTH

"""Times of the day and of the week, as everything that happens by the clock states them."""

from typing import Annotated, Literal, get_args

from pydantic import Field

Weekday = Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)
TimeOfDay = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", examples=["03:00"])]
TimeZone = Annotated[
    str, Field(pattern=r"^[A-Za-z]+(/[A-Za-z_+-]+[0-9]*)*$", max_length=64, examples=["Europe/Berlin"])
]


def minute_of_day(at: TimeOfDay) -> int:
    """Return the minutes since midnight."""
    hour, minute = at.split(":")
    return int(hour) * 60 + int(minute)

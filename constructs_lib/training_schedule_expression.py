"""When a training workflow starts by itself: a checked EventBridge Scheduler expression.

Neither CloudFormation linters nor CDK look into the expression, and the service refuses the five-field cron of Unix
only at deployment. Syntax: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
"""

import re
from dataclasses import dataclass

_MONTHS = "JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC"
_WEEKDAYS = "SUN|MON|TUE|WED|THU|FRI|SAT"

# name, lowest number, highest number, names allowed instead, special forms of the field
_CRON_FIELDS = (
    ("minutes", 0, 59, "", ""),
    ("hours", 0, 23, "", ""),
    ("day-of-month", 1, 31, "", r"\?|L|LW|\d{1,2}W"),
    ("month", 1, 12, _MONTHS, ""),
    ("day-of-week", 1, 7, _WEEKDAYS, rf"\?|L|(?:[1-7]|{_WEEKDAYS})(?:L|#[1-5])"),
    ("year", 1970, 2199, "", ""),
)
_CRON = re.compile(r"cron\((.*)\)")


class ScheduleExpressionError(ValueError):
    """The expression is not one that EventBridge Scheduler accepts for a recurring schedule."""


@dataclass(frozen=True, kw_only=True)
class TrainingScheduleTiming:
    """A ``cron(...)`` of six fields, in an IANA time zone; UTC, which has no summer time, unless another one is named.

    A disabled schedule stays deployed and starts nothing.
    """

    expression: str
    time_zone: str = "UTC"
    is_enabled: bool = True

    def __post_init__(self) -> None:
        check_schedule_expression(self.expression)


def check_schedule_expression(expression: str) -> None:
    """Raise ``ScheduleExpressionError`` unless the expression is a well-formed ``cron(...)``."""
    cron = _CRON.fullmatch(expression)
    if cron is None:
        raise ScheduleExpressionError(
            f"{expression!r}: expected cron(minutes hours day-of-month month day-of-week year)"
        )
    fields = cron[1].split(" ")
    if len(fields) != len(_CRON_FIELDS):
        raise ScheduleExpressionError(
            f"{expression!r}: a schedule has {len(_CRON_FIELDS)} fields (minutes hours day-of-month month "
            f"day-of-week year), not {len(fields)}"
        )
    for value, (name, lowest, highest, names, special) in zip(fields, _CRON_FIELDS, strict=True):
        for part in value.split(","):
            if not _is_valid_part(part, lowest, highest, names, special):
                raise ScheduleExpressionError(
                    f"{expression!r}: {value!r} is no {name} ({lowest} to {highest})"
                )
    if (fields[2] == "?") == (fields[4] == "?"):
        raise ScheduleExpressionError(
            f"{expression!r}: exactly one of day-of-month and day-of-week must be a question mark"
        )


def _is_valid_part(part: str, lowest: int, highest: int, names: str, special: str) -> bool:
    """Check one of the comma-separated parts: ``*``, a value, a range ``a-b``, or either of them with a step ``/n``."""
    if special and re.fullmatch(special, part):
        return True
    base, slash, step = part.partition("/")
    if slash and not re.fullmatch(r"[1-9]\d*", step):
        return False
    if base == "*":
        return True
    values = base.split("-")
    return len(values) <= 2 and all(
        (bool(names) and re.fullmatch(names, value) is not None)
        or (re.fullmatch(r"\d{1,4}", value) is not None and lowest <= int(value) <= highest)
        for value in values
    )

"""The cron expressions of EventBridge Scheduler and of Application Auto Scaling: six fields, which differ from those of Unix.

https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html, "Cron-based schedules";
https://docs.aws.amazon.com/autoscaling/application/APIReference/API_PutScheduledAction.html, ``Schedule``. In both, the time
zone is a member of its own.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_MONTHS = "JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC"
_RATE = re.compile(r"rate\(([1-9][0-9]{0,8}) (minute|hour|day)s?\)")
_MINUTES = {"minute": 1, "hour": 60, "day": 24 * 60}
_WEEKDAYS = "SUN|MON|TUE|WED|THU|FRI|SAT"


@dataclass(frozen=True, slots=True)
class CronField:
    """A field: its numbers, the names that may stand for them, and its own special forms."""

    name: str
    lowest: int
    highest: int
    names: str = ""
    special: str = ""

    def allows(self, value: str) -> bool:
        """Tell whether every part of the field is well-formed."""
        return all(self._allows_part(part) for part in value.upper().split(","))

    def count(self, value: str) -> int:
        """Return how many values a well-formed field stands for; a special form stands for one."""
        return sum(map(self._count_part, value.upper().split(",")))

    def _count_part(self, part: str) -> int:
        if self.special and re.fullmatch(self.special, part):
            return 1
        base, slash, step = part.partition("/")
        first, dash, last = base.partition("-")
        if base == "*":
            values = self.highest - self.lowest + 1
        elif dash:
            values = self._number(last) - self._number(first) + 1
        else:
            values = self.highest - self._number(first) + 1 if slash else 1
        return -(-values // int(step)) if slash else values

    def numbers(self, value: str) -> str:
        """Return the field with numbers for names."""
        names = self.names.split("|")
        parts = re.split(r"([,/#-])", value.upper())
        return "".join(str(names.index(part) + self.lowest) if part in names else part for part in parts)

    def _number(self, value: str) -> int:
        names = self.names.split("|")
        return names.index(value) + self.lowest if value in names else int(value)

    def _allows_part(self, part: str) -> bool:
        """Check one part: ``*``, a value, a range ``a-b``, either with a step ``/n``, or a special form."""
        if self.special and re.fullmatch(self.special, part):
            return True
        base, slash, step = part.partition("/")
        if slash and not re.fullmatch(r"[1-9][0-9]{0,3}", step):
            return False
        values = base.split("-")
        return base == "*" or (len(values) <= 2 and all(self._allows_value(value) for value in values))

    def _allows_value(self, value: str) -> bool:
        if self.names and re.fullmatch(self.names, value):
            return True
        return re.fullmatch(r"[0-9]{1,4}", value) is not None and self.lowest <= int(value) <= self.highest


FIELDS = (
    CronField("minutes", 0, 59),
    CronField("hours", 0, 23),
    CronField("day-of-month", 1, 31, special=r"\?|L(-[0-9]{1,2})?|LW|[0-9]{1,2}W"),
    CronField("month", 1, 12, _MONTHS),
    CronField("day-of-week", 1, 7, _WEEKDAYS, rf"\?|L|(?:[1-7]|{_WEEKDAYS})(?:L|#[1-5])"),
    CronField("year", 1970, 2199),
)


#: Of Unix, as Kubernetes reads them: https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
UNIX_FIELDS = (
    *FIELDS[:2],
    CronField("day-of-month", 1, 31, special=r"\?"),
    FIELDS[3],
    CronField("day-of-week", 0, 6, _WEEKDAYS, r"\?"),
)
_UNIX_WORDS = {
    f"@{word}" for word in ["yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly"]
}


def unix_cron(expression: str) -> str:
    """Return the five fields of Unix for the times of ``cron(...)``; ValueError where Unix has no fields for them."""
    require_cron(expression, "a run")
    values = [field.numbers(value) for value, field in zip(expression[5:-1].split(), FIELDS, strict=True)]
    if values[5] != "*":
        raise ValueError(f"Unix has no field for the year: {expression}")
    fields = [value.replace("?", "*") for value in values[:5]]
    # AWS counts the days of a week from 1, and so the days on which steps begin; a step itself stays.
    fields[4] = re.sub(r"(?<![/\d])\d", lambda day: str(int(day[0]) - 1), fields[4])
    found = " ".join(fields)
    if reason := unix_cron_fault(found):
        raise ValueError(f"Unix has no fields for {expression}: {reason}")
    return found


def unix_cron_fault(schedule: str) -> str | None:
    """Return what is wrong with a schedule of Unix, or None."""
    if schedule in _UNIX_WORDS:
        return None
    values = schedule.split()
    if len(values) != len(UNIX_FIELDS):
        return f"it has {len(values)} fields, and {len(UNIX_FIELDS)} are needed"
    for value, field in zip(values, UNIX_FIELDS, strict=True):
        if not field.allows(value) or any(field.count(part) < 1 for part in value.split(",")):
            names = " or a name" if field.names else ""
            return f"{value} is no {field.name} ({field.lowest} to {field.highest}{names})"
    return None


def require_cron(schedule: str, name: str) -> None:
    """Raise ValueError where the schedule of what is called ``name`` is no ``cron(...)`` that AWS takes."""
    inside = re.fullmatch(r"cron\((.*)\)", schedule)
    if reason := cron_fault(inside[1]) if inside else "it is no cron(...)":
        raise ValueError(f"schedule {schedule} of {name}: {reason}")


def cron_fault(inside: str) -> str | None:
    """Return what is wrong with the fields inside ``cron(...)``, or None."""
    values = inside.split()
    if len(values) != len(FIELDS):
        return f"cron has {len(values)} fields, and {len(FIELDS)} are needed"
    for value, field in zip(values, FIELDS, strict=True):
        if not field.allows(value):
            names = " or a name" if field.names else ""
            return f"{value} is no {field.name} ({field.lowest} to {field.highest}{names})"
    if (values[2] == "?") == (values[4] == "?"):
        return "exactly one of day-of-month and day-of-week must be a question mark"
    return None


def starts_per_year(expression: str) -> float | None:
    """Return how often ``rate(...)`` or ``cron(...)`` starts something in a year of 365 days; None for anything else."""
    if rate := _RATE.fullmatch(expression):
        return 365 * 24 * 60 / (int(rate[1]) * _MINUTES[rate[2]])
    inside = re.fullmatch(r"cron\((.*)\)", expression)
    if inside is None or cron_fault(inside[1]):
        return None
    values = inside[1].split()
    minutes, hours, days, months, weekdays = (
        field.count(value) for value, field in zip(values, FIELDS[:5], strict=False)
    )
    each_month = days * 12 / 365 if values[4] == "?" and values[2] != "*" else 1.0
    each_week = 1.0 if values[4] in ("?", "*") else weekdays / 7
    return minutes * hours * 365 * months / 12 * each_month * each_week


def most_days_between_starts(expression: str) -> int:
    """Return how many days may lie between two starts of ``cron(...)``, which starts on a day of each month, week or day."""
    require_cron(expression, "a run")
    _, _, day_of_month, _, weekday, _ = expression[5:-1].split()
    return 31 if day_of_month not in "*?" else 7 if weekday not in "*?" else 1


def in_one_spelling(expression: str) -> str:
    """Return one spelling of ``rate(...)`` or ``cron(...)`` for the same times; anything else as it is."""
    if rate := _RATE.fullmatch(expression):
        return f"rate({int(rate[1]) * _MINUTES[rate[2]]} minutes)"
    inside = re.fullmatch(r"cron\((.*)\)", expression)
    if inside is None or cron_fault(inside[1]):
        return expression
    values = [field.numbers(value) for value, field in zip(inside[1].split(), FIELDS, strict=True)]
    # Every day is said by one of two fields; the other one has a question mark.
    if {values[2], values[4]} == {"*", "?"}:
        values[2], values[4] = "*", "?"
    return f"cron({' '.join(values)})"


def cron_of_hours(minute: int, hours: str, weekdays: Sequence[str]) -> str:
    """Return the expression of a minute of several hours, on some days of the week."""
    return f"cron({minute} {hours} ? * {','.join(weekdays)} *)"


def cron(minute_of_day: int, *, day_of_month: str = "*", weekdays: Sequence[str] = ()) -> str:
    """Return the expression of a time on some days: of a month, or of the week; without either on every day."""
    # Of day-of-month and day-of-week one is always a question mark.
    days = f"? * {','.join(weekdays)}" if weekdays else f"{day_of_month} * ?"
    return f"cron({minute_of_day % 60} {minute_of_day // 60} {days} *)"

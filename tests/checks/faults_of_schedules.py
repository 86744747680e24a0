"""Faults of schedules."""

from tests.checks.builders import schedule, template
from tests.checks.fault_collection import fault

CRON_REMEDY = "write cron(minutes hours day-of-month month day-of-week year), for example cron(0 3 ? * SUN *)"

for expression, message, remedy in (
    ("cron(0 3 * * SUN)", "cron has 5 fields, and 6 are needed", CRON_REMEDY),
    ("cron(60 3 ? * SUN *)", "60 is no minutes (0 to 59)", CRON_REMEDY),
    ("cron(0 3 ? * SUNDAY *)", "SUNDAY is no day-of-week (1 to 7 or a name)", CRON_REMEDY),
    (
        "cron(0 3 * * SUN *)",
        "exactly one of day-of-month and day-of-week must be a question mark",
        CRON_REMEDY,
    ),
    ("0 3 * * *", "neither cron(...), rate(...) nor at(...)", CRON_REMEDY),
    (
        "rate(0 hours)",
        "this is no rate",
        "write for example rate(2 hours): a whole number above zero, then minutes, hours or days",
    ),
    (
        "at(2027-01-31T03:00:00Z)",
        "this is no time",
        "write for example at(2027-01-31T03:00:00), without a time zone",
    ),
):
    fault(
        f"the schedule {expression}",
        template(Schedule=schedule(expression)),
        "schedule-expression",
        "Schedule",
        "ScheduleExpression",
        f"{expression}: {message}",
        remedy,
    )

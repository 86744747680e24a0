"""Expressions of EventBridge Scheduler, which schemas hold for any text.

https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
"""

import re
from collections.abc import Iterator

from sizewell.checks.rule import Finding, Rule, fault
from sizewell.facts.cron import FIELDS, cron_fault
from sizewell.templates.template import Template
from sizewell.templates.values import is_open, text

EXPRESSION = "schedule-expression"
RULES: tuple[Rule, ...] = (
    Rule(
        EXPRESSION,
        "a schedule other than `cron` of six fields, `rate` or `at`",
        "Unix has five fields. [Schedule types]("
        "https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html)",
    ),
)

_FORM = re.compile(r"(cron|rate|at)\((.*)\)", re.DOTALL)
_RATE = re.compile(r"[1-9][0-9]*\s+(minute|hour|day)s?")
_AT = re.compile(
    r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?"
)
_REMEDIES = {
    "cron": f"write cron({' '.join(field.name for field in FIELDS)}), for example cron(0 3 ? * SUN *)",
    "rate": "write for example rate(2 hours): a whole number above zero, then minutes, hours or days",
    "at": "write for example at(2027-01-31T03:00:00), without a time zone",
}


def check(template: Template) -> Iterator[Finding]:
    """Yield the faults of every schedule's expression."""
    for schedule in template.of_type("AWS::Scheduler::Schedule"):
        expression = text(schedule.written.get("ScheduleExpression"))
        if expression is None or is_open(expression):
            continue
        if found := expression_fault(expression):
            message, what_to_do = found
            yield fault(schedule, EXPRESSION, "ScheduleExpression", f"{expression}: {message}", what_to_do)


def expression_fault(expression: str) -> tuple[str, str] | None:
    """Return what is wrong with an expression and what to do, or None."""
    form = _FORM.fullmatch(expression)
    if form is None:
        return "neither cron(...), rate(...) nor at(...)", _REMEDIES["cron"]
    kind, inside = form[1], form[2].strip()
    if kind == "cron":
        message = cron_fault(inside)
        return (message, _REMEDIES[kind]) if message else None
    if kind == "rate":
        return None if _RATE.fullmatch(inside) else ("this is no rate", _REMEDIES[kind])
    return None if _AT.fullmatch(inside) else ("this is no time", _REMEDIES[kind])

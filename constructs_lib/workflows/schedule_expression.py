"""When a training workflow starts by itself: a checked EventBridge Scheduler expression.

Neither CloudFormation linters nor CDK look into the expression, and the service refuses the five-field cron of Unix
only at deployment. Syntax: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
"""

import re
from dataclasses import dataclass

from sizewell.facts.cron import FIELDS, cron_fault

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
    names = " ".join(field.name for field in FIELDS)
    fault = f"expected cron({names})" if cron is None else cron_fault(cron[1])
    if fault:
        raise ScheduleExpressionError(f"{expression!r}: {fault}")

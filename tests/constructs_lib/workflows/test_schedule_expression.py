import pytest

from constructs_lib.workflows.schedule_expression import (
    ScheduleExpressionError,
    TrainingScheduleTiming,
    check_schedule_expression,
)


@pytest.mark.parametrize(
    "expression",
    [
        "cron(0 3 ? * MON *)",
        "cron(15,45 8-18/2 ? * MON-FRI *)",
        "cron(0/10 * 1 JAN,JUL ? 2026-2030)",
        "cron(0 0 L * ? *)",
        "cron(0 0 15W * ? *)",
        "cron(0 0 ? * 6L *)",
        "cron(0 0 ? * TUE#2 *)",
    ],
)
def test_expressions_that_the_scheduler_documents_pass(expression: str) -> None:
    check_schedule_expression(expression)


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [
        ("cron(0 3 * * 1)", "has 5 fields, and 6"),
        ("cron(0 3 ? * MON * *)", "has 7 fields"),
        ("0 3 * * 1", "expected cron"),
        ("at(2026-01-01T00:00:00)", "expected cron"),
        ("rate(1 day)", "expected cron"),
        ("cron(60 3 ? * MON *)", "is no minutes"),
        ("cron(0 24 ? * MON *)", "is no hours"),
        ("cron(0 3 0 * ? *)", "is no day-of-month"),
        ("cron(0 3 1 13 ? *)", "is no month"),
        ("cron(0 3 ? * 0 *)", "is no day-of-week"),
        ("cron(0 3 ? * MON 1969)", "is no year"),
        ("cron(0/0 3 ? * MON *)", "is no minutes"),
        ("cron(? 3 ? * MON *)", "is no minutes"),
        ("cron(0 3 * * * *)", "exactly one"),
        ("cron(0 3 ? * ? *)", "exactly one"),
    ],
)
def test_other_expressions_are_refused_with_the_field_at_fault(expression: str, complaint: str) -> None:
    with pytest.raises(ScheduleExpressionError, match=complaint):
        TrainingScheduleTiming(expression=expression)

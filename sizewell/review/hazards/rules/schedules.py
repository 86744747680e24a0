"""What starts by itself, and when."""

from collections.abc import Iterator, Mapping

from sizewell.facts.cron import in_one_spelling, starts_per_year
from sizewell.review.comparison import EnvironmentPair
from sizewell.review.consequences.directions import OFTENER
from sizewell.review.hazards.rule import Found, hazard_rule
from sizewell.review.words import moved
from sizewell.templates.same import has_the_same
from sizewell.templates.template import Resource

SCHEDULE = "AWS::Scheduler::Schedule"
EVENT_RULE = "AWS::Events::Rule"
_KEYS = ("ScheduleExpression", "ScheduleExpressionTimezone", "State")
_DEFAULTS = {"State": "ENABLED", "ScheduleExpressionTimezone": "UTC"}


@hazard_rule("availability")
def schedule_changed(environment: EnvironmentPair) -> Iterator[Found]:
    """A schedule changes its times, is disabled or is removed."""
    for stack, base, head in environment.diff.kept(SCHEDULE, EVENT_RULE):
        before, after = ({key: _value(side, key) for key in _KEYS} for side in (base, head))
        causes = [
            f"{key} {moved(before[key], after[key])}"
            for key in _KEYS
            if in_one_spelling(str(before[key])) != in_one_spelling(str(after[key]))
        ]
        if causes and any(side["ScheduleExpression"] for side in (before, after)):
            was_off, is_off = (side["State"] == "DISABLED" for side in (before, after))
            times = 1.0 if was_off or is_off else _times_as_often(before, after)
            yield Found(
                "warning" if (is_off and not was_off) or times >= OFTENER else "notice",
                stack,
                head.logical_id,
                f"schedule {head.path}",
                "; ".join(causes),
                f"The schedule starts its target {times:,.3g} times as often, and each run is paid for."
                if times >= OFTENER
                else _consequence(was_off, is_off),
                "Tell those who wait for the results, and make sure that the new times do not overlap with other runs.",
                "money" if times >= OFTENER else None,
            )
    for pair in environment.diff.resources(SCHEDULE, EVENT_RULE):
        gone = pair.base if pair.head is None and pair.stack.head is not None else None
        if (
            gone
            and gone.properties.get("ScheduleExpression")
            and (pair.stack.name, pair.logical_id) not in environment.diff.moved
            # What a workload moves into starts it by the times of the configuration.
            and pair.stack.name not in environment.moved_workloads
            and not has_the_same(pair.stack, gone, ("ScheduleExpression", "Target", "Targets"))
        ):
            yield Found(
                "warning",
                pair.stack.name,
                pair.logical_id,
                f"schedule {gone.path}",
                f"ScheduleExpression {moved(gone.properties['ScheduleExpression'], None)}",
                "The schedule no longer starts anything.",
                "Tell those who wait for the results.",
            )


def _times_as_often(before: Mapping[str, object], after: Mapping[str, object]) -> float:
    """Return how many times as often a schedule starts its target; 1 where nobody knows."""
    was, becomes = (starts_per_year(str(side["ScheduleExpression"])) for side in (before, after))
    return becomes / was if was and becomes else 1.0


def _consequence(was_off: bool, is_off: bool) -> str:
    if is_off:
        return "The schedule starts nothing." if was_off else "The schedule no longer starts anything."
    return (
        "The schedule starts its target from now on."
        if was_off
        else "The schedule starts its target at other times."
    )


def _value(resource: Resource, key: str) -> object:
    return resource.properties.get(key, _DEFAULTS.get(key))

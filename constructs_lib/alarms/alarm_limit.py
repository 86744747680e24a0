"""What an alarm judges by, where a plan has decided it."""

from dataclasses import dataclass

from sizewell.facts.alarms import AlarmEvaluation


@dataclass(frozen=True, kw_only=True)
class AlarmLimit:
    """The largest healthy value, and which periods are looked at."""

    threshold: float
    evaluation: AlarmEvaluation

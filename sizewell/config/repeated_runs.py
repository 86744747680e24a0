"""How often something runs, by which starts, and what one run of a job may cost."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ON_MAX_USD, ConfigModel, Usd, fault
from sizewell.config.effects import Computed, OnFactor, SelectionNeed
from sizewell.config.schedule import Schedule
from sizewell.config.starts_on import ON_STARTS, StartsOn

#: Hours between two starts of a schedule, at least.
HOURS_BETWEEN_RUNS = {"day": 24, "week": 7 * 24, "month": 28 * 24}
#: Average number of starts of a schedule in a month of 365/12 days.
RUNS_PER_MONTH = {"day": 365 / 12, "week": 365 / 12 / 7, "month": 1.0}


class StartedRuns(ConfigModel):
    """What runs by a schedule, by events or by hand."""

    schedule: Annotated[Schedule | None, Computed.SCHEDULE] = None
    """When the job starts by itself; without it, people start it."""
    starts_on: Annotated[StartsOn | None, ON_STARTS] = None
    """What else starts a run: data that has arrived, or an alarm."""
    runs_per_month: Annotated[
        Annotated[float, Field(ge=0.001, le=50_000)] | None, OnFactor(), SelectionNeed(170)
    ] = None
    """How often people start the job in a month, for the bill; a schedule says it by itself."""

    @model_validator(mode="after")
    def _runs_are_counted_once(self) -> Self:
        if self.schedule is not None and self.runs_per_month is not None:
            raise fault("runs_per_month", "the schedule says how often the job runs; remove one of the two")
        return self

    def idle_hours(self, hours: float) -> float | None:
        """Return the hours from the end of a run of so many hours to the next; None where not only the schedule starts runs."""
        if self.schedule is None or not self.schedule.enabled or self.starts_on is not None:
            return None
        return HOURS_BETWEEN_RUNS[self.schedule.every] - hours

    def overlap(self, hours: float, why: str = "") -> str | None:
        """Return what is wrong where a run of so many hours, for the reason ``why``, may last until the schedule starts the next
        one."""
        if self.schedule is None or hours <= (between := HOURS_BETWEEN_RUNS[self.schedule.every]):
            return None
        return (
            f"is {hours:g}{why}, but the schedule starts the next run after {between} hours: two would run at a time; state "
            f"{between} at most, or schedule.every another period"
        )


class RepeatedRuns(StartedRuns):
    """A job whose runs each have a deadline."""

    deadline_hours: float
    """Hours within which a run must end."""
    max_usd_per_run: Annotated[Usd | None, ON_MAX_USD, SelectionNeed(230)] = None
    """The most that one run may cost, in USD."""

    @property
    def run_hours(self) -> float:
        """Hours within which a whole run ends."""
        return self.deadline_hours

    @model_validator(mode="after")
    def _runs_end_before_the_next(self) -> Self:
        if problem := self.overlap(self.run_hours):
            raise fault("deadline_hours", problem)
        return self


def runs_per_month(job: StartedRuns) -> float | None:
    """Return how often a job runs; None when neither a schedule nor the user says."""
    if job.schedule is not None:
        return RUNS_PER_MONTH[job.schedule.every]
    return job.runs_per_month

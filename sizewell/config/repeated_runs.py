"""How often a job runs, and what one run may cost."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ON_MAX_USD, ConfigModel, Usd, fault
from sizewell.config.effects import Computed, OnFactor, SelectionNeed
from sizewell.config.starts_on import ON_STARTS, StartsOn
from sizewell.config.training import Schedule

#: Hours between two starts of a schedule, at least.
HOURS_BETWEEN_RUNS = {"day": 24, "week": 7 * 24, "month": 28 * 24}


class RepeatedRuns(ConfigModel):
    """A job that runs by a schedule or by hand, each run within a deadline."""

    deadline_hours: float
    """Hours within which a run must end."""
    max_usd_per_run: Annotated[Usd | None, ON_MAX_USD, SelectionNeed(230)] = None
    """The most that one run may cost, in USD."""
    schedule: Annotated[Schedule | None, Computed.SCHEDULE] = None
    """When the job starts by itself; without it, people start it."""
    starts_on: Annotated[StartsOn | None, ON_STARTS] = None
    """What else starts a run: data that has arrived, or an alarm."""
    runs_per_month: Annotated[
        Annotated[float, Field(ge=0.001, le=50_000)] | None, OnFactor(), SelectionNeed(170)
    ] = None
    """How often people start the job in a month, for the bill; a schedule says it by itself."""

    @model_validator(mode="after")
    def _runs_end_before_the_next(self) -> Self:
        if self.schedule is None:
            return self
        if self.runs_per_month is not None:
            raise fault("runs_per_month", "the schedule says how often the job runs; remove one of the two")
        between = HOURS_BETWEEN_RUNS[self.schedule.every]
        if self.deadline_hours > between:
            raise fault(
                "deadline_hours",
                f"is {self.deadline_hours:g}, but the schedule starts the next run after {between} hours: two would run at "
                f"a time; state {between} at most, or schedule.every another period",
            )
        return self

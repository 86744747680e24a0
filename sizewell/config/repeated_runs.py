"""How often something runs, by which starts, and what one run of a job may cost."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ON_MAX_USD, Usd, fault, with_article
from sizewell.config.effects import Computed, OnFactor, SelectionNeed
from sizewell.config.schedule import Schedule
from sizewell.config.starts_on import ON_STARTS, StartsOn
from sizewell.config.tree import KeyPath
from sizewell.config.workload import Workload

#: Hours between two starts of a schedule, at least.
HOURS_BETWEEN_RUNS = {"day": 24, "week": 7 * 24, "month": 28 * 24}
#: Average number of starts of a schedule in a month of 365/12 days.
RUNS_PER_MONTH = {"day": 365 / 12, "week": 365 / 12 / 7, "month": 1.0}


class StartedRuns(Workload):
    """What runs by a schedule, by events or by hand."""

    schedule: Annotated[Schedule | None, Computed.SCHEDULE] = None
    """When the job starts by itself; without it, people start it."""
    starts_on: Annotated[StartsOn | None, ON_STARTS] = None
    """What else starts a run: data that has arrived, or an alarm."""
    runs_per_month: Annotated[
        Annotated[float, Field(ge=0.001, le=50_000)] | None, OnFactor(), SelectionNeed.TIMES
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
    """A job whose runs each have a deadline, and which a pipeline may run."""

    deadline_hours: float
    """Hours within which a run must end."""
    max_usd_per_run: Annotated[Usd | None, ON_MAX_USD, SelectionNeed.COST] = None
    """The most that one run may cost, in USD."""

    @property
    def run_hours(self) -> float:
        """Hours within which a whole run ends."""
        return self.deadline_hours

    def with_runs_of(self, pipelines: Sequence[float | None]) -> Self:
        """Return the job that pipelines run as often as this in a month; one of which nobody says how often counts once."""
        if not pipelines or not any((self.runs_per_month, *pipelines)):
            return self
        total = (self.runs_per_month or 0.0) + sum(1.0 if runs is None else runs for runs in pipelines)
        return self.model_copy(update={"runs_per_month": total})

    def inputs_of_models(self) -> tuple[str, ...] | None:
        """Return the inputs that may be the model that a step of the same run has trained; None of a job that reads none."""
        return None

    def stated_outputs(self) -> Mapping[str, str]:
        """Return the prefixes that it writes just as they are stated, by name; most jobs write into a folder of each run."""
        return {}

    def gate_fault(self, metric: str, file: str | None) -> tuple[KeyPath, str] | None:
        """Return what is wrong with a quality gate on a run, and at which key of the gate; None where a run gives the number."""
        return (), f"{with_article(self.kind)} gives no number: run a processing-job that judges its results"

    def waits_in_vain(self, idle_hours: float | None) -> str | None:
        """Return what is wrong where instances wait for the next run, which starts that much later; None of most jobs."""
        return None

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

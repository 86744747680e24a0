"""The plan of a pipeline."""

from typing import Annotated, Literal

from pydantic import Field

from sizewell.planning.workload_plan import (
    ImagePlan,
    PlanModel,
    PlanModelKind,
    SchedulePlan,
    StartsOnPlan,
    StateMachinePlan,
)


class QualityGatePlan(PlanModel):
    """A number that must be good enough; one bound at least is there."""

    metric: str
    file_key: str | None
    """The object of the artifact bucket that holds it; None looks into the report of the training."""
    at_least: float | None
    at_most: float | None


class RunStepPlan(PlanModel):
    """A step that runs the state machine of a workload."""

    does: Literal["run"] = "run"
    name: str
    workload: str
    workload_kind: str
    state_machine_name: str
    time_limit_s: int
    """After so long that machine ends by itself, with every attempt."""
    deadline_s: int
    """What a run may take, with every attempt."""
    hours: float
    """What a run is predicted to take."""
    usd_per_run: float | None
    """None where no price is known."""
    reads: dict[str, str]
    """Inputs that read the model of this run, each with the step that trains it."""
    gates: tuple[QualityGatePlan, ...]


class RegisterStepPlan(PlanModel):
    """A step that makes the model of another step a version of a model group."""

    does: Literal["register"] = "register"
    name: str
    trained_by: str
    group: str
    """As the configuration states it."""
    group_name: str
    """As AWS shows it."""
    image: ImagePlan
    is_approved: bool
    """Whether nobody has to approve it."""


StepPlan = Annotated[RunStepPlan | RegisterStepPlan, Field(discriminator="does")]


class PipelinePlan(StateMachinePlan):
    """One pipeline, as a state machine."""

    kind: Literal["pipeline"] = "pipeline"
    state_machine_name: str
    levels: tuple[tuple[StepPlan, ...], ...]
    """The steps of a level run side by side, once all of the level before have ended."""
    time_limit_s: int
    """After so long a run is ended."""
    schedule: SchedulePlan | None
    starts_on: StartsOnPlan | None
    report_success: bool
    """Whether the alarm topic hears of runs that succeeded, too."""
    runs_per_month: float | None
    """None where the configuration does not say how often it runs; the bill then counts one."""

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """Its container images, each once."""
        return tuple(step.image for step in self.registrations)

    @property
    def steps(self) -> tuple[RunStepPlan | RegisterStepPlan, ...]:
        """All of them, in their order."""
        return tuple(step for level in self.levels for step in level)

    @property
    def runs(self) -> tuple[RunStepPlan, ...]:
        """Those that run a workload."""
        return tuple(step for step in self.steps if isinstance(step, RunStepPlan))

    @property
    def registrations(self) -> tuple[RegisterStepPlan, ...]:
        """Those that register a model."""
        return tuple(step for step in self.steps if isinstance(step, RegisterStepPlan))

    @property
    def longest_path(self) -> tuple[RunStepPlan, ...]:
        """The step of each level that is predicted to take longest: the next level waits for it."""
        runs = ([step for step in level if isinstance(step, RunStepPlan)] for level in self.levels)
        return tuple(max(level, key=lambda step: step.hours) for level in runs if level)

    @property
    def hours(self) -> float:
        """What a run is predicted to take."""
        return sum(step.hours for step in self.longest_path)

    @property
    def usd_per_run(self) -> float | None:
        """What the jobs of a run cost; None where a price is unknown."""
        costs = [step.usd_per_run for step in self.runs]
        return None if None in costs else sum(cost for cost in costs if cost is not None)


FACET = PlanModelKind(model=PipelinePlan)

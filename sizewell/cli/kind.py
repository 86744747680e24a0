"""What the terminal needs to know of a kind of workload: its row in the table of a plan, and how its choice is explained."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sizewell.cli.formats import known_by, outcome, spread
from sizewell.config.policy import Policy
from sizewell.instance_selection import Catalog, Engine, Measurement, Objective
from sizewell.kinds.registry import facet
from sizewell.planning.workload_plan import InstanceWorkloadPlan, WorkloadPlan

if TYPE_CHECKING:
    from rich.console import Console

    from sizewell.cli.explanation import Explanation


#: Why what chooses its own type among those that its images run on is not assessed.
CHOOSES_NEURON_ITSELF = (
    "and migration is assessed for endpoints of one model and training jobs; its own choice covers Inferentia where "
    "container.images.neuron is given"
)
NEVER_ON_NEURON = "which never runs on Inferentia or Trainium"


@dataclass(frozen=True, slots=True)
class Row:
    """What a row says of a workload, beside its name, its lock and its price."""

    on: str
    count: str
    predicted: str
    range: str = ""
    used: str = ""


def runs_on(workload: WorkloadPlan) -> str:
    """Return what the plan runs a workload on, as the table of the plan says it: of an endpoint, all of its variants."""
    rows = [facet(part.kind, ViewKind).row(part) for part in workload.variants]
    return " and ".join(f"{row.count} x {row.on}" if row.on else row.count for row in rows)


@dataclass(frozen=True, slots=True)
class AssumedEngine:
    """What was taken to execute the model of an endpoint."""

    name: Engine
    stated: bool
    """Whether the configuration says so."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What was asked of a choice, and what else follows from that."""

    objective: Objective = Objective.LEAST_COST
    bound: float
    """The decisive bound of latency of an endpoint in milliseconds; of all others a number of hours."""
    bound_key: str = "deadline_hours"
    """What the bound of hours is called in data."""
    asked_ms: Mapping[str, float] = field(default_factory=dict)
    """All bounds of latency of an endpoint, by the names of their filters."""
    engine: AssumedEngine | None = None
    """None where no engine makes a difference."""
    counterfactuals: tuple[Any, ...] = ()
    """What would be picked if a need changed, without the lock."""
    attempts: tuple[Any, ...] | None = None
    """What a training tries in turn."""
    without_capacity: str | None = None
    """What is taken where there is no capacity for the chosen type."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A choice that is explained: what the configuration states, what was decided, and what it was decided with."""

    stated: Any
    plan: Any
    policy: Policy
    catalog: Catalog
    measured: tuple[Measurement, ...]


@dataclass(frozen=True, kw_only=True)
class ViewKind:
    """How a kind is shown."""

    module: ClassVar[str] = "view"

    row: Callable[[Any], Row]
    """Returns the row of a plan, or of a variant of one."""
    notes: Callable[[Any], Iterator[str]] = lambda _: iter(())
    """Yields sentences that stand below the table, each after the name of the workload and a colon."""
    used: str = ""
    """What the column "used" says of the kind, where that is not the share of planned capacity at peak load."""
    explain: Callable[[Subject], Asked] | None = None
    """Returns what was asked of the choice; None where no instance type is chosen."""
    facts: Callable[["Explanation"], list[str]] = lambda _: []
    """Returns what the chosen type will do, in sentences."""
    show: Callable[[Any, "Console"], None] | None = None
    """Prints what was decided, where no instance type is chosen."""
    migrate: Callable[[Subject], Any] | None = None
    """Returns what the workload would be on Inferentia or Trainium; None where that is not assessed."""
    why_not_migrated: str = "which has no instance type to change"
    """Why it is not assessed, after the name of the kind."""


def row_of_choice(plan: InstanceWorkloadPlan, count: str, estimate: Any = None) -> Row:
    """Return the row of a chosen instance type; ``estimate`` is by default that of the choice."""
    shown = estimate or plan.selection.chosen.estimate
    return Row(
        on=plan.selection.chosen.instance_type,
        count=count,
        predicted=outcome(shown),
        range=spread(shown) or known_by(shown),
        used=f"{shown.utilization:.0%}",
    )


def same_image_words(plan: InstanceWorkloadPlan) -> str | None:
    """Return the alternatives for when there is no capacity, by hand; None where there are none."""
    pools = plan.instance_pools
    return f"without capacity, on the same image: {', '.join(pools[1:])}" if len(pools) > 1 else None

"""What planning needs to know of a kind of workload: how it is planned, and what a month of it costs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sizewell.config.policy import Policy
from sizewell.instance_selection import Catalog, Measurement
from sizewell.kinds.registry import facet
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.errors import PlanFault
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.name_limits import NameLimit
from sizewell.planning.names import Names
from sizewell.planning.plan import AnyWorkloadPlan, JobPlan
from sizewell.planning.remedies import Remedy


@dataclass(frozen=True, kw_only=True)
class Stated:
    """A workload as the configuration states it, and what its plan is made with."""

    name: str
    workload: Any
    """Of the class of its kind."""
    policy: Policy
    catalog: Catalog
    names: Names
    locked: LockedWorkload | None = None
    measurements: tuple[Measurement, ...] = ()
    environment_tags: Mapping[str, str]
    jobs: Mapping[str, JobPlan] = field(default_factory=dict)
    """Those of the place, by name, once they are planned."""

    @property
    def planning_inputs(self) -> tuple[str, Any, Policy, Catalog, Names]:
        """What the plan of every kind is made with."""
        return self.name, self.workload, self.policy, self.catalog, self.names


#: A plan, and what of it cannot be built.
Planned = tuple[AnyWorkloadPlan, Iterable[PlanFault]]


@dataclass(frozen=True, kw_only=True)
class PlanKind:
    """How a kind is planned."""

    module: ClassVar[str] = "plan"

    rank: int
    """Its place in a plan and in a bill; no other kind has the same."""
    plan: Callable[[Stated], Planned]
    """Returns the plan, and what of it cannot be built; raises ``PlanError``, ``NoFeasibleInstanceError`` and
    ``UnknownInstanceTypeError``."""
    name: NameLimit
    """The shortest limit of AWS on a name that the plan makes of the workload's."""
    remedies: Callable[[Any], Mapping[str, Remedy]] | None = None
    """Returns, of the configuration, what to change for each filter; None where no instance type is chosen."""


@dataclass(frozen=True, kw_only=True)
class BillKind:
    """What a month of a kind costs."""

    module: ClassVar[str] = "bill"

    line: Callable[[Any, str], BillLine]
    """Returns a month of the plan in a region."""


def plan_workload(stated: Stated) -> Planned:
    """Return the plan of a workload, and what of it cannot be built; raises what the ``plan`` of its kind does."""
    return facet(stated.workload.kind, PlanKind).plan(stated)

"""What planning needs to know of a kind of workload: how it is planned, and what a month of it costs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sizewell.config.cluster import TargetKind
from sizewell.config.endpoint import EndpointNeeds
from sizewell.config.policy import Policy
from sizewell.config.workload import Workload
from sizewell.facts.serving_features import ServedAs
from sizewell.instance_selection import Catalog, Measurement
from sizewell.kinds.registry import facet
from sizewell.planning.bill_plan import BillLine
from sizewell.planning.errors import PlanFault
from sizewell.planning.features import Asked
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.name_limits import NameLimit
from sizewell.planning.names import Names
from sizewell.planning.proxy import bypass_faults
from sizewell.planning.remedies import Remedy
from sizewell.planning.workload_plan import JobPlan, WorkloadPlan
from sizewell.serving_modes import Mode, ModeComparison
from sizewell.targets.registry import target_facet


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
    """Those of the place, by name, once they are planned: what runs others is planned last."""
    others: Mapping[str, Workload] = field(default_factory=dict)
    """What the configuration states in the same place, by name."""
    cluster: Any = None
    """The cluster that it runs in, of the class of its target; None is SageMaker."""


#: A plan, and what of it cannot be built.
Planned = tuple[WorkloadPlan, Iterable[PlanFault]]
#: Returns what is called from the VPC for a workload: services with an interface endpoint.
Services = Callable[[Any], Iterator[str]]
#: Returns one plan of the plans of what is planned apart, and what does not go together.
Join = Callable[[Any, Sequence[Any], Catalog], Planned]


@dataclass(frozen=True, kw_only=True)
class PlanKind:
    """How a kind is planned."""

    module: ClassVar[str] = "plan"

    plan: Callable[[Stated], Planned]
    """Returns the plan, and what of it cannot be built; raises ``PlanError``, ``NoFeasibleInstanceError`` and
    ``UnknownInstanceTypeError``."""
    name: NameLimit
    """The shortest limit of AWS on a name that the plan makes of the workload's."""
    remedies: Callable[[Any], Mapping[str, Remedy]] | None = None
    """Returns, of the configuration, what to change for each filter; None where no instance type is chosen."""
    needs: Callable[[Any, Policy, tuple[Measurement, ...]], Any] | None = None
    """Returns the requirements of the selection, of the configuration with what was measured; None where no instance type is
    chosen, or nothing is estimated of a model."""
    services: Services = lambda _: iter(())
    """Returns the services that the workload or its callers reach from the VPC, whatever it is that makes them."""
    foundation_faults: Callable[[Any, FoundationPlan, Catalog], Iterator[PlanFault]] = bypass_faults
    """Yields what of a plan does not go with its foundation: environment variables that are more than AWS takes, with those that
    are set for the user."""
    served_as: Callable[[Any], ServedAs] | None = None
    """Returns, of a plan, how its model is served, by the tables of what AWS supports; None where it serves none."""
    features: Sequence[Asked[Any]] = ()
    """What somebody may ask of it that AWS does not support everywhere."""
    join: Join | None = None
    """None where nothing of it is planned apart."""
    catalog: Callable[[Any, Catalog], Catalog] = lambda _, catalog: catalog
    """Returns the catalog that the type of a plan is chosen from, of that of SageMaker in its region."""


@dataclass(frozen=True, kw_only=True)
class ModeKind:
    """What an endpoint becomes whose mode is left to the plan, or stated."""

    module: ClassVar[str] = "mode"

    mode: Mode
    stated: Callable[[EndpointNeeds, ModeComparison | None], Workload]
    """Returns the workload as if the configuration had stated its kind."""
    starts: Callable[[EndpointNeeds], bool] = lambda _: True
    """Returns whether the container of an endpoint starts there."""


@dataclass(frozen=True, kw_only=True)
class BillKind:
    """What a month of a kind costs."""

    module: ClassVar[str] = "bill"

    line: Callable[[Any, str], BillLine]
    """Returns a month of the plan in a region."""


def plan_workload(stated: Stated) -> Planned:
    """Return the plan of a workload, and what of it cannot be built; raises what the ``plan`` of its kind does.

    In a cluster, it is planned as the kind that the target makes of it.
    """
    kind: str = stated.workload.kind
    if stated.cluster is not None:
        kind = target_facet(stated.cluster.type, TargetKind).runs[kind].planned_as
    return facet(kind, PlanKind).plan(stated)


def needs_of(workload: Workload, policy: Policy, measurements: tuple[Measurement, ...] = ()) -> Any:
    """Return the requirements of the selection of a workload whose kind has them."""
    needs = facet(workload.kind, PlanKind).needs
    assert needs is not None, f"no model of a {workload.kind} is estimated"
    return needs(workload, policy, measurements)

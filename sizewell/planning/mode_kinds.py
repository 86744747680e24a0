"""What builds each mode: the kind of workload that an endpoint becomes when a mode is taken for it."""

from typing import Any, TypeVar, get_args

from sizewell.config.endpoint import EndpointNeeds
from sizewell.config.workload import Workload
from sizewell.kinds.registry import facet, file_of, kind_names
from sizewell.planning.kind import ModeKind
from sizewell.planning.workload_plan import WorkloadPlan
from sizewell.serving_modes import Mode, ModeComparison

S = TypeVar("S", bound=Workload)


def mode_kinds() -> dict[str, ModeKind]:
    """Return the kinds that an endpoint can become, by name."""
    kinds = (kind for kind in kind_names() if file_of(kind, f"{ModeKind.module}.py").exists())
    return {kind: facet(kind, ModeKind) for kind in kinds}


def stated_in_mode(endpoint: EndpointNeeds, mode: Mode, comparison: ModeComparison | None = None) -> Any:
    """Return the workload that an endpoint is in a mode, as if the configuration had stated its kind."""
    (kind,) = (kind for kind in mode_kinds().values() if kind.mode is mode)
    return kind.stated(endpoint, comparison)


def stated_as_planned(workload: Workload, plan: WorkloadPlan) -> Workload:
    """Return a workload of the configuration as the kind that its plan is of."""
    if not isinstance(workload, EndpointNeeds) or plan.modes is None:
        return workload
    return facet(plan.kind, ModeKind).stated(workload, plan.modes)


def built_modes(endpoint: EndpointNeeds) -> tuple[Mode, ...]:
    """Return the modes that become resources of an endpoint, and so may be taken."""
    return tuple(kind.mode for kind in mode_kinds().values() if kind.starts(endpoint))


def stated_as(config: type[S], endpoint: EndpointNeeds, **changed: Any) -> S:
    """Return what was stated as another kind; not validated again: all of it is, and what is stated remains what is stated."""
    shared = config.model_fields.keys() & type(endpoint).model_fields.keys() - {"kind"}
    kind = get_args(config.model_fields["kind"].annotation)[0]
    values = {name: getattr(endpoint, name) for name in shared} | changed
    fields_set = (endpoint.model_fields_set & shared) | changed.keys()
    built: S = config.model_construct(_fields_set=fields_set, **values | {"kind": kind})  # type: ignore[assignment]
    return built

"""Instance types that meet the needs of a mode, and the cheapest of them."""

from collections.abc import Callable, Iterable

from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.endpoint_selection import select_endpoint_instance
from sizewell.instance_selection.modes.cost_curves import CostCurve
from sizewell.instance_selection.modes.needs import Load
from sizewell.instance_selection.modes.results import ModeMiss
from sizewell.instance_selection.requirements import EndpointRequirements
from sizewell.instance_selection.results import (
    Candidate,
    EndpointEstimate,
    NoFeasibleInstanceError,
    Selection,
)

EndpointSelection = Selection[EndpointEstimate]
EndpointCandidate = Candidate[EndpointEstimate]


def try_select(needs: EndpointRequirements, catalog: Catalog) -> EndpointSelection | ModeMiss:
    """Return the selection, or what the nearest type misses."""
    try:
        return select_endpoint_instance(needs, catalog)
    except NoFeasibleInstanceError as error:
        return no_type_miss(error)


def no_type_miss(error: NoFeasibleInstanceError) -> ModeMiss:
    """Return what the nearest type misses."""
    nearest = error.nearest[0]
    return ModeMiss(
        requirement=nearest.filter,
        reason=f"no instance type will do; the nearest, {nearest.instance_type}: {nearest.reason}",
        shortfall=nearest.shortfall,
    )


def cheapest(
    candidates: Iterable[EndpointCandidate],
    curve: Callable[[EndpointCandidate], CostCurve | None],
    load: Load,
) -> EndpointCandidate | None:
    """Return the candidate with the lowest bill at the stated load; an unknown price is the highest."""

    def order(candidate: EndpointCandidate) -> tuple[bool, float, str]:
        bill = curve(candidate)
        return bill is None, bill.usd(load.requests_per_month) if bill else 0.0, candidate.instance_type

    return min(candidates, key=order, default=None)

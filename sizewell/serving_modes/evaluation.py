"""What the evaluations of all modes share: their result, the prices that are not of instances, and the choice of a type."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sizewell.facts.serving_modes import Mode
from sizewell.instance_selection.catalog import Catalog
from sizewell.instance_selection.catalog.tables import read_rows, record
from sizewell.instance_selection.endpoint_selection import select_endpoint_instance
from sizewell.instance_selection.requirements import EndpointRequirements
from sizewell.instance_selection.results import (
    AnyCandidate,
    Candidate,
    EndpointEstimate,
    NoFeasibleInstanceError,
    Selection,
)
from sizewell.serving_modes.cost_curves import CostCurve, Piece, per_request
from sizewell.serving_modes.needs import ModeNeeds
from sizewell.serving_modes.results import ModeMiss, ModeOption

_TABLE = Path(__file__).with_name("mode_prices.csv")
EndpointSelection = Selection[EndpointEstimate]
EndpointCandidate = Candidate[EndpointEstimate]


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A mode under the needs, before it is set against the real-time pick."""

    option: ModeOption
    """Without its cost and its break-even."""
    curve: CostCurve | None = None
    """None where a price or an estimate is unknown."""
    fleet: CostCurve | None = None
    """The cost of the whole fleet that ``curve`` is a share of; None where nothing is shared."""
    max_requests: float | None = None
    """The requests per month that the mode can carry at all; None: no bound of its own."""
    assumptions: tuple[str, ...] = ()


def missed(mode: Mode, *misses: ModeMiss) -> Evaluation:
    """Return a mode of which nothing can be said but what it misses."""
    return Evaluation(option=ModeOption(mode=mode, misses=misses))


def curve_of(*pieces: tuple[str, Piece | None]) -> CostCurve | None:
    """Return the curve of all pieces; None when the price of one is unknown."""
    known = tuple((name, piece) for name, piece in pieces if piece is not None)
    return CostCurve(known) if len(known) == len(pieces) else None


def usd_per_hour_of(chosen: AnyCandidate, needs: ModeNeeds) -> float | None:
    """Return what an hour of an instance costs, less a Savings Plan; None where the price is not known."""
    listed = chosen.cost.usd_per_hour
    return None if listed is None else listed * (1 - needs.endpoint.savings_plan_discount_pct / 100)


def data_of(mode: Mode, needs: ModeNeeds, region: str) -> tuple[tuple[str, Piece], ...]:
    """Return the data processing of a mode; nothing where payload or price are not known."""
    gb, price = needs.data_gb_per_request, mode_price(region, mode, "usd_per_data_gb")
    return () if gb is None or price is None else (("data", per_request(gb * price.usd)),)


@dataclass(frozen=True, slots=True)
class ModePrice:
    """USD per unit; the unit is in the name of the price. ``as_of`` is None where the source states no date."""

    usd: float
    as_of: str | None
    source: str


@cache
def mode_prices() -> dict[tuple[str, Mode, str], ModePrice]:
    """Return all prices by region, mode and name."""
    return {
        (row["region"], Mode(row["mode"]), row["price"]): record(ModePrice, row) for row in read_rows(_TABLE)
    }


def mode_price(region: str, mode: Mode, name: str) -> ModePrice | None:
    """Return a price; None where it is unknown, which is not zero."""
    return mode_prices().get((region, mode, name))


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

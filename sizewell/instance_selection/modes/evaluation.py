"""The result for one mode."""

from dataclasses import dataclass

from sizewell.facts.serving_modes import Mode
from sizewell.instance_selection.catalog import PriceBasis
from sizewell.instance_selection.modes.cost_curves import CostCurve, PerRequest, Piece
from sizewell.instance_selection.modes.mode_prices import mode_price
from sizewell.instance_selection.modes.needs import ModeNeeds
from sizewell.instance_selection.modes.results import ModeMiss


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A mode under the needs, before it is set against the real-time pick.

    ``curve`` is None where a price or an estimate is unknown.
    """

    mode: Mode
    misses: tuple[ModeMiss, ...] = ()
    runs_on: str | None = None
    p95_latency_ms: float | None = None
    cold_start_s: float | None = None
    curve: CostCurve | None = None
    shared_by: int = 1
    """How many models ``curve`` is shared by."""
    fleet: CostCurve | None = None
    """What all of them pay together; None where nothing is shared."""
    max_requests: float | None = None
    """The requests per month that the mode can carry at all; None: no bound of its own."""
    basis: PriceBasis = PriceBasis.UNKNOWN
    price_date: str | None = None
    conditions: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()


def curve_of(*pieces: tuple[str, Piece | None]) -> CostCurve | None:
    """Return the curve of all pieces; None when the price of one is unknown."""
    known = tuple((name, piece) for name, piece in pieces if piece is not None)
    return CostCurve(known) if len(known) == len(pieces) else None


def data_of(mode: Mode, needs: ModeNeeds, region: str) -> tuple[tuple[str, Piece], ...]:
    """Return the data processing of a mode; nothing where payload or price are not known."""
    gb, price = needs.data_gb_per_request, mode_price(region, mode, "usd_per_data_gb")
    return () if gb is None or price is None else (("data", PerRequest(gb * price.usd)),)

"""The result of a comparison: the cost of each mode, or the first requirement that it misses."""

from sizewell.facts.serving_modes import Mode
from sizewell.instance_selection.catalog import PriceBasis
from sizewell.instance_selection.results import Result


class ModeMiss(Result):
    """A requirement that a mode cannot meet; ``shortfall`` is by how many times, None where it is yes or no."""

    requirement: str
    reason: str
    shortfall: float | None = None


class CostPart(Result):
    """A part of a mode's bill; None is unknown, never zero."""

    name: str
    usd_per_month: float | None


class BreakEven(Result):
    """The load at which a mode and the real-time pick change places, the nearest one to the stated load.

    ``at_step``: not by a crossing of costs, but because the next request needs one more instance.
    """

    requests_per_month: float
    cheaper_below: bool
    """True: the mode costs less than the real-time pick with fewer requests; False: with more."""
    at_step: bool = False


class ModeOption(Result):
    """One mode for one need."""

    mode: Mode
    misses: tuple[ModeMiss, ...]
    """Requirements missed, in the order of asking; empty where the mode will do."""
    runs_on: str | None = None
    """Instance type, or memory of the function."""
    p95_latency_ms: float | None = None
    """Of a warm request at peak; None for modes that answer later."""
    cold_start_s: float | None = None
    """How long the first request of a new worker waits; None where workers always run."""
    usd_per_month: float | None = None
    parts: tuple[CostPart, ...] = ()
    basis: PriceBasis = PriceBasis.UNKNOWN
    price_date: str | None = None
    shared_by: int = 1
    """How many models share the cost, this one included."""
    fleet_usd_per_month: float | None = None
    """The cost of the whole fleet; None where nothing is shared, or a price is unknown."""
    break_even: BreakEven | None = None
    """None where the mode costs less at every load, or more at every load, or a price is unknown."""
    conditions: tuple[str, ...] = ()
    """What the mode asks for or goes without."""

    @property
    def share(self) -> str:
        """What the cost is a share of, in words; empty where it is a whole bill."""
        if self.shared_by < 2 or self.fleet_usd_per_month is None:
            return ""
        return (
            f"the share of one of {self.shared_by:,} models in a fleet of {self.fleet_usd_per_month:,.0f} USD"
        )

    @property
    def eligible(self) -> bool:
        """Whether the mode meets every requirement."""
        return not self.misses


class ModeComparison(Result):
    """All modes for one need, in the order of ``Mode``."""

    requests_per_month: float
    chosen: ModeOption | None
    """The cheapest that meets every requirement, or the one that was asked for; None where it misses any."""
    why: str
    options: tuple[ModeOption, ...]
    assumptions: tuple[str, ...]

    def option(self, mode: Mode) -> ModeOption:
        """Return the option of a mode."""
        return next(option for option in self.options if option.mode is mode)

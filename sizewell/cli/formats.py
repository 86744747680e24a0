"""How numbers and unknowns are written."""

from sizewell.instance_selection import Cost, PriceBasis
from sizewell.instance_selection.latency_bounds import LatencyBound, decisive_bound
from sizewell.instance_selection.results import (
    AnyEstimate,
    EndpointEstimate,
    StatedEstimate,
)
from sizewell.instance_selection.wording import milliseconds
from sizewell.planning.bill_plan import BillLine

UNKNOWN = "unknown"
BASIS_STYLES = {PriceBasis.PUBLISHED: "green", PriceBasis.ESTIMATED: "yellow", PriceBasis.UNKNOWN: "red"}


def usd(value: float | None) -> str:
    """Return dollars without cents from ten dollars on; unknown is a word, not a zero."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if value >= 10 else f"{value:,.2f}"


def hours(value: float) -> str:
    """Return a duration."""
    return f"{value:,.1f} h"


def basis(cost: Cost | BillLine) -> str:
    """Return the basis of a price, coloured by how far it can be trusted."""
    return f"[{BASIS_STYLES[cost.basis]}]{cost.basis}[/]"


def outcome(estimate: AnyEstimate, bound: LatencyBound | None = None) -> str:
    """Return the figure that a requirement was about: that of a bound of latency, by default the decisive one, or hours."""
    if not isinstance(estimate, EndpointEstimate):
        return hours(estimate.duration_hours)
    about = bound or decisive_bound(estimate)
    reached_ms = about.reached_ms(estimate)
    return f"{about.short_name} {UNKNOWN if reached_ms is None else milliseconds(reached_ms)}"


def spread(estimate: AnyEstimate, bound: LatencyBound | None = None) -> str:
    """Return the nominal 90 % range of the outcome; empty where it was measured."""
    if not isinstance(estimate, EndpointEstimate):
        interval = estimate.duration_range_hours
        return f"{interval[0]:,.1f}-{interval[1]:,.1f} h" if interval else ""
    found = (bound or decisive_bound(estimate)).range_ms(estimate)
    if found is None:
        return ""
    low, high = found
    # Both in the unit of the larger one.
    if high >= 1000:
        digits = 1 if high >= 10_000 else 2
        return f"{low / 1000:,.{digits}f}-{high / 1000:,.{digits}f} s"
    digits = 0 if high >= 10 else 1
    return f"{low:,.{digits}f}-{high:,.{digits}f} ms"


def known_by(estimate: AnyEstimate) -> str:
    """Return why an outcome has no range."""
    return "stated" if isinstance(estimate, StatedEstimate) else "measured"


def sureness_words(estimate: AnyEstimate) -> tuple[str, ...]:
    """Return which requirements an estimate may miss by what it leaves open, and of which it says nothing."""
    return (
        *(f"near its limit: {limit}" for limit in estimate.near_limits),
        *(f"not predicted: {limit}" for limit in estimate.not_predicted),
    )


def scaled_words(estimate: AnyEstimate) -> tuple[str, ...]:
    """Return on which types was measured what scales an estimate; empty where nothing was."""
    names = estimate.scaled_by
    return (f"scaled by what was measured on {', '.join(names)}",) if names else ()

"""How numbers and unknowns are written."""

from sizewell.instance_selection import Cost, PriceBasis
from sizewell.instance_selection.results import EndpointEstimate, TrainingEstimate
from sizewell.instance_selection.wording import milliseconds
from sizewell.planning.plan import BillLine

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


def outcome(estimate: EndpointEstimate | TrainingEstimate) -> str:
    """Return the figure that the requirement was about: latency or duration."""
    if isinstance(estimate, EndpointEstimate):
        return f"p95 {milliseconds(estimate.p95_latency_ms)}"
    return hours(estimate.duration_hours)


def spread(estimate: EndpointEstimate | TrainingEstimate) -> str:
    """Return the nominal 90 % range of the outcome; empty where it was measured."""
    if isinstance(estimate, TrainingEstimate):
        interval = estimate.duration_range_hours
        return f"{interval[0]:,.1f}-{interval[1]:,.1f} h" if interval else ""
    if estimate.latency_range_ms is None:
        return ""
    low, high = estimate.latency_range_ms
    # Both in the unit of the larger one.
    if high >= 1000:
        digits = 1 if high >= 10_000 else 2
        return f"{low / 1000:,.{digits}f}-{high / 1000:,.{digits}f} s"
    digits = 0 if high >= 10 else 1
    return f"{low:,.{digits}f}-{high:,.{digits}f} ms"

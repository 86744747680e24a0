"""How numbers and unknowns are written."""

from collections.abc import Callable

from instance_selection import Cost, PriceBasis
from instance_selection.results import EndpointEstimate, TrainingEstimate

UNKNOWN = "unknown"
BASIS_STYLES = {PriceBasis.PUBLISHED: "green", PriceBasis.ESTIMATED: "yellow", PriceBasis.UNKNOWN: "red"}


def usd(value: float | None) -> str:
    """Return dollars without cents from ten dollars on; unknown is a word, not a zero."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if value >= 10 else f"{value:,.2f}"


def milliseconds(value: float) -> str:
    """Return a latency, in seconds from ten seconds on."""
    return (
        f"{value / 1000:,.1f} s"
        if value >= 10_000
        else f"{value:,.0f} ms"
        if value >= 10
        else f"{value:.1f} ms"
    )


def hours(value: float) -> str:
    """Return a duration."""
    return f"{value:,.1f} h"


def basis(cost: Cost) -> str:
    """Return the basis of a price, coloured by how far it can be trusted."""
    return f"[{BASIS_STYLES[cost.basis]}]{cost.basis}[/]"


def outcome(estimate: EndpointEstimate | TrainingEstimate) -> str:
    """Return the figure that the requirement was about: latency or duration."""
    if isinstance(estimate, EndpointEstimate):
        return f"p95 {milliseconds(estimate.p95_latency_ms)}"
    return hours(estimate.duration_hours)


def spread(estimate: EndpointEstimate | TrainingEstimate) -> str:
    """Return between which figures the outcome lies in nine of ten cases; empty where it was measured."""
    if isinstance(estimate, EndpointEstimate):
        return "" if estimate.latency_range_ms is None else _between(*estimate.latency_range_ms, milliseconds)
    return "" if estimate.duration_range_hours is None else _between(*estimate.duration_range_hours, hours)


def _between(low: float, high: float, write: Callable[[float], str]) -> str:
    """Return both ends, with the unit once where they share it."""
    (first, unit), last = write(low).rsplit(" ", 1), write(high)
    return f"{first if last.endswith(f' {unit}') else f'{first} {unit}'}-{last}"

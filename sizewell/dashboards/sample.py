"""Sample data of a series: around what the plan expects, with the hours of the day, and the same each time."""

from hashlib import sha256
from math import cos, tau

from sizewell.dashboards.graph import Graph, Series

#: Values of a graph, whatever time it covers.
POINTS = 96
_BUSIEST_HOUR = 14
#: By how much a value differs from its neighbours at most.
_NOISE = 0.04


def sample_values(series: Series, graph: Graph) -> tuple[float, ...]:
    """Return the values of a series, the oldest first; over several days the hours of the day do not show."""
    swing = series.swing if graph.days == 1 else 0.0
    return tuple(
        series.usual * (1 + swing * _daily(index) + _noise(series, index)) for index in range(POINTS)
    )


def _daily(index: int) -> float:
    hour = 24 * index / (POINTS - 1)
    return cos(tau * (hour - _BUSIEST_HOUR) / 24)


def _noise(series: Series, index: int) -> float:
    if not series.swing:
        return 0.0
    (byte, *_) = sha256(f"{series.label} {index}".encode()).digest()
    return _NOISE * (byte / 127.5 - 1)

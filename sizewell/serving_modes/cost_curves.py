"""The monthly cost as a function of the requests of a month, and the loads at which two such curves cross.

A curve is a sum of pieces. Each piece is linear between its kinks, so crossings are exact. No piece falls while requests rise.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count, pairwise

from sizewell.serving_modes.needs import mean_in_progress, workers_for
from sizewell.serving_modes.results import BreakEven

#: Two costs whose relative difference is below this are the same.
_SAME = 1e-9


def _no_kinks(max_requests: float) -> Iterable[float]:
    return ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a bill."""

    usd: Callable[[float], float]
    """The USD of a month with this number of requests."""
    kinks: Callable[[float], Iterable[float]] = _no_kinks
    """The numbers of requests, up to this one, at which the piece bends or steps."""


def per_request(usd: float) -> Piece:
    """Return a price for each request."""
    return Piece(lambda requests: usd * requests)


def fixed(usd_per_month: float) -> Piece:
    """Return a price that is paid whatever the requests."""
    return Piece(lambda requests: usd_per_month)


def steps(usd_per_unit: float, requests_per_unit: float, min_units: int = 1, share: float = 1.0) -> Piece:
    """Return whole units (instances), each paid for the month; ``share`` is our part of a shared bill."""

    def usd(requests: float) -> float:
        # Rounding must not add a unit, as in the selection.
        units = max(min_units, math.ceil(requests / requests_per_unit - 1e-9))
        return usd_per_unit * units * share

    def filled(max_requests: float) -> Iterator[float]:
        units = min_units
        while units * requests_per_unit <= max_requests:
            yield units * requests_per_unit
            units += 1

    return Piece(usd, filled)


def warm_workers(usd_per_worker: float, in_progress_per_request: float, spread: float) -> Piece:
    """Return workers that are paid for the month; the more there are, the less a peak spreads above its mean.

    ``in_progress_per_request`` is the mean number of requests in progress at peak, for each request of the month.
    """

    def usd(requests: float) -> float:
        workers = workers_for(requests * in_progress_per_request, spread)
        return usd_per_worker * max(1, math.ceil(workers - 1e-9))

    def filled(max_requests: float) -> Iterator[float]:
        for workers in count(1):
            full = mean_in_progress(workers, spread) / in_progress_per_request
            if full > max_requests:
                return
            yield full

    return Piece(usd, filled)


def waking_fleet(
    usd_per_hour: float,
    hours_per_request: float,
    hours_per_wake: float,
    active_hours: float,
    min_hours: float = 0.0,
) -> Piece:
    """Return instances that a request wakes and that sleep again after a while without any.

    At most one wake per request, at most all active hours: an upper bound of the time awake.
    """

    def usd(requests: float) -> float:
        awake = min(active_hours, requests * hours_per_wake)
        return usd_per_hour * max(min_hours, awake, requests * hours_per_request)

    def another_bound(max_requests: float) -> Iterator[float]:
        for hours in (min_hours, active_hours):
            for each in (hours_per_wake, hours_per_request):
                if each and hours / each <= max_requests:
                    yield hours / each

    return Piece(usd, another_bound)


def jobs(usd_per_hour: float, hours_per_request: float, hours_per_start: float, most: float) -> Piece:
    """Return jobs that each pay for their start, and for the work of their requests; no job without a request."""

    def usd(requests: float) -> float:
        starts = min(most, requests)
        return usd_per_hour * (starts * hours_per_start + requests * hours_per_request)

    return Piece(usd, lambda max_requests: (most,) if most <= max_requests else ())


@dataclass(frozen=True, slots=True)
class CostCurve:
    """The bill of a mode: named pieces."""

    pieces: tuple[tuple[str, Piece], ...]

    def usd(self, requests: float) -> float:
        """Return the USD of a month with this number of requests."""
        return sum(piece.usd(requests) for _, piece in self.pieces)

    def kinks(self, max_requests: float) -> Iterator[float]:
        """Yield the numbers of requests, up to ``max_requests``, at which the curve bends or steps."""
        for _, piece in self.pieces:
            yield from piece.kinks(max_requests)


def crossings(curve: CostCurve, other: CostCurve, max_requests: float) -> Iterator[BreakEven]:
    """Yield where ``curve`` and ``other`` change places between no requests and ``max_requests``, in order.

    Both cost the same there, but where one of them steps over the other: the next request needs one more instance.
    """
    kinks = {*curve.kinks(max_requests), *other.kinks(max_requests)}
    points = sorted({0.0, max_requests, *(kink for kink in kinks if 0 < kink < max_requests)})
    before, left_end = 0, 0.0
    for left, right in pairwise(points):
        start, end = _ends(curve, other, left, right)
        tolerance = _SAME * max(abs(other.usd(right)), abs(curve.usd(right)))
        first, last = _sign(start, tolerance), _sign(end, tolerance)
        if before and (first or last) == -before:
            at_step = abs(start) > tolerance and abs(left_end) > tolerance
            yield BreakEven(requests_per_month=left, cheaper_below=before < 0, at_step=at_step)
        if first and last == -first:
            crossing = left + (right - left) * start / (start - end)
            yield BreakEven(requests_per_month=crossing, cheaper_below=first < 0)
        before, left_end = last or first or before, end


def _ends(curve: CostCurve, other: CostCurve, left: float, right: float) -> tuple[float, float]:
    """Return the difference just right of ``left`` and just left of ``right``, on the line between them."""
    third = (right - left) / 3
    at_one = curve.usd(left + third) - other.usd(left + third)
    at_two = curve.usd(right - third) - other.usd(right - third)
    return 2 * at_one - at_two, 2 * at_two - at_one


def _sign(value: float, tolerance: float) -> int:
    return 0 if abs(value) <= tolerance else 1 if value > 0 else -1

"""The monthly cost as a function of the requests of a month, and the loads at which two such curves cross.

A curve is a sum of pieces. Each piece is linear between its kinks, so crossings are exact. No piece falls while requests rise.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Protocol

from sizewell.instance_selection.modes.needs import mean_in_progress, workers_for
from sizewell.instance_selection.modes.results import BreakEven

#: Two costs whose relative difference is below this are the same.
_SAME = 1e-9


class Piece(Protocol):
    """A part of a bill."""

    def usd(self, requests: float) -> float:
        """Return the USD of a month with this number of requests."""
        ...

    def kinks(self, max_requests: float) -> Iterator[float]:
        """Yield the numbers of requests, up to ``max_requests``, at which the piece bends or steps."""
        ...


@dataclass(frozen=True, slots=True)
class PerRequest:
    """A price for each request."""

    usd_per_request: float

    def usd(self, requests: float) -> float:
        """Return the USD of a month."""
        return self.usd_per_request * requests

    def kinks(self, max_requests: float) -> Iterator[float]:
        """Yield nothing: it is a line."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Fixed:
    """A price that is paid whatever the requests."""

    usd_per_month: float

    def usd(self, requests: float) -> float:
        """Return the USD of a month."""
        return self.usd_per_month

    def kinks(self, max_requests: float) -> Iterator[float]:
        """Yield nothing: it is a line."""
        return iter(())


@dataclass(frozen=True, slots=True)
class Steps:
    """Whole units (instances, warm slots), each paid for the month; ``share`` is our part of a shared bill."""

    usd_per_unit: float
    requests_per_unit: float
    min_units: int = 1
    share: float = 1.0

    def usd(self, requests: float) -> float:
        """Return the USD of a month."""
        # Rounding must not add a unit, as in the selection.
        units = max(self.min_units, math.ceil(requests / self.requests_per_unit - 1e-9))
        return self.usd_per_unit * units * self.share

    def kinks(self, max_requests: float) -> Iterator[float]:
        """Yield the loads that fill the units."""
        units = self.min_units
        while units * self.requests_per_unit <= max_requests:
            yield units * self.requests_per_unit
            units += 1


@dataclass(frozen=True, slots=True)
class WarmWorkers:
    """Workers that are paid for the month; the more there are, the less a peak spreads above its mean."""

    usd_per_worker: float
    in_progress_per_request: float
    """The mean number of requests in progress at peak, for each request of the month."""
    spread: float

    def usd(self, requests: float) -> float:
        """Return the USD of a month."""
        workers = workers_for(requests * self.in_progress_per_request, self.spread)
        return self.usd_per_worker * max(1, math.ceil(workers - 1e-9))

    def kinks(self, max_requests: float) -> Iterator[float]:
        """Yield the loads that fill the workers."""
        for workers in count(1):
            full = mean_in_progress(workers, self.spread) / self.in_progress_per_request
            if full > max_requests:
                return
            yield full


@dataclass(frozen=True, slots=True)
class WakingFleet:
    """Instances that a request wakes and that sleep again after a while without any.

    At most one wake per request, at most all active hours: an upper bound of the time awake.
    """

    usd_per_hour: float
    hours_per_request: float
    hours_per_wake: float
    active_hours: float
    min_hours: float = 0.0

    def usd(self, requests: float) -> float:
        """Return the USD of a month."""
        awake = min(self.active_hours, requests * self.hours_per_wake)
        return self.usd_per_hour * max(self.min_hours, awake, requests * self.hours_per_request)

    def kinks(self, max_requests: float) -> Iterator[float]:
        """Yield the loads at which another of the four bounds counts."""
        for hours in (self.min_hours, self.active_hours):
            for each in (self.hours_per_wake, self.hours_per_request):
                if each and hours / each <= max_requests:
                    yield hours / each


@dataclass(frozen=True, slots=True)
class Jobs:
    """Jobs that each pay for their start, and for the work of their requests; no job without a request."""

    usd_per_hour: float
    hours_per_request: float
    hours_per_start: float
    jobs: float

    def usd(self, requests: float) -> float:
        """Return the USD of a month."""
        starts = min(self.jobs, requests)
        return self.usd_per_hour * (starts * self.hours_per_start + requests * self.hours_per_request)

    def kinks(self, max_requests: float) -> Iterator[float]:
        """Yield the load from which every job has a request."""
        if self.jobs <= max_requests:
            yield self.jobs


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

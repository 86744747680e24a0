"""Where two cost curves cross: solved exactly between the kinks, where both are straight lines."""

from collections.abc import Iterator
from itertools import pairwise

from sizewell.instance_selection.modes.cost_curves import CostCurve
from sizewell.instance_selection.modes.results import BreakEven

#: Relative difference of two costs that are the same.
_SAME = 1e-9


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

"""Axes of charts, in percent of the drawing, whatever its size."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil, floor, log10

#: Largest over smallest value from which an axis is logarithmic.
LOGARITHMIC_FROM = 15.0
#: Free space beyond the outermost values: a share of a linear axis, a factor on a logarithmic one.
LINEAR_ROOM = 0.08
LOGARITHMIC_ROOM = 1.25
#: Values below this count as zero: no price and no time is that small.
SMALLEST = 1e-9
#: Decades above which only powers of ten are marked.
MANY_DECADES = 3.2


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis: its place in percent from the low end, and what it says."""

    percent: float
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    """The values from ``low`` to ``high`` on a line from 0 to 100 percent."""

    low: float
    high: float
    logarithmic: bool

    def percent(self, value: float) -> float:
        """Return the place of a value, with two decimals: enough for a pixel, and the same on every machine."""
        if self.logarithmic:
            return round(100 * log10(value / self.low) / log10(self.high / self.low), 2)
        return round(100 * (value - self.low) / (self.high - self.low), 2)

    def ticks(self, write: Callable[[float], str]) -> tuple[Tick, ...]:
        """Return marks at round values."""
        return tuple(Tick(self.percent(value), write(value)) for value in self._round_values())

    def _round_values(self) -> list[float]:
        if not self.logarithmic:
            step = _round_step((self.high - self.low) / 5)
            return [i * step for i in range(ceil(self.low / step), floor(self.high / step) + 1)]
        digits = (1, 2, 5) if log10(self.high / self.low) <= MANY_DECADES else (1,)
        powers = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        values = (digit * 10.0**power for power in powers for digit in digits)
        return [value for value in values if self.low <= value <= self.high]


def axis_over(values: Iterable[float]) -> Axis:
    """Return an axis that holds all values with room to spare: from zero, or logarithmic where they are far apart."""
    found = [value if value >= SMALLEST else 0.0 for value in values]
    low, high = min(found), max(found)
    if low > 0 and high / low >= LOGARITHMIC_FROM:
        return Axis(low / LOGARITHMIC_ROOM, high * LOGARITHMIC_ROOM, logarithmic=True)
    return axis_from_zero(found)


def axis_from_zero(values: Iterable[float]) -> Axis:
    """Return a linear axis from zero that holds all values with room to spare, and where there are none, 1."""
    return Axis(0.0, max(values, default=0.0) * (1 + LINEAR_ROOM) or 1.0, logarithmic=False)


def short_number(value: float) -> str:
    """Return a round number in few letters: 2k, 1.5M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _round_step(step: float) -> float:
    power = 10.0 ** floor(log10(step))
    return next((digit * power for digit in (1, 2, 5) if digit * power >= step * (1 - 1e-9)), 10 * power)

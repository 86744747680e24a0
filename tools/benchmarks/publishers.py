"""Averages in which each publisher counts the same, however many rows it has."""

from collections.abc import Iterable
from statistics import fmean


def mean_over_publishers(values: Iterable[tuple[str, float]]) -> float | None:
    """Return the mean of the means of the publishers, which each value comes with; None of nothing."""
    of_publisher = _by_publisher(values)
    return fmean(map(fmean, of_publisher.values())) if of_publisher else None


def median_over_publishers(values: Iterable[tuple[str, float]]) -> float | None:
    """Return the median of the values, each publisher weighing the same; None of nothing."""
    of_publisher = _by_publisher(values)
    weighted = sorted((value, 1 / len(them)) for them in of_publisher.values() for value in them)
    reached = 0.0
    for value, weight in weighted:
        reached += weight
        if reached >= len(of_publisher) / 2:
            return value
    return None


def _by_publisher(values: Iterable[tuple[str, float]]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for publisher, value in values:
        found.setdefault(publisher, []).append(value)
    return found

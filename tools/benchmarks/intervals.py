"""Nominal 90 % intervals from the predictions of publishers that were left out; the table that ships with the package."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sizewell.instance_selection.estimation.uncertainty import (
    ANY,
    NOMINAL,
    TABLE,
    RangeKey,
    Spread,
    Spreads,
    interval_factors,
    widening,
)
from tools.benchmarks.predictions import FITS_MEMORY, Prediction, Together
from tools.benchmarks.tables import write_table

#: A class of fewer publishers says nothing of one that it has not seen.
MIN_PUBLISHERS = 2
#: From so many publishers on, a class may be narrower than everything, and a group than its class: a few may happen to agree.
ENOUGH_PUBLISHERS = 7
#: The highest quantile of the deviations that is taken: of a larger one, a single publisher would decide.
MAX_QUANTILE = 0.95
#: A publisher with fewer rows in a class is an anecdote.
MIN_ROWS_OF_PUBLISHER = 3
#: The least half of an interval: tables of the same chip, precision and tuned engine differ by up to a fifth.
MIN_LOG_HALF_WIDTH = math.log(1.2)
_EVERYTHING = (ANY, "")
#: Offers do not matter for a prediction, but a catalog is of a region.
REGION = "us-east-1"


def spreads_of(predictions: Sequence[Prediction]) -> Spreads:
    """Return the spread of each class of left-out predictions, and of its groups where enough publishers measured each.

    Every publisher counts the same, however many rows. Tuned records stay out: they say what a maker reaches once, not what
    to expect.
    """
    members: dict[RangeKey, list[Prediction]] = {}
    for row in predictions:
        if row.log_ratio is not None and row.size_is_stated and not row.tuned_record:
            for key in {(row.estimate_class, row.range_group), (row.estimate_class, ""), _EVERYTHING}:
                members.setdefault(key, []).append(row)
    found = {key: _spread(rows) for key, rows in sorted(members.items())}
    undivided = {
        name for (name, group), spread in found.items() if group and spread.publishers < ENOUGH_PUBLISHERS
    }
    kept: dict[RangeKey, Spread] = {}
    for (name, group), spread in found.items():
        if group and name in undivided:
            continue
        if spread.publishers >= MIN_PUBLISHERS or name == ANY:
            kept[name, group] = _no_narrower_than_everything(spread, found[_EVERYTHING])
    return kept


def _no_narrower_than_everything(spread: Spread, everything: Spread) -> Spread:
    if spread.publishers >= ENOUGH_PUBLISHERS:
        return spread
    return replace(spread, log_half_width=max(spread.log_half_width, everything.log_half_width))


def _spread(predictions: Sequence[Prediction]) -> Spread:
    rows_of = Counter(row.publisher for row in predictions)
    if any(rows >= MIN_ROWS_OF_PUBLISHER for rows in rows_of.values()):
        predictions = [row for row in predictions if rows_of[row.publisher] >= MIN_ROWS_OF_PUBLISHER]
    deviations = np.array([abs(row.log_ratio or 0.0) for row in predictions])
    deviations /= widening(np.array([row.unseen_log_sd for row in predictions]))
    weights = np.array([row.trust / rows_of[row.publisher] for row in predictions])
    order = np.argsort(deviations, kind="stable")
    reached = np.cumsum(weights[order]) - 0.5 * weights[order]
    publishers = len({row.publisher for row in predictions})
    # What is to hold nine tenths of the next publisher's results must hold somewhat more of those of the n that are known
    # (split conformal prediction: Lei et al. 2018, Distribution-Free Predictive Inference for Regression, section 2.2).
    quantile = min(NOMINAL * (publishers + 1) / publishers, MAX_QUANTILE)
    half = float(np.interp(quantile, reached / weights.sum(), deviations[order]))
    return Spread(max(half, MIN_LOG_HALF_WIDTH), len(predictions), publishers)


def with_intervals(
    predictions: Sequence[Prediction], *, together: Together | None = None
) -> list[Prediction]:
    """Return the predictions with their intervals, from the shipped table or from those that do not leave ``together``."""
    tables: dict[str, Spreads | None] = {}
    if together is not None:
        for name in {together(row.source) for row in predictions}:
            tables[name] = spreads_of([row for row in predictions if together(row.source) != name])
    return [_with_interval(row, tables[together(row.source)] if together else None) for row in predictions]


def _with_interval(row: Prediction, table: Spreads | None) -> Prediction:
    # A yes or a no has no interval.
    if row.predicted is None or row.metric == FITS_MEMORY:
        return row
    (low,), (high,) = interval_factors(
        ((row.estimate_class, row.range_group),), np.array([row.unseen_log_sd]), table
    )
    return replace(row, low=row.predicted * float(low), high=row.predicted * float(high))


def write_uncertainty(predictions: Sequence[Prediction], path: Path = TABLE) -> None:
    """Write what the deviations of left-out predictions say of each class and group."""
    lines = [
        (*key, f"{spread.log_half_width:.3f}", spread.rows, spread.publishers)
        for key, spread in spreads_of(predictions).items()
    ]
    write_table(path, ("class", "group", "log_half_width", "rows", "publishers"), lines)

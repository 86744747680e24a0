"""Nominal 90 % intervals from the left-out predictions of other sources; the table that ships with the package."""

import csv
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation.uncertainty import (
    ANY,
    NOMINAL,
    TABLE,
    Class,
    Spread,
    Spreads,
    classes_of,
    log_half_width,
    widening,
)
from tools.benchmarks.calibration import DOUBTFUL
from tools.benchmarks.completion import read_table
from tools.benchmarks.predictions import FITS_MEMORY, Prediction, Progress, predict_rows

#: A class with fewer rows or sources says nothing of a source that it has not seen.
MIN_ROWS, MIN_SOURCES = 20, 2
#: From so many sources on, a class may be narrower than the wider one that it belongs to.
ENOUGH_SOURCES = 5
#: A source with fewer rows is an anecdote.
MIN_ROWS_OF_SOURCE = 3
#: The least half of an interval: tables of the same chip, precision and tuned engine differ by up to a fifth.
MIN_LOG_HALF_WIDTH = math.log(1.2)
#: Offers do not matter for a prediction, but a catalog is of a region.
REGION = "us-east-1"


def spreads_of(predictions: Sequence[Prediction]) -> Spreads:
    """Return the spread of each class of left-out predictions; every source counts the same, however many rows.

    Tuned records stay out: they say what a maker reaches once, not what to expect.
    """
    members: dict[Class, list[Prediction]] = {}
    for one in predictions:
        if one.log_ratio is not None and not one.tuned_record:
            for key in classes_of(one.physics, one.kind, one.architecture):
                members.setdefault(key, []).append(one)
    found = {
        key: _spread(ones)
        for key, ones in sorted(members.items())
        if len(ones) >= MIN_ROWS and _sources(ones) >= MIN_SOURCES
    }
    return {key: _no_narrower_than_wider_class(key, found) for key in found}


def _no_narrower_than_wider_class(key: Class, found: Spreads) -> Spread:
    """Return the spread of a class; few sources that happen to agree do not make it surer than its wider class."""
    own = found[key]
    if own.sources >= ENOUGH_SOURCES:
        return own
    wider = [found[other] for other in classes_of(*key)[1:] if other in found and other != key]
    if not wider or wider[0].log_half_width <= own.log_half_width:
        return own
    return replace(own, log_half_width=wider[0].log_half_width)


def _sources(predictions: Sequence[Prediction]) -> int:
    counts = Counter(one.source for one in predictions)
    return sum(rows >= MIN_ROWS_OF_SOURCE for rows in counts.values())


def _spread(predictions: Sequence[Prediction]) -> Spread:
    rows_of = Counter(one.source for one in predictions)
    deviations = np.array([abs(one.log_ratio or 0.0) for one in predictions])
    deviations /= widening(np.array([one.unseen_log_sd for one in predictions]))
    weights = np.array([_trust(one) / rows_of[one.source] for one in predictions])
    order = np.argsort(deviations, kind="stable")
    reached = np.cumsum(weights[order]) - 0.5 * weights[order]
    half = float(np.interp(NOMINAL, reached / weights.sum(), deviations[order]))
    return Spread(max(half, MIN_LOG_HALF_WIDTH), len(predictions), len(rows_of))


def _trust(one: Prediction) -> float:
    return math.prod(
        weight
        for source, what, weight in DOUBTFUL
        if one.source == source and what in ("", one.metric, one.kind)
    )


def with_intervals(
    predictions: Sequence[Prediction], *, leave_one_source_out: bool = False
) -> list[Prediction]:
    """Return the predictions with their intervals, from the shipped table or from those of all other sources."""
    tables: dict[str, Spreads | None] = {}
    for source in {one.source for one in predictions}:
        others = [one for one in predictions if one.source != source]
        tables[source] = spreads_of(others) if leave_one_source_out else None
    return [_with_interval(one, tables[one.source]) for one in predictions]


def _with_interval(one: Prediction, table: Spreads | None) -> Prediction:
    # A yes or a no has no interval.
    if one.predicted is None or one.metric == FITS_MEMORY:
        return one
    factor = math.exp(
        float(log_half_width(one.physics, one.kind, one.architecture, one.unseen_log_sd, table))
    )
    return replace(one, low=one.predicted / factor, high=one.predicted * factor)


def write_uncertainty(measurements: Path, path: Path = TABLE, progress: Progress = lambda _: None) -> None:
    """Predict every source of a file of measurements by all others, and write what the deviations say."""
    rows = read_table(measurements)
    predictions = predict_rows(rows, load_catalog(REGION), fit_rows=rows, progress=progress)
    temporary = path.with_suffix(".new")
    with temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["physics", "kind", "architecture", "log_half_width", "rows", "sources"])
        for key, spread in sorted(
            spreads_of(predictions).items(), key=lambda item: [part.replace(ANY, "~") for part in item[0]]
        ):
            writer.writerow([*key, f"{spread.log_half_width:.3f}", spread.rows, spread.sources])
    temporary.replace(path)

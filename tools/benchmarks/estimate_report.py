"""The accuracy of predictions by source, metric, accelerator and group, as plain data and as tables."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from rich.table import Table

from sizewell.instance_selection.estimation.uncertainty import NOMINAL
from tools.benchmarks.predictions import FITS_MEMORY, Prediction

#: A tuned record is beaten by more than this share of its value: no user can expect that.
RECORD_MARGIN = 0.10
#: Metrics of which less is better; of all others more is.
LESS_IS_BETTER = ("latency_", "ttft_ms", "itl_ms", "ms_per_token_all", "train_time_s", "cost_", "peak_mem_mb")
_DIGITS = 4

Statistics = dict[str, float | int | None]

#: The columns of each table by their headings.
SOURCES_ALIKE = {
    "sources": "sources", "publishers": "publishers", "predicted": "predicted_share",
    "median error %": "median_error_percent", "within 2x": "within_2x",
}  # fmt: skip
ACCURACY = {
    "rows": "rows", "predicted": "predicted", "median error %": "median_error_percent", "90th pct factor": "p90_factor",
    "within 2x": "within_2x", "bias": "bias",
}  # fmt: skip
FITS = {
    "rows": "rows", "predicted": "predicted", "right": "right_share",
    "infeasible called feasible": "infeasible_called_feasible", "feasible called infeasible": "feasible_called_infeasible",
}  # fmt: skip
INSIDE = {
    "rows": "rows", "publishers": "publishers", "inside": "inside", "inside, by sources": "inside_by_sources",
    "median high / low": "median_width",
}  # fmt: skip
BEATEN = {"rows": "rows", "beaten": "beaten", "share": "beaten_share"}


def less_is_better(metric: str) -> bool:
    """Return whether a smaller value of a metric is the better one."""
    return metric.startswith(LESS_IS_BETTER)


def to_json(predictions: Sequence[Prediction], *, left_out: str | None) -> dict[str, Any]:
    """Return everything that is known of the predictions; ratios and shares are None where nothing is to divide.

    ``left_out`` says what a fit did not see of the row that it predicts: its ``publisher``, its ``source``, or nothing.
    """
    scored = [row for row in predictions if is_scored(row)]
    return {
        "left_out": left_out,
        "rows": len(predictions),
        "predicted": sum(row.predicted is not None for row in predictions),
        "by_sources_alike": sources_alike(scored),
        "total": accuracy(scored),
        "by_group": _by(scored, lambda row: row.metric_class, accuracy),
        "by_source": _by(scored, lambda row: row.source or "(empty)", accuracy),
        "by_metric": _by(scored, lambda row: row.metric or "(empty)", accuracy),
        "by_accelerator": _by(scored, lambda row: row.accelerator or "(empty)", accuracy),
        "fits_memory": {
            "total": memory_fit([row for row in predictions if row.metric == FITS_MEMORY]),
            "by_source": _by(
                (row for row in predictions if row.metric == FITS_MEMORY),
                lambda row: row.source or "(empty)",
                memory_fit,
            ),
        },
        "intervals": {
            "nominal": NOMINAL,
            "total": coverage(scored),
            "by_class": _by((row for row in scored if row.physics), lambda row: row.interval_class, coverage),
            "by_source": _by(scored, lambda row: row.source or "(empty)", coverage),
        },
        "tuned_records": {
            "total": records([row for row in scored if row.tuned_record]),
            "by_metric": _by((row for row in scored if row.tuned_record), lambda row: row.metric, records),
        },
        "not_predicted": reasons(predictions),
    }


def is_scored(row: Prediction) -> bool:
    """Return whether a row has a measured quantity to compare with, be it predicted or not."""
    return row.metric != FITS_MEMORY and row.size_is_stated and row.measured is not None and row.measured > 0


def sources_alike(predictions: Sequence[Prediction]) -> Statistics:
    """Return the error of predictions, each source counting the same: four of them hold half of the rows."""
    rows_of = Counter(row.source for row in predictions)
    predicted = [row for row in predictions if row.log_ratio is not None]
    logs = np.array([row.log_ratio for row in predicted])
    weights = np.array([1 / rows_of[row.source] for row in predicted])
    errors = np.abs(np.exp(-logs) - 1)
    order = np.argsort(errors, kind="stable")
    half = np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)
    within = float(weights[np.abs(logs) <= math.log(2.0)].sum())
    return {
        "sources": len(rows_of),
        "publishers": len({row.publisher for row in predictions}),
        "predicted_share": _share(len(predicted), len(predictions)),
        "median_error_percent": _round(100 * errors[order][half]) if len(predicted) else None,
        "within_2x": _share(within, len(rows_of)),
    }


def accuracy(predictions: Sequence[Prediction]) -> Statistics:
    """Return the error of predictions; a row that is not predicted is a miss in the share within a factor of two."""
    logs = np.array([row.log_ratio for row in predictions if row.log_ratio is not None])
    return {
        "rows": len(predictions),
        "predicted": len(logs),
        "median_error_percent": _round(100 * np.median(np.abs(np.exp(-logs) - 1))) if len(logs) else None,
        "p90_factor": _round(np.exp(np.quantile(np.abs(logs), 0.9))) if len(logs) else None,
        "within_2x": _share(np.sum(np.abs(logs) <= math.log(2.0)), len(predictions)),
        "bias": _round(np.exp(np.median(-logs))) if len(logs) else None,
    }


def memory_fit(predictions: Sequence[Prediction]) -> Statistics:
    """Return how often it was right that a model fits, and the dangerous error: an infeasible row called feasible."""
    known = [row for row in predictions if row.measured is not None]
    answers = [
        (row.predicted >= 0.5, row.measured >= 0.5)
        for row in predictions
        if row.measured is not None and row.predicted is not None
    ]
    return {
        "rows": len(known),
        "predicted": len(answers),
        "right": sum(said == was for said, was in answers),
        "right_share": _share(sum(said == was for said, was in answers), len(known)),
        "infeasible_called_feasible": sum(said and not was for said, was in answers),
        "feasible_called_infeasible": sum(was and not said for said, was in answers),
    }


def coverage(predictions: Sequence[Prediction]) -> Statistics:
    """Return the share of measured values inside of the intervals, and the median of high over low.

    ``inside_by_sources`` is the mean of the shares of the sources.
    """
    found = [
        (row.source, row.low <= row.measured <= row.high, row.high / row.low)
        for row in predictions
        if row.low and row.high and row.measured is not None
    ]
    rows_of = Counter(source for source, _, _ in found)
    return {
        "rows": len(found),
        "publishers": len({row.publisher for row in predictions}),
        "inside": _share(sum(inside for _, inside, _ in found), len(found)),
        "inside_by_sources": _share(
            sum(inside / rows_of[source] for source, inside, _ in found), len(rows_of)
        ),
        "median_width": _round(np.median([width for _, _, width in found])) if found else None,
    }


def records(predictions: Sequence[Prediction]) -> Statistics:
    """Return how many predictions are better than a tuned record by more than a tenth of it."""
    predicted = [row for row in predictions if row.log_ratio is not None]
    beaten = sum(_beats(row) for row in predicted)
    return {"rows": len(predicted), "beaten": beaten, "beaten_share": _share(beaten, len(predicted))}


def _beats(row: Prediction) -> bool:
    assert row.predicted is not None
    assert row.measured is not None
    ratio = row.measured / row.predicted if less_is_better(row.metric) else row.predicted / row.measured
    return ratio > 1 + RECORD_MARGIN


def reasons(predictions: Iterable[Prediction]) -> list[dict[str, Any]]:
    """Return why rows are not predicted, the most frequent reason first."""
    counts = Counter(row.reason for row in predictions if row.predicted is None)
    return [
        {"reason": reason, "rows": rows}
        for reason, rows in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def _by(
    predictions: Iterable[Prediction],
    key: Callable[[Prediction], str],
    statistics: Callable[[Sequence[Prediction]], Statistics],
) -> dict[str, Statistics]:
    members: dict[str, list[Prediction]] = {}
    for row in predictions:
        members.setdefault(key(row), []).append(row)
    return {name: statistics(members[name]) for name in sorted(members)}


def _share(part: float, whole: int) -> float | None:
    return _round(part / whole) if whole else None


def _round(value: float) -> float:
    return round(float(value), _DIGITS)


def to_tables(report: dict[str, Any]) -> list[Table]:
    """Return the tables of a report made by `to_json`, the most general first."""
    left_out = f"by the other {report['left_out']}s" if report["left_out"] else "by the shipped coefficients"
    memory, intervals, tuned = report["fits_memory"], report["intervals"], report["tuned_records"]
    inside = f"Inside of the nominal {intervals['nominal']:.0%} interval"
    beaten = f"Tuned records beaten by more than {RECORD_MARGIN:.0%}"
    tables = [
        _table(
            f"Predicted {left_out}, each source counting alike",
            "",
            {"all": report["by_sources_alike"]},
            SOURCES_ALIKE,
        ),
        _table(
            f"Predicted {left_out}, each row counting alike",
            "group",
            {"all": report["total"]} | report["by_group"],
            ACCURACY,
        ),
        *(
            _table(f"By {part}", part, report[f"by_{part}"], ACCURACY)
            for part in ("source", "metric", "accelerator")
            if report[f"by_{part}"]
        ),
        *(
            _table(title, heading, {"all": found["total"]} | found[f"by_{heading}"], columns)
            for title, heading, found, columns in (
                ("Fits in memory", "source", memory, FITS),
                (inside, "class", intervals, INSIDE),
                (beaten, "metric", tuned, BEATEN),
            )
            if found["total"]["rows"]
        ),
    ]
    return [*tables, *reason_tables(report)]


def reason_tables(report: dict[str, Any]) -> list[Table]:
    """Return the table of the rows that are not predicted, none where there is none."""
    if not report["not_predicted"]:
        return []
    table = Table(title="Not predicted", title_justify="left")
    table.add_column("rows", justify="right")
    table.add_column("reason", overflow="fold")
    for row in report["not_predicted"]:
        table.add_row(str(row["rows"]), row["reason"])
    return [table]


def _table(title: str, heading: str, rows: dict[str, Statistics], columns: dict[str, str]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(heading, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for name, statistics in rows.items():
        table.add_row(name, *(_cell(key, statistics[key]) for key in columns.values()))
    return table


def _cell(key: str, value: float | int | None) -> str:
    if value is None:
        return "-"
    if key in ("inside", "inside_by_sources", "predicted_share", "within_2x", "right_share", "beaten_share"):
        return f"{value:.1%}"
    if isinstance(value, int):
        return str(value)
    return f"{value:.1f}" if key == "median_error_percent" else f"{value:.2f}"

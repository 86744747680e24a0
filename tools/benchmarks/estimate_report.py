"""The accuracy of predictions by source, metric, accelerator and group, as plain data and as tables."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from rich.table import Table

from tools.benchmarks.predictions import FITS_MEMORY, Prediction
from tools.benchmarks.publishers import mean_over_publishers, median_over_publishers

#: A tuned record is beaten by more than this share of its value: no user can expect that.
RECORD_MARGIN = 0.10
#: Metrics of which less is better; of all others more is.
LESS_IS_BETTER = ("latency_", "ttft_ms", "itl_ms", "ms_per_token_all", "train_time_s", "cost_", "peak_mem_mb")
_DIGITS = 4

Statistics = dict[str, float | int | None]

#: The columns of each table by their headings.
PUBLISHERS_ALIKE = {
    "rows": "rows", "publishers": "publishers", "predicted": "predicted_share", "median error %": "median_error_percent",
    "within 2x": "within_2x", "bias": "bias", "in range": "inside", "high / low": "median_width",
}  # fmt: skip
ACCURACY = {
    "rows": "rows", "predicted": "predicted", "median error %": "median_error_percent", "90th pct factor": "p90_factor",
    "within 2x": "within_2x", "bias": "bias",
}  # fmt: skip
FITS = {
    "rows": "rows", "predicted": "predicted", "right": "right_share",
    "infeasible called feasible": "infeasible_called_feasible", "feasible called infeasible": "feasible_called_infeasible",
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
        "by_publishers_alike": publishers_alike(scored),
        "by_class": _by(
            (row for row in scored if row.physics), lambda row: row.estimate_class, publishers_alike
        ),
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
        "tuned_records": {
            "total": records([row for row in scored if row.tuned_record]),
            "by_metric": _by((row for row in scored if row.tuned_record), lambda row: row.metric, records),
        },
        "not_predicted": reasons(predictions),
    }


def is_scored(row: Prediction) -> bool:
    """Return whether a row has a measured quantity to compare with, be it predicted or not."""
    return row.metric != FITS_MEMORY and row.size_is_stated and row.measured is not None and row.measured > 0


def publishers_alike(predictions: Sequence[Prediction]) -> Statistics:
    """Return error and ranges, each publisher counting the same; a row that is not predicted is a miss."""
    scored = [(row.publisher, row, row.log_ratio) for row in predictions]
    logs = [(who, log) for who, _, log in scored if log is not None]
    ranges = [(who, row.low, row.high, row.measured or 0.0) for who, row, _ in scored if row.low and row.high]
    error = median_over_publishers((who, abs(math.exp(-log) - 1)) for who, log in logs)
    bias = median_over_publishers((who, -log) for who, log in logs)
    width = median_over_publishers((who, high / low) for who, low, high, _ in ranges)
    within = mean_over_publishers(
        (who, log is not None and abs(log) <= math.log(2.0)) for who, _, log in scored
    )
    inside = mean_over_publishers((who, low <= measured <= high) for who, low, high, measured in ranges)
    return {
        "rows": len(predictions),
        "publishers": len({who for who, _, _ in scored}),
        "predicted_share": _share(len(logs), len(predictions)),
        "median_error_percent": None if error is None else _round(100 * error),
        "within_2x": None if within is None else _round(within),
        "bias": None if bias is None else _round(math.exp(bias)),
        "inside": None if inside is None else _round(inside),
        "median_width": None if width is None else _round(width),
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
    memory, tuned = report["fits_memory"], report["tuned_records"]
    beaten = f"Tuned records beaten by more than {RECORD_MARGIN:.0%}"
    tables = [
        _table(
            f"Predicted {left_out}, each publisher counting alike",
            "class",
            {"all": report["by_publishers_alike"]} | report["by_class"],
            PUBLISHERS_ALIKE,
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
    if key in ("inside", "predicted_share", "within_2x", "right_share", "beaten_share"):
        return f"{value:.1%}"
    if isinstance(value, int):
        return str(value)
    return f"{value:.1f}" if key == "median_error_percent" else f"{value:.2f}"

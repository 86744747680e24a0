"""Compare predicted with measured orders of instance types: ``python -m tools.benchmarks.ranking [FILE.csv]``."""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.table import Table

from sizewell.cli.console import open_console
from sizewell.instance_selection.catalog import load_catalog
from tools.benchmarks.estimate_report import less_is_better, reason_tables, reasons
from tools.benchmarks.intervals import REGION
from tools.benchmarks.predictions import Prediction, predict_rows
from tools.benchmarks.tables import DATA, MEASUREMENTS, TableError, read_table

#: Workloads that were measured on several types: which measurements belong together.
RANK_GROUPS = DATA / "rank_groups.csv"
#: Pairs that were measured to differ by less are a matter of luck.
CLEAR_DIFFERENCE = 1.2
#: Predictions that differ by less than this share are a tie: no table states more digits.
TIE = 1e-6


@dataclass(frozen=True, kw_only=True)
class Group:
    """One workload and metric of one source, measured on several instance types."""

    id: str
    source: str
    lower_is_better: bool
    instance_types: tuple[str, ...]
    predictions: tuple[Prediction, ...]

    @property
    def tau(self) -> float:
        """Kendall's tau-b: 1 for the same order, -1 for the reverse; a pair with an unknown is as good as none.

        Pairs that were measured to be equal have no order; those that are predicted to be equal have no opinion.
        """
        agreement, ordered, decided = 0, 0, 0
        for a, b in combinations(self.predictions, 2):
            measured = _compare(a.measured, b.measured)
            predicted = _compare(a.predicted, b.predicted)
            unknown = a.predicted is None or b.predicted is None
            agreement += measured * predicted
            ordered += measured != 0
            decided += predicted != 0 or unknown
        return agreement / math.sqrt(ordered * decided) if ordered and decided else 0.0

    @property
    def clear_pairs(self) -> list[bool]:
        """Whether each pair of types that clearly differ is predicted in the right order; an unknown is a wrong one."""
        return [
            _compare(a.measured, b.measured) == _compare(a.predicted, b.predicted)
            for a, b in combinations(self.predictions, 2)
            if a.measured
            and b.measured
            and max(a.measured / b.measured, b.measured / a.measured) > CLEAR_DIFFERENCE
        ]

    @property
    def picked(self) -> Prediction | None:
        """The prediction of the best type, None when no type is predicted; ties by the name of the type."""
        known = [
            (_goodness(prediction.predicted, self.lower_is_better), name, i)
            for i, (prediction, name) in enumerate(zip(self.predictions, self.instance_types, strict=True))
            if prediction.predicted is not None
        ]
        return self.predictions[min(known)[2]] if known else None

    @property
    def regret(self) -> float | None:
        """How much worse the picked type is than the best, as a share of the best; None without a pick."""
        values = [prediction.measured for prediction in self.predictions if prediction.measured]
        if self.picked is None or not self.picked.measured or not values:
            return None
        if self.lower_is_better:
            return self.picked.measured / min(values) - 1
        return max(values) / self.picked.measured - 1


def _compare(a: float | None, b: float | None) -> int:
    if a is None or b is None or math.isclose(a, b, rel_tol=TIE):
        return 0
    return 1 if a > b else -1


def _goodness(value: float | None, lower_is_better: bool) -> float:
    assert value is not None
    return float(f"{value if lower_is_better else -value:.6g}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; the exit code is 2 when the file cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.ranking", description=__doc__)
    parser.add_argument(
        "file",
        type=Path,
        nargs="?",
        help="a table of measurements with a column group_id (default: the groups of rank_groups.csv)",
    )
    parser.add_argument("--json", action="store_true", help="print plain data, not tables")
    parser.add_argument(
        "--leave-one-publisher-out",
        nargs="?",
        type=Path,
        const=MEASUREMENTS,
        metavar="MEASUREMENTS.csv",
        help="predict each publisher by coefficients fitted to all others of this table (default: %(const)s)",
    )
    options = parser.parse_args(arguments)
    try:
        rows = read_table(options.file) if options.file else grouped_measurements()
        fitted: Path | None = options.leave_one_publisher_out
        fit_rows = read_table(fitted) if fitted else None
        predictions = predict_rows(
            rows,
            load_catalog(REGION),
            fit_rows=fit_rows,
            progress=lambda text: print(text, file=sys.stderr, flush=True),
        )
    except TableError as error:
        print(error, file=sys.stderr)
        return 2
    report = to_json(groups_of(rows, predictions), predictions)
    if options.json:
        print(json.dumps(report, indent=2))
        return 0
    with open_console() as console:
        for table in to_tables(report):
            console.print(table)
    return 0


def grouped_measurements() -> list[dict[str, str]]:
    """Return the measurements that `RANK_GROUPS` puts together, each with its group."""
    measured = {row["id"]: row for row in read_table(MEASUREMENTS)}
    return [{**measured[row["measurement_id"]], **row} for row in read_table(RANK_GROUPS)]


def groups_of(rows: Sequence[dict[str, str]], predictions: Sequence[Prediction]) -> list[Group]:
    """Return the groups in the order of the file: rows of one ``group_id`` with a measured value, two at least."""
    members: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        measured = predictions[i].measured
        if measured is not None and measured > 0:
            members.setdefault((row.get("group_id") or "").strip(), []).append(i)
    return [
        Group(
            id=name,
            source=predictions[places[0]].source,
            lower_is_better=_lower_is_better(rows[places[0]]),
            instance_types=tuple((rows[i].get("aws_instance") or "").strip() for i in places),
            predictions=tuple(predictions[i] for i in places),
        )
        for name, places in members.items()
        if len(places) > 1
    ]


def _lower_is_better(row: dict[str, str]) -> bool:
    stated = (row.get("better") or "").strip().lower()
    return (
        stated == "lower"
        if stated in ("lower", "higher")
        else less_is_better((row.get("metric") or "").strip())
    )


def to_json(groups: Sequence[Group], predictions: Sequence[Prediction]) -> dict[str, Any]:
    """Return how well orders agree: over all groups, those of three and more, and by source."""
    sources = sorted({group.source for group in groups})
    return {
        "rows": len(predictions),
        "predicted": sum(prediction.predicted is not None for prediction in predictions),
        "all": _agreement(groups),
        "three_and_more": _agreement([group for group in groups if len(group.predictions) >= 3]),
        "by_source": {
            name: _agreement([group for group in groups if group.source == name]) for name in sources
        },
        "not_predicted": reasons(predictions),
    }


def _agreement(groups: Sequence[Group]) -> dict[str, float | int | None]:
    regrets = [group.regret for group in groups if group.regret is not None]
    pairs = [right for group in groups for right in group.clear_pairs]
    return {
        "groups": len(groups),
        "clear_pairs_right_percent": round(100 * fmean(pairs), 2) if pairs else None,
        "kendall_tau": round(fmean(group.tau for group in groups), 4) if groups else None,
        "top_1": round(fmean(group.regret is not None and group.regret < TIE for group in groups), 4)
        if groups
        else None,
        "mean_regret_percent": round(100 * fmean(regrets), 2) if regrets else None,
        "max_regret_percent": round(100 * max(regrets), 2) if regrets else None,
    }


def to_tables(report: dict[str, Any]) -> list[Table]:
    """Return the tables of a report made by `to_json`."""
    table = Table(title="Order of instance types, predicted against measured", title_justify="left")
    table.add_column("groups of", no_wrap=True)
    for heading in ("groups", "clear pairs right %", "Kendall tau", "top-1", "mean regret %", "largest %"):
        table.add_column(heading, justify="right")
    parts = {"all": report["all"], "three and more types": report["three_and_more"]} | report["by_source"]
    for name, found in parts.items():
        table.add_row(name, *("-" if value is None else str(value) for value in found.values()))
    return [table, *reason_tables(report)]


if __name__ == "__main__":
    sys.exit(main())

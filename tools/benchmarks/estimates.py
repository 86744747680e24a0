"""Compare estimates with published measurements: ``python -m tools.benchmarks.estimates [FILE.csv]``."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from sizewell.cli.console import open_console
from sizewell.instance_selection.catalog import load_catalog
from tools.benchmarks.estimate_report import to_json, to_tables
from tools.benchmarks.intervals import REGION, with_intervals
from tools.benchmarks.predictions import Prediction, Together, predict_rows
from tools.benchmarks.tables import MEASUREMENTS, TableError, publisher_of, read_table, write_table

#: What leaves together, by the option that leaves it out: the sources of a publisher vouch for each other.
LEFT_OUT: dict[str, Together] = {"publisher": publisher_of, "source": str}
_DIGITS = 6


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; the exit code is 2 when the file cannot be read or the predictions cannot be written."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.estimates", description=__doc__)
    parser.add_argument(
        "file",
        type=Path,
        nargs="?",
        default=MEASUREMENTS,
        help="a table with the columns of measurements.csv, values optional (default: that table)",
    )
    parser.add_argument("--json", action="store_true", help="print plain data, not tables")
    parser.add_argument(
        "--out", type=Path, metavar="PREDICTIONS.csv", help="write id,predicted,low,high,reason for every row"
    )
    for what, function in LEFT_OUT.items():
        parser.add_argument(
            f"--leave-one-{what}-out",
            action="store_const",
            dest="together",
            const=function,
            help=f"predict each {what} by coefficients and intervals fitted to all others of the file",
        )
    options = parser.parse_args(arguments)
    try:
        rows = read_table(options.file)
        predictions = predict_rows(
            rows,
            load_catalog(REGION),
            fit_rows=rows if options.together else None,
            together=options.together or publisher_of,
            progress=lambda text: print(text, file=sys.stderr, flush=True),
        )
        predictions = with_intervals(predictions, together=options.together)
        if options.out:
            write_predictions(options.out, predictions)
    except TableError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{options.out}: cannot be written: {error.strerror or error}", file=sys.stderr)
        return 2
    left_out = next((what for what, function in LEFT_OUT.items() if function is options.together), None)
    report = to_json(predictions, left_out=left_out)
    if options.json:
        print(json.dumps(report, indent=2))
        return 0
    with open_console() as console:
        for table in to_tables(report):
            console.print(table)
    return 0


def write_predictions(path: Path, predictions: Sequence[Prediction]) -> None:
    """Write every row in the order of the file."""

    def text(number: float | None) -> str:
        return "" if number is None else f"{number:.{_DIGITS}g}"

    lines = ((row.id, *map(text, (row.predicted, row.low, row.high)), row.reason) for row in predictions)
    write_table(path, ("id", "predicted", "low", "high", "reason"), lines)


if __name__ == "__main__":
    sys.exit(main())

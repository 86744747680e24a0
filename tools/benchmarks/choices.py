"""Compare the selection with published recommendations: ``python -m tools.benchmarks.choices [FILE.csv]``."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from sizewell.cli.console import open_console
from sizewell.instance_selection import Catalog, load_catalog
from tools.benchmarks.choice_names import REGION
from tools.benchmarks.choice_picks import pick
from tools.benchmarks.choice_report import Outcome, judge, summary
from tools.benchmarks.choice_table import Recommendation, read_recommendations
from tools.benchmarks.choice_verdicts import verdicts
from tools.benchmarks.tables import DATA, TableError, write_table

CHOICES = DATA / "choices.csv"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; the exit code is 1 when the file cannot be read or a violation is found."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.choices", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=CHOICES, help="a table; default: choices.csv")
    parser.add_argument(
        "--out", type=Path, metavar="PREDICTIONS.csv", help="write id,picked,feasible,rejected"
    )
    parser.add_argument("--json", action="store_true", help="print plain data, not tables")
    options = parser.parse_args(arguments)
    catalog = load_catalog(REGION)
    try:
        rows = read_recommendations(options.file)
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    outcomes = compare(rows, catalog)
    if options.out:
        write_predictions(options.out, outcomes)
    if options.json:
        print(json.dumps(to_json(outcomes), indent=2))
    else:
        _print(outcomes)
    return 1 if any(outcome.violations for outcome in outcomes) else 0


def compare(rows: Sequence[Recommendation], catalog: Catalog) -> list[Outcome]:
    """Return the outcome of each row, in the order of the file."""
    return [judge(row, pick(row, catalog), verdicts(row, catalog), catalog) for row in rows]


def write_predictions(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Write ``id,picked,feasible,rejected``: types separated by blanks, conditional ones in neither list."""
    write_table(
        path,
        ("id", "picked", "feasible", "rejected"),
        ((o.id, o.picked.instance_type or "", " ".join(o.feasible), " ".join(o.rejected)) for o in outcomes),
    )


def to_json(outcomes: list[Outcome]) -> dict[str, Any]:
    """Return the comparison as plain data."""
    return {"region": REGION, "summary": summary(outcomes), "rows": [asdict(o) for o in outcomes]}


def _print(outcomes: list[Outcome]) -> None:
    counts = Table(
        title="Picks and published recommendations",
        caption=(
            "By family. Cheapest: the first of the ranking, before near costs and regions are weighed. "
            "A successor is a later family of the same series, or one GPU of G for one of P2 or P3."
        ),
    )
    counts.add_column("")
    for heading in ("rows", "agree", "%", "cheapest agrees", "with successors", "%", "violations"):
        counts.add_column(heading, justify="right")
    for name, found in summary(outcomes).items():
        counts.add_row(name, *("-" if value is None else str(value) for value in found.values()))
    others = Table(title="Rows that do not agree")
    for heading in ("id", "picked", "recommended", "successor", "why"):
        others.add_column(heading)
    for outcome in outcomes:
        if not outcome.agrees:
            others.add_row(
                outcome.id,
                outcome.picked.instance_type or "none",
                outcome.recommended,
                "yes" if outcome.agrees_with_successors else "no",
                outcome.note,
            )
    with open_console() as console:
        console.print(counts)
        if others.row_count:
            console.print(others)
        for outcome in outcomes:
            for violation in outcome.violations:
                console.print(f"violation in {outcome.id}: {violation}", markup=False)


if __name__ == "__main__":
    sys.exit(main())

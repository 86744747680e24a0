"""Compare the selection with published recommendations: ``python -m tools.benchmarks.choices FILE.csv``."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from sizewell.cli.console import open_console
from sizewell.instance_selection import Catalog, load_catalog
from tools.benchmarks.choice_cells import parse_cell
from tools.benchmarks.choice_picks import pick
from tools.benchmarks.choice_report import Outcome, judge, summary
from tools.benchmarks.choice_requirements import read_workload
from tools.benchmarks.choice_verdicts import verdicts
from tools.benchmarks.tables import TableError, read_table, write_table

REGION = "us-east-1"
REQUIRED_COLUMNS = ("id", "task", "recommended_instances")
_ANSWERS = ("recommended_instances", "also_acceptable", "unacceptable_instances")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; the exit code is 1 when the file cannot be read or a violation is found."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.choices", description=__doc__)
    parser.add_argument("file", type=Path, help="a table with the columns of choices.csv")
    parser.add_argument(
        "--out", type=Path, metavar="PREDICTIONS.csv", help="write id,picked,feasible,rejected"
    )
    parser.add_argument("--json", action="store_true", help="print plain data, not tables")
    options = parser.parse_args(arguments)
    try:
        rows = read_table(options.file, REQUIRED_COLUMNS)
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    outcomes = compare(rows, load_catalog(REGION))
    if options.out:
        write_predictions(options.out, outcomes)
    if options.json:
        print(json.dumps(to_json(outcomes), indent=2))
    else:
        _print(outcomes)
    return 1 if any(outcome.violations for outcome in outcomes) else 0


def compare(rows: Sequence[Mapping[str, str]], catalog: Catalog) -> list[Outcome]:
    """Return the outcome of each row, in the order of the file."""
    return [_outcome(row, catalog) for row in rows]


def _outcome(row: Mapping[str, str], catalog: Catalog) -> Outcome:
    workload = read_workload(row, catalog)
    named = {name for column in _ANSWERS for name in parse_cell(row.get(column) or "", catalog).types}
    names = sorted(named | {instance_type.name for instance_type in catalog.instance_types})
    return judge(row, workload, pick(workload, catalog), verdicts(workload, catalog, names), catalog)


def write_predictions(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Write ``id,picked,feasible,rejected``: types separated by blanks, conditional ones in neither list."""
    lines = (
        (
            outcome.row_id,
            outcome.picked.instance_type or "",
            " ".join(outcome.feasible),
            " ".join(outcome.rejected),
        )
        for outcome in outcomes
    )
    write_table(path, ("id", "picked", "feasible", "rejected"), lines)


def to_json(outcomes: list[Outcome]) -> dict[str, Any]:
    """Return the comparison as plain data."""
    return {
        "region": REGION,
        "summary": summary(outcomes),
        "rows": [
            {
                "id": outcome.row_id,
                "kind": outcome.kind,
                "source_id": outcome.source_id,
                "picked": outcome.picked.instance_type,
                "how": outcome.picked.how,
                "recommended": outcome.recommended,
                "agrees": outcome.agrees,
                "cheapest": outcome.picked.ranking[0] if outcome.picked.ranking else None,
                "agrees_with_successors": outcome.agrees_with_successors,
                "note": outcome.note,
                "violations": list(outcome.violations),
                "conditional": list(outcome.conditional),
            }
            for outcome in outcomes
        ],
    }


def _print(outcomes: list[Outcome]) -> None:
    counts = Table(
        title="Picks and published recommendations",
        caption=(
            "By family. Cheapest: the first of the ranking, before near costs and regions are weighed. "
            "A successor is a later family of the same series, or one GPU of G for one of P2 or P3."
        ),
    )
    for heading in (
        "",
        "rows",
        "compared",
        "agree",
        "%",
        "cheapest agrees",
        "with successors",
        "%",
        "violations",
    ):
        counts.add_column(heading, justify="right" if heading else "left")
    for name, found in summary(outcomes).items():
        counts.add_row(name, *("-" if value is None else str(value) for value in found.values()))
    others = Table(title="Rows that do not agree")
    for heading in ("id", "picked", "recommended", "successor", "why"):
        others.add_column(heading)
    for outcome in outcomes:
        if outcome.agrees is False:
            successor = "yes" if outcome.agrees_with_successors else "no"
            others.add_row(
                outcome.row_id,
                outcome.picked.instance_type or "none",
                outcome.recommended,
                successor,
                outcome.note,
            )
    unread = [outcome.row_id for outcome in outcomes if outcome.agrees is None]
    with open_console() as console:
        console.print(counts)
        if others.row_count:
            console.print(others)
        for outcome in outcomes:
            for violation in outcome.violations:
                console.print(f"violation in {outcome.row_id}: {violation}", markup=False)
        if unread:
            console.print(f"nothing to compare with in: {', '.join(unread)}", markup=False)


if __name__ == "__main__":
    sys.exit(main())

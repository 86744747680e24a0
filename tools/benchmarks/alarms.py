"""Replay incidents and quiet days against the alarms of platforms: ``python -m tools.benchmarks.alarms cdk.out ...``."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tools.benchmarks.alarm_replay.verdicts import Outcome, Verdict, counts_by_kind, outcomes
from tools.benchmarks.alarm_replay.workloads import watched

_COUNTED = (
    "incidents",
    "quiet",
    *(verdict for verdict in Verdict if verdict is not Verdict.GOOD),
    "notifications",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the exit code is 1 where something went wrong with a trace."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.alarms", description=__doc__)
    parser.add_argument("assembly", nargs="+", type=Path, help="an output folder of a synth, with plan.json")
    parser.add_argument(
        "--faults", action="store_true", help="print each trace that went wrong, and its alarms"
    )
    parser.add_argument("--json", action="store_true", help="print plain data, not a table")
    parser.add_argument(
        "--held-out", action="store_true", help="replay the traces that no threshold was chosen with"
    )
    options = parser.parse_args(arguments)
    found = [
        outcome
        for assembly in options.assembly
        for outcome in outcomes(watched(assembly), held_out=options.held_out)
    ]
    if options.json:
        print(json.dumps(counts_by_kind(found), indent=2))
    else:
        Console(width=160).print(to_table(found))
    if options.faults:
        for outcome in found:
            if outcome.verdicts != (Verdict.GOOD,):
                print(_fault(outcome))
    return int(any(outcome.verdicts != (Verdict.GOOD,) for outcome in found))


def to_table(found: Sequence[Outcome]) -> Table:
    """Return how many traces of each kind went wrong, and how."""
    table = Table(title="Metric traces against the alarms")
    table.add_column("kind")
    for heading in _COUNTED:
        table.add_column(heading, justify="right")
    counts = counts_by_kind(found)
    for kind, count in (*counts.items(), ("all", sum(counts.values(), Counter()))):
        table.add_row(kind, *(str(count[heading]) for heading in _COUNTED))
    return table


def _fault(outcome: Outcome) -> str:
    told = Counter(alarm for _, alarm in outcome.pages)
    first = f"first after {outcome.pages[0][0]} minutes, " if outcome.pages else ""
    alarms = ", ".join(f"{alarm} {number}x" for alarm, number in told.items())
    back = f"; rolled back by {', '.join(outcome.rolled_back_by)}" if outcome.rolled_back_by else ""
    return f"{', '.join(outcome.verdicts)}: {outcome.name}: {outcome.trace}: {first}{alarms}{back}"


if __name__ == "__main__":
    sys.exit(main())

"""What checks found in accounts: how each went, then what is wrong, the worst last, and as JSON."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sizewell.account.finding import Finding, Outcome
from sizewell.cli.console import print_lines

STYLES = {Outcome.FAIL: "red", Outcome.WARN: "yellow", Outcome.UNKNOWN: "cyan", Outcome.PASS: "green"}
#: As people read them: the end of an output is what they see.
_WORST_LAST = (Outcome.PASS, Outcome.UNKNOWN, Outcome.WARN, Outcome.FAIL)


def findings_to_json(environment: str, findings: Sequence[Finding]) -> str:
    """Return all findings, those that pass as well, in their order."""
    data = {"environment": environment, "findings": [asdict(finding) for finding in findings]}
    return json.dumps(data, indent=2) + "\n"


def print_findings(findings: Sequence[Finding], console: Console) -> None:
    """Print how each check went in each account and region, then what does not pass, and how many there are of each outcome."""
    for place, in_place in groupby(findings, lambda finding: finding.place):
        console.print(_overview(place, tuple(in_place)))
    several = len({finding.place for finding in findings}) > 1
    for outcome in _WORST_LAST[1:]:
        for finding in findings:
            if finding.outcome is outcome:
                _print_finding(finding, f" ({finding.place})" if several else "", console)
    counts = Counter(finding.outcome for finding in findings)
    summary = ", ".join(
        f"{counts[outcome]} {outcome.value}" for outcome in reversed(_WORST_LAST) if counts[outcome]
    )
    what_to_do = ": mend what fails, then run it again" if counts[Outcome.FAIL] else ""
    console.print(Text(f"{summary or 'nothing to look at'}{what_to_do}"))


def _overview(place: str, findings: Sequence[Finding]) -> Table:
    table = Table(box=box.SIMPLE, title=place, title_justify="left", pad_edge=False)
    table.add_column("check")
    for outcome in _WORST_LAST:
        table.add_column(outcome.value, justify="right")
    for check, of_check in groupby(findings, lambda finding: finding.check):
        counts = Counter(finding.outcome for finding in of_check)
        table.add_row(
            check, *(Text(str(counts[outcome] or ""), style=STYLES[outcome]) for outcome in _WORST_LAST)
        )
    return table


def _print_finding(finding: Finding, where: str, console: Console) -> None:
    """Print a finding in lines of its own: a command in a cell of a table would be broken where nobody can copy it."""
    outcome = Text(f"{finding.outcome.value} ", style=f"bold {STYLES[finding.outcome]}")
    console.print(outcome + Text(f"{finding.check}: {finding.subject}{where}"), soft_wrap=True)
    print_lines(console, (finding.says,))
    if finding.to_do:
        console.print(Text(f"  {finding.to_do}"), soft_wrap=True)
    console.print()

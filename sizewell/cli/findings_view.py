"""What checks found in accounts, as a table and as JSON."""

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

_STYLES = {Outcome.FAIL: "red", Outcome.WARN: "yellow", Outcome.UNKNOWN: "cyan", Outcome.PASS: "green"}


def findings_to_json(environment: str, findings: Sequence[Finding]) -> str:
    """Return all findings, those that pass as well, in their order."""
    data = {"environment": environment, "findings": [asdict(finding) for finding in findings]}
    return json.dumps(data, indent=2) + "\n"


def print_findings(findings: Sequence[Finding], console: Console) -> None:
    """Print a row for each finding, of each account and region, then what to do, and how many there are of each outcome."""
    for place, found in groupby(findings, lambda finding: finding.place):
        table = Table(box=box.SIMPLE, title=place, title_justify="left", pad_edge=False)
        for column in ("", "check", "what", "found"):
            table.add_column(column, overflow="fold")
        in_place = list(found)
        for finding in in_place:
            outcome = Text(finding.outcome.value, style=_STYLES[finding.outcome])
            table.add_row(outcome, finding.check, Text(finding.subject), Text(finding.says))
        console.print(table)
        for finding in in_place:
            if finding.to_do:
                console.print(Text(f"{finding.subject}: {finding.to_do}"), soft_wrap=True)
    counts = Counter(finding.outcome for finding in findings)
    console.print(
        Text(", ".join(f"{counts[outcome]} {outcome.value}" for outcome in Outcome if counts[outcome]))
    )

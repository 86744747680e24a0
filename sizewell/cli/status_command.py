"""``sizewell status``: what runs now, beside what was planned."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sizewell.account.status import Part, WorkloadStatus, read_status
from sizewell.cli.account_command import account_of
from sizewell.cli.console import is_narrow
from sizewell.cli.errors import exit_with
from sizewell.cli.kind import runs_on
from sizewell.cli.output import tell
from sizewell.deploy.cloudformation import CloudFormationError, as_our_error
from sizewell.planning import load_plan

Statuses = Mapping[str, Sequence[WorkloadStatus]]
"""By account and region."""


def load_status(directory: Path, environment: str, profile: str | None) -> Statuses:
    """Return what runs in each account and region of an environment.

    Ends the command where an account is another one, or there are no credentials. Raises ``ConfigError``.
    """
    plan = load_plan(directory, environment)
    found: dict[str, Sequence[WorkloadStatus]] = {}
    try:
        for place, foundation in plan.foundations.items():
            tell(f"Reading {foundation.account}, {foundation.region} ...")
            aws = account_of(foundation, profile)
            with as_our_error("status"):
                workloads = [workload for workload in plan.workloads if workload.place == place]
                found[f"{aws.where}{f' ({place})' if place else ''}"] = read_status(aws, workloads)
    except CloudFormationError as error:
        exit_with(str(error))
    return found


def print_status(statuses: Statuses, console: Console) -> None:
    """Print a row for each thing that runs, and below it what fires and what was not read."""
    for where, found in statuses.items():
        table = Table(box=box.SIMPLE, title=where, title_justify="left", pad_edge=False)
        for column in ("workload", "planned", "runs", "state", "changed (UTC)", "requests/h", "alarms"):
            if column != "changed (UTC)" or not is_narrow(console):
                table.add_column(
                    column, overflow="fold", justify="right" if column == "requests/h" else "left"
                )
        for status in found:
            for index, part in enumerate(_rows(status)):
                cells = [
                    Text(status.workload.name if index == 0 else ""),
                    Text(runs_on(status.workload) if index == 0 else ""),
                    Text(part.runs_on),
                    Text(part.state, style="" if part.state in _WELL else "yellow"),
                    Text(part.changed_utc.strftime("%Y-%m-%d %H:%M") if part.changed_utc else "-"),
                    Text("" if index or status.requests is None else f"{status.requests:,.0f}"),
                    Text("" if index else _alarms(status.firing), style="red" if status.firing else ""),
                ]
                if is_narrow(console):
                    del cells[4]
                table.add_row(*cells)
        console.print(table)
        for status in found:
            for alarm in status.firing or ():
                console.print(Text(f"{status.workload.name}: the alarm {alarm} fires"), soft_wrap=True)
            if status.not_read:
                console.print(Text(f"{status.workload.name}: not read: {status.not_read}"), soft_wrap=True)


def status_to_json(environment: str, statuses: Statuses) -> str:
    """Return all that was read."""
    data = {
        "environment": environment,
        "places": [
            {"place": where, "workloads": [_data(status) for status in found]}
            for where, found in statuses.items()
        ],
    }
    return json.dumps(data, indent=2) + "\n"


#: What nobody has to look at.
_WELL = ("InService", "Active", "COMPLETED", "SUCCEEDED", "RUNNING", "Stopped", "never ran", "see kubectl")


def _rows(status: WorkloadStatus) -> Sequence[Part]:
    if status.parts:
        return status.parts
    if status.not_read:
        return (Part("", "-", "not read"),)
    in_cluster = status.workload.kubectl_logs is not None
    return (Part("", "-", "see kubectl" if in_cluster else "not deployed"),)


def _alarms(firing: Sequence[str] | None) -> str:
    return "?" if firing is None else str(len(firing) or "-")


def _data(status: WorkloadStatus) -> dict[str, Any]:
    return {
        "workload": status.workload.name,
        "planned": runs_on(status.workload),
        "parts": [
            {**asdict(part), "changed": part.changed_utc and part.changed_utc.isoformat()}
            for part in status.parts
        ],
        "requests_last_hour": status.requests,
        "firing_alarms": None if status.firing is None else list(status.firing),
        "not_read": status.not_read,
    }

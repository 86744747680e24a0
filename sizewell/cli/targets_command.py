"""``sizewell targets``: one workload in SageMaker and in each cluster, side by side."""

import json
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from sizewell.cli.console import is_narrow, print_lines
from sizewell.cli.errors import exit_unknown_workload, exit_with
from sizewell.cli.formats import usd
from sizewell.cli.kind import Row, ViewKind
from sizewell.kinds.registry import facet
from sizewell.planning.load import load_inputs
from sizewell.planning.lock_file import read_lock_file
from sizewell.planning.serialization import rounded
from sizewell.planning.target_comparison import TargetOption, compare_targets


def load_targets(directory: Path, environment_name: str, workload_name: str) -> tuple[TargetOption, ...]:
    """Return the places of a workload; ends the command where it has no choice of them. Raises ``ConfigError``."""
    inputs = load_inputs(directory, environment_name)
    workloads = inputs.loaded.environment.workloads
    if workload_name not in workloads:
        exit_unknown_workload(workload_name, environment_name, workloads)
    if "target" not in type(workloads[workload_name]).model_fields:
        exit_with(
            f"{workload_name} is of kind {workloads[workload_name].kind}, which runs in SageMaker alone"
        )
    file = read_lock_file(directory)
    locked = file.lock.environments.get(environment_name) if file else None
    return compare_targets(inputs.of_place(workload_name), workload_name, locked)


def targets_to_json(options: tuple[TargetOption, ...]) -> str:
    """Return the places as JSON."""
    return json.dumps([rounded(_plain(option)) for option in options], indent=2) + "\n"


def print_targets(workload: str, options: tuple[TargetOption, ...], console: Console) -> None:
    """Print a row for each place, and what each lacks."""
    narrow = is_narrow(console)
    table = Table(
        title=f"{workload}: all places",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        collapse_padding=narrow,
    )
    for header in ("target", "runs on", "count", *(() if narrow else ("predicted",))):
        table.add_column(header, no_wrap=True)
    per_run = any(option.usd_per_run is not None for option in options)
    for header in ("USD/month", "USD/run" if per_run else "per 1,000 requests"):
        table.add_column(header, justify="right")
    for option in options:
        row = _row(option)
        cost = option.line.usd_per_month if option.line else None
        each = option.usd_per_run if per_run else option.usd_per_1000_requests
        table.add_row(
            option.target or option.words,
            row.on if row else "[red]cannot run there[/]",
            row.count if row else "",
            *([] if narrow else [row.predicted if row else ""]),
            usd(cost) if row else "",
            "" if each is None else f"{each:.3g}",
            style="bold" if option.is_taken else None,
        )
    console.print(table)
    lines = [f"{option.target or option.words}: {miss}" for option in options for miss in option.misses]
    print_lines(console, lines, "What stands in the way")
    notes = [
        f"{option.target or option.words}: {note}"
        for option in options
        if option.plan is not None and option.target is not None
        for note in facet(option.plan.kind, ViewKind).notes(option.plan)
    ]
    print_lines(console, notes, "In the clusters")


def _row(option: TargetOption) -> Row | None:
    return facet(option.plan.kind, ViewKind).row(option.plan) if option.plan else None


def _plain(option: TargetOption) -> dict[str, Any]:
    row = _row(option)
    return {
        "target": option.target,
        "is_taken": option.is_taken,
        "runs_on": row.on if row else None,
        "count": row.count if row else None,
        "usd_per_month": option.line.usd_per_month if option.line else None,
        "usd_per_1000_requests": option.usd_per_1000_requests,
        "usd_per_run": option.usd_per_run,
        "misses": list(option.misses),
    }

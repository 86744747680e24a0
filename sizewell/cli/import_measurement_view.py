"""What an import has added and replaced, as a table."""

from collections import Counter
from collections.abc import Callable

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sizewell.cli.console import is_narrow
from sizewell.cli.import_measurement_command import Import
from sizewell.config.measured_instance import MeasuredInstance
from sizewell.instance_selection.wording import milliseconds

_STYLES = {"added": "green", "replaced": "yellow", "unchanged": "dim"}
#: Columns by their headers; one without any value is left out.
_COLUMNS: dict[str, Callable[[MeasuredInstance], str]] = {
    "concurrency": lambda instance: _number(instance.concurrency),
    "p95": lambda instance: _time(instance.p95_latency_ms),
    "TTFT": lambda instance: _time(instance.time_to_first_token_ms),
    "per token": lambda instance: _time(instance.inter_token_ms),
    "requests/s": lambda instance: _number(instance.max_requests_per_second),
    "count": lambda instance: "" if instance.instance_count == 1 else str(instance.instance_count),
    "units/s": lambda instance: _number(instance.training_units_per_second),
    "GiB": lambda instance: _number(instance.peak_accelerator_memory_gib),
    "date": lambda instance: instance.date or "",
}


def print_import(done: Import, console: Console, *, dry_run: bool) -> None:
    """Print each measurement with what became of it; on a narrow console, without its source."""
    states = [_state(done, instance) for instance in done.imported.measured]
    counts = Counter(states)
    summary = ", ".join(f"{counts[state]} {state}" for state in _STYLES if counts[state])
    where = f"{done.path.as_posix()}{' (dry run: nothing is written)' if dry_run else ''}"
    table = Table(
        title=f"{done.workload}: {summary} in {where}",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
    )
    table.add_column("", no_wrap=True)
    table.add_column("instance type", no_wrap=True)
    shown = {
        header: cell
        for header, cell in _COLUMNS.items()
        if any(cell(instance) for instance in done.imported.measured)
    }
    for header in shown:
        table.add_column(header, justify="right", no_wrap=True)
    narrow = is_narrow(console)
    if not narrow:
        table.add_column("source", overflow="fold")
    for state, instance in zip(states, done.imported.measured, strict=True):
        source = [] if narrow else [escape(instance.source or "")]
        cells = [cell(instance) for cell in shown.values()]
        table.add_row(f"[{_STYLES[state]}]{state}[/]", instance.instance_type, *cells, *source)
    console.print(table)
    for note in done.imported.notes:
        console.print(escape(note), soft_wrap=not console.is_terminal)


def _state(done: Import, instance: MeasuredInstance) -> str:
    before = done.before.get(instance.key)
    if before is None:
        return "added"
    return "unchanged" if before == instance else "replaced"


def _time(value_ms: float | None) -> str:
    return "" if value_ms is None else milliseconds(value_ms)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.6g}"

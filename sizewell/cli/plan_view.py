"""A plan on a console: its table, and what is said below it."""

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from sizewell.cli.console import has_room_for_ranges, is_narrow
from sizewell.cli.plan_notes import plan_notes
from sizewell.cli.plan_table import plan_table
from sizewell.planning.plan import DeploymentPlan


def print_plan(
    plan: DeploymentPlan, console: Console, *, warn_of_lock: bool = True, details: bool = False
) -> None:
    """Print what each workload runs on, what it will do, and what it costs; then at most five lines, or all with ``details``."""
    narrow, ranges = is_narrow(console), has_room_for_ranges(console)
    table = plan_table(plan, narrow=narrow, ranges=ranges)
    if _width(table, console) > console.width:
        table = plan_table(plan, narrow=narrow, ranges=ranges, stacked=True)
    console.print(table)
    notes = plan_notes(plan, narrow=narrow, ranges=ranges, warn_of_lock=warn_of_lock, details=details)
    for note in notes:
        console.print(note, soft_wrap=not console.is_terminal)


def _width(table: Table, console: Console) -> int:
    """Return the columns that a table takes where nothing is broken or cut."""
    return Measurement.get(console, console.options.update_width(1000), table).maximum

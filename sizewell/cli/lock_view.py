"""The lock as a table of what changed, and in one line."""

from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from sizewell.cli.console import is_narrow
from sizewell.cli.formats import UNKNOWN, usd
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.lock_changes import LockChange, LockDifference
from sizewell.planning.plan import DeploymentPlan


def print_changes(
    changes: Sequence[LockChange], gone: Sequence[str], path: Path, console: Console, *, written: bool
) -> None:
    """Print each workload whose pick or price changed, or for which another type would be cheaper."""
    shown = [change for change in changes if change.is_notable]
    if shown:
        console.print(_table(shown, is_narrow(console)))
    for name in gone:
        console.print(f"{name}: no such environment any more; it has left the lock", soft_wrap=True)
    anew = sum(change.changes_pick for change in changes)
    count = sum(change.after is not None for change in changes)
    if not written:
        line = f"{path.as_posix()} is up to date: {_workloads(count)}."
    elif anew:
        line = (
            f"{path.as_posix()}: {anew} of {_workloads(count)} changed. Read the difference, and commit it."
        )
    else:
        line = f"{path.as_posix()}: every pick is kept, what it rests on is new. Commit it."
    console.print(line, soft_wrap=True)


def print_check(
    plans: Sequence[DeploymentPlan], savings: Sequence[LockDifference], path: Path, console: Console
) -> None:
    """Print that the lock holds, and what the next refresh would save."""
    names = ", ".join(plan.environment for plan in plans)
    count = sum(len(plan.workloads) for plan in plans)
    console.print(f"{path.as_posix()} holds: {_workloads(count)} in {names}.", soft_wrap=True)
    for saving in savings:
        line = f"{saving.environment}.{saving.workload}: {saving.reason}; sizewell lock takes it"
        console.print(line, soft_wrap=True)


def _table(changes: Sequence[LockChange], narrow: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, collapse_padding=narrow)
    table.add_column("workload", no_wrap=not narrow, overflow="fold")
    table.add_column("was", no_wrap=True)
    table.add_column("is", no_wrap=True)
    table.add_column("USD/month", justify="right", no_wrap=True)
    if not narrow:
        table.add_column("change", justify="right", no_wrap=True)
    table.add_column("because", overflow="fold")
    for change in changes:
        table.add_row(
            f"{change.environment}.{change.workload}",
            _pick(change.before),
            _pick(change.after),
            usd(change.after.usd_per_month) if change.after else "",
            *([] if narrow else [_difference(change)]),
            change.reason,
            style="bold" if change.changes_pick else None,
        )
    return table


def _pick(locked: LockedWorkload | None) -> str:
    return "" if locked is None else f"{locked.instance_count} x {locked.instance_type}"


def _difference(change: LockChange) -> str:
    if change.before is None or change.after is None:
        return ""
    before, after = change.before.usd_per_month, change.after.usd_per_month
    if before is None or after is None:
        return "" if before is after else UNKNOWN
    difference = after - before
    if not difference:
        return ""
    return f"{difference:+,.0f}" if abs(difference) >= 10 else f"{difference:+,.2f}"


def _workloads(count: int) -> str:
    return "1 workload" if count == 1 else f"{count} workloads"

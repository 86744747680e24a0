"""How a choice was made, on a terminal: the winner, the runners-up and everything that was rejected."""

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from sizewell.cli.candidates import instance_count
from sizewell.cli.console import has_room_for_ranges, is_narrow, print_lines
from sizewell.cli.explain_words import (
    WHAT_IF,
    cheaper_line,
    counterfactual_notes,
    counterfactual_rows,
    decision_line,
    facts,
    front_line,
    list_title,
    lock_line,
    measured_line,
    savings_plan_line,
    warnings,
)
from sizewell.cli.explanation import Explanation
from sizewell.cli.formats import basis, known_by, usd
from sizewell.cli.modes_view import mode_line

RUNNERS_UP = 8


def print_explanation(explanation: Explanation, console: Console) -> None:
    """Print how a choice was made; the narrower the console, the less of each candidate."""
    workload = explanation.workload
    chosen = workload.selection.chosen
    console.print(
        f"[bold]{escape(workload.name)}[/]: [bold green]{chosen.instance_type}[/], "
        f"{usd(chosen.cost.usd_per_month)} USD per month ({basis(chosen.cost)} price, "
        f"{chosen.cost.price_date or 'undated'})",
        soft_wrap=not console.is_terminal,
    )
    print_lines(console, _summary(explanation))
    _print_candidates(console, explanation)
    _print_counterfactuals(console, explanation)
    _print_rejected(console, explanation)
    print_lines(console, workload.selection.assumptions, "Assumptions")


def _summary(explanation: Explanation) -> list[str | Text]:
    workload = explanation.workload
    modes = workload.modes
    lines = [
        workload.selection.chosen.cost.note,
        savings_plan_line(explanation),
        *facts(explanation),
        measured_line(explanation),
        decision_line(explanation),
        cheaper_line(explanation),
        front_line(explanation),
        explanation.asked.without_capacity,
        f"mode: {mode_line(workload.name, modes)}" if modes else None,
        lock_line(explanation),
    ]
    return [*filter(None, lines), *(Text(warning, "yellow") for warning in warnings(explanation))]


def _print_candidates(console: Console, explanation: Explanation) -> None:
    candidates = explanation.candidates
    table = Table(
        title=list_title(explanation),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
    )
    for header in ("", "instance type", "count"):
        table.add_column(header, no_wrap=True)
    narrow, ranges = is_narrow(console), has_room_for_ranges(console)
    right = ("predicted", *(("range",) if ranges else ()), *(() if narrow else ("memory", "USD/hour")))
    for header in (*right, "USD/month"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("price", no_wrap=True)
    for position, c in enumerate(candidates[: RUNNERS_UP + 1], 1):
        e = c.estimate
        hourly = usd(c.cost.usd_per_hour) if c.cost.usd_per_hour is None else f"{c.cost.usd_per_hour:.4g}"
        table.add_row(
            str(position),
            c.instance_type,
            str(instance_count(c)),
            explanation.outcome(c),
            *((explanation.spread(c) or known_by(e),) if ranges else ()),
            *(() if narrow else (f"{e.memory.needed_gib / e.memory.usable_gib:.0%}", hourly)),
            usd(c.cost.usd_per_month),
            basis(c.cost),
            style="bold" if position == 1 else None,
        )
    console.print(table)
    left_out = len(candidates) - RUNNERS_UP - 1
    if left_out > 0:
        console.print(f"  ... and {left_out} more (--json lists all)")


def _print_counterfactuals(console: Console, explanation: Explanation) -> None:
    rows, notes = counterfactual_rows(explanation), counterfactual_notes(explanation)
    narrow = is_narrow(console)
    table = Table(title=WHAT_IF, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    table.add_column("change")
    table.add_column("pick", no_wrap=True)
    for header in (*(() if narrow else ("predicted",)), "USD/month", "difference"):
        table.add_column(header, justify="right", no_wrap=True)
    for change, pick, predicted, cost, difference in rows:
        table.add_row(escape(change), pick, *(() if narrow else (predicted,)), cost, difference)
    if rows:
        console.print(table)
    print_lines(console, notes, "" if rows else WHAT_IF)


def _print_rejected(console: Console, explanation: Explanation) -> None:
    count = len(explanation.workload.selection.rejected)
    table = Table(
        title=f"Rejected: {count} of {count + len(explanation.candidates)}",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
    )
    table.add_column("because of", no_wrap=True)
    table.add_column("types", justify="right", no_wrap=True)
    table.add_column("nearest", no_wrap=True)
    table.add_column("why")
    for name, group in explanation.rejected_by_filter:
        nearest = group[0]
        table.add_row(name, str(len(group)), nearest.instance_type, escape(nearest.reason))
    console.print(table)

"""Why a workload got its instance type: the winner, the runners-up and everything that was turned down."""

import json
from itertools import groupby

from rich import box
from rich.console import Console
from rich.table import Table

from cli.console import is_narrow
from cli.formats import basis, hours, milliseconds, outcome, usd
from cli.modes_view import mode_line
from instance_selection import Candidate, EndpointEstimate, Rejection, TrainingEstimate
from planning.plan import EndpointPlan, TrainingJobPlan
from planning.serialization import rounded

RUNNERS_UP = 8
#: Filters that say something about the needs; the ones before them only say that a type is no candidate at all.
TELLING_FILTERS = (
    "autoscaling",
    "accelerators",
    "precision",
    "memory",
    "host-memory",
    "latency",
    "throughput",
    "deadline",
)


def selection_to_json(workload: EndpointPlan | TrainingJobPlan) -> str:
    """Return the whole selection as JSON."""
    return json.dumps(rounded(workload.selection.model_dump(mode="json")), indent=2) + "\n"


def print_explanation(workload: EndpointPlan | TrainingJobPlan, console: Console) -> None:
    """Print the story of a choice; on a narrow console, without memory and price by the hour of each candidate."""
    selection = workload.selection
    chosen = selection.chosen
    console.print(
        f"[bold]{workload.name}[/]: [bold green]{chosen.instance_type}[/], "
        f"{usd(chosen.cost.usd_per_month)} USD per month ({basis(chosen.cost)} price, {chosen.cost.price_date})",
        soft_wrap=not console.is_terminal,
    )
    if chosen.cost.note:
        console.print(f"  {chosen.cost.note}", soft_wrap=not console.is_terminal)
    for line in _facts(chosen):
        console.print(f"  {line}", soft_wrap=not console.is_terminal)
    if selection.runners_up:
        console.print(f"  {_why(chosen, selection.runners_up[0])}", soft_wrap=not console.is_terminal)
    if isinstance(workload, EndpointPlan) and workload.modes is not None:
        console.print(
            f"  mode: {mode_line(workload.name, workload.modes)}", soft_wrap=not console.is_terminal
        )
    candidates = (chosen, *selection.runners_up)
    _print_candidates(console, candidates)
    _print_rejected(console, selection.rejected, len(candidates))
    console.print("Assumptions", style="bold")
    for assumption in selection.assumptions:
        console.print(f"  {assumption}", soft_wrap=not console.is_terminal)


def _facts(chosen: Candidate[EndpointEstimate] | Candidate[TrainingEstimate]) -> list[str]:
    e = chosen.estimate
    memory = f"memory: {e.memory.needed_gib:.1f} of {e.memory.usable_gib:.1f} GiB usable"
    if isinstance(e, EndpointEstimate):
        split = f", tensor parallel over {e.tensor_parallel_degree}" if e.tensor_parallel_degree > 1 else ""
        return [
            f"{memory}{split}",
            f"one request alone: {milliseconds(e.service_time_ms)}; p95 at peak: {milliseconds(e.p95_latency_ms)}",
            f"capacity of one instance: {e.capacity_requests_per_second:.3g} requests/s",
            f"instances: {e.instances_at_average} at average load, {e.instances_at_peak} at peak",
        ]
    lines = [
        f"{memory} on each accelerator{', sharded over all' if e.sharded else ''}",
        f"{e.instance_count} instance(s), {e.accelerator_count} accelerator(s): "
        f"{e.units_per_second:,.0f} images or tokens per second",
        f"{hours(e.duration_hours)} and {usd(e.usd_per_run)} USD per run",
    ]
    if e.spot_savings_pct is not None:
        lines.append(f"Spot saves about {e.spot_savings_pct:.0f} %")
    return lines


def _why(
    chosen: Candidate[EndpointEstimate] | Candidate[TrainingEstimate],
    second: Candidate[EndpointEstimate] | Candidate[TrainingEstimate],
) -> str:
    ours, theirs = chosen.cost.usd_per_month, second.cost.usd_per_month
    if ours is None:
        return f"before {second.instance_type}: no price is known for either, it is the faster one"
    if theirs is None:
        return f"before {second.instance_type}: its price is unknown"
    if theirs > ours:
        return f"before {second.instance_type}: cheaper by {usd(theirs - ours)} USD per month ({1 - ours / theirs:.0%})"
    return f"before {second.instance_type}: at the same cost, it is the faster one, or the first by name"


def _print_candidates(
    console: Console, candidates: tuple[Candidate[EndpointEstimate] | Candidate[TrainingEstimate], ...]
) -> None:
    table = Table(
        title="Meets every requirement, cheapest first",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
    )
    for header in ("", "instance type", "count"):
        table.add_column(header, no_wrap=True)
    narrow = is_narrow(console)
    for header in ("predicted", *(() if narrow else ("memory", "USD/hour")), "USD/month"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("price", no_wrap=True)
    for position, c in enumerate(candidates[: RUNNERS_UP + 1], 1):
        e = c.estimate
        hourly = usd(c.cost.usd_per_hour) if c.cost.usd_per_hour is None else f"{c.cost.usd_per_hour:.4g}"
        details = () if narrow else (f"{e.memory.needed_gib / e.memory.usable_gib:.0%}", hourly)
        count = e.instances_at_average if isinstance(e, EndpointEstimate) else e.instance_count
        table.add_row(
            str(position),
            c.instance_type,
            str(count),
            outcome(e),
            *details,
            usd(c.cost.usd_per_month),
            basis(c.cost),
            style="bold" if position == 1 else None,
        )
    console.print(table)
    left_out = len(candidates) - RUNNERS_UP - 1
    if left_out > 0:
        console.print(f"  ... and {left_out} more (--json lists all)")


def _print_rejected(console: Console, rejected: tuple[Rejection, ...], candidate_count: int) -> None:
    table = Table(
        title=f"Turned down: {len(rejected)} of {len(rejected) + candidate_count}",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
    )
    table.add_column("because of", no_wrap=True)
    table.add_column("types", justify="right", no_wrap=True)
    table.add_column("nearest", no_wrap=True)
    table.add_column("why")
    by_filter = sorted(rejected, key=lambda r: r.filter)
    groups = {name: list(group) for name, group in groupby(by_filter, key=lambda r: r.filter)}
    order = [*TELLING_FILTERS[::-1], *sorted(set(groups) - set(TELLING_FILTERS))]
    for name in (n for n in order if n in groups):
        nearest = min(groups[name], key=lambda r: (r.shortfall or float("inf"), r.instance_type))
        table.add_row(name, str(len(groups[name])), nearest.instance_type, nearest.reason)
    console.print(table)

"""What endpoints were asked for, beside what is stated, and the change that follows."""

import json
from collections.abc import Iterator
from dataclasses import asdict

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sizewell.cli.console import is_narrow, print_lines
from sizewell.cli.formats import usd
from sizewell.cli.rightsize_command import Observation, Pick, Report, by_workload
from sizewell.facts.durations import MINUTE_S
from sizewell.facts.metric_statistics import Series
from sizewell.instance_selection.wording import milliseconds
from sizewell.planning.observed_model import Seen
from sizewell.planning.rightsizing import Verdict, figure
from sizewell.planning.serialization import rounded

_STYLES = {
    Verdict.FITS: "green",
    Verdict.IDLE: "red",
    Verdict.UNDER_USED: "yellow",
    Verdict.BUSY: "yellow",
    Verdict.GROWING: "yellow",
    Verdict.EXCEEDED: "red",
    Verdict.NO_DATA: "dim",
}
_UNITS = {"requests per second": "req/s", "users": "users"}
_METRICS = {"CPU": "CPUUtilization", "GPU": "GPUUtilization", "memory": "MemoryUtilization"}


def rightsizing_to_json(report: Report) -> str:
    """Return all that was found as JSON."""
    data = {
        "environment": report.environment,
        "days": report.days,
        "period_s": report.period_s,
        "models": [_model_data(observation) for observation in report.observations],
        "not_deployed": list(report.silent),
        "workloads": {name: _workload_data(report, name) for name, _ in by_workload(report)},
        "fault": report.fault or None,
        "file": report.file.as_posix(),
        "written": report.written,
    }
    return json.dumps(rounded(data), indent=2) + "\n"


def print_rightsizing(report: Report, console: Console) -> None:
    """Print a row for each model, then verdicts with what to change, what that saves, and the difference of the file.

    A narrow console is not told the average, latency and utilization; what matters of them stands in the verdict.
    """
    wrap = not console.is_terminal
    console.print(_table(report, narrow=is_narrow(console)))
    for name, observations in by_workload(report):
        for observation in observations:
            console.print(
                f"[bold]{observation.name}[/]: {escape(observation.found.words)}{_age(observation)}",
                soft_wrap=wrap,
            )
            print_lines(console, _change_lines(observation, report))
        if name in report.resized:
            print_lines(console, _resize_lines(name, report))
    for line in report.silent:
        console.print(escape(line), soft_wrap=wrap)
    if report.fault:
        console.print("These values cannot be taken:", style="bold red")
        console.print(escape(report.fault), soft_wrap=wrap)
    elif report.diff:
        console.print(f"\n{escape(report.diff)}\n", soft_wrap=True)
        file = report.file.as_posix()
        end = f"{file} is changed." if report.written else f"Nothing is written: --write changes {file}."
        console.print(end, soft_wrap=wrap)


def _table(report: Report, *, narrow: bool) -> Table:
    period = "minute" if report.period_s == MINUTE_S else f"{report.period_s // MINUTE_S} minutes"
    table = Table(
        title=f"{report.environment}, the last {report.days} days; at peak: the busiest {period}",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        collapse_padding=narrow,
    )
    table.add_column("endpoint", overflow="fold")
    table.add_column("runs on", no_wrap=True)
    table.add_column("at peak", justify="right", no_wrap=True)
    for header in () if narrow else ("on average", "p50", "p95", *_METRICS):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for observation in report.observations:
        found = observation.found
        table.add_row(
            f"[bold]{observation.name}[/]",
            _runs_on(observation),
            f"{_beside(found.peak, found.stated_peak)} {_UNITS[found.noun]}",
            *([] if narrow else _further(observation)),
            f"[{_STYLES[found.verdict]}]{found.verdict}[/]",
        )
    return table


def _further(observation: Observation) -> tuple[str, ...]:
    """Return what a narrow console has no room for."""
    return (
        _beside(observation.found.average, observation.found.stated_average),
        _latency(observation.seen, observation.seen.p50_us),
        _latency(observation.seen, observation.seen.p95_us),
        *(_percent(observation.seen.utilization.get(metric)) for metric in _METRICS.values()),
    )


def _age(observation: Observation) -> str:
    seen = observation.seen
    return f" (created {seen.days:.1f} days ago)" if seen.days < seen.asked_days else ""


def _runs_on(observation: Observation) -> str:
    if observation.deployed.instance_count is None:
        return "serverless"
    return f"{observation.deployed.instance_count} x {observation.deployed.instance_type or 'several types'}"


def _beside(seen: float, stated: float) -> str:
    return f"{figure(seen)} of {figure(stated)}"


def _latency(seen: Seen, percentile_us: Series) -> str:
    found_ms = seen.latency_ms(percentile_us)
    return "-" if found_ms is None else milliseconds(found_ms)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} %"


def _change_lines(observation: Observation, report: Report) -> Iterator[str]:
    path = ".".join((*observation.path, "traffic"))
    for change in observation.found.changes:
        before = "not stated" if change.before is None else f"{change.before:g}"
        yield f"{path}.{change.key}: {before} -> {change.after:g}"
    if observation.found.verdict is Verdict.IDLE:
        cost = usd(report.planned[observation.workload].usd_per_month)
        yield (
            f"{observation.workload} costs {cost} USD a month: remove it from {report.environment}, "
            "or use an endpoint that scales to zero"
        )


def _resize_lines(name: str, report: Report) -> Iterator[str]:
    before, after = report.planned[name], report.resized[name]
    cost = (
        f"{usd(before.usd_per_month)} -> {usd(after.usd_per_month)} USD a month{_difference(before, after)}"
    )
    if before == after:
        yield f"stays on {after.runs_on} for {usd(after.usd_per_month)} USD a month"
    elif before.runs_on == after.runs_on:
        yield f"stays on {after.runs_on}: {cost}"
    else:
        yield f"{before.runs_on} -> {after.runs_on}: {cost}"
    if name in report.locked:
        yield f"to take this into the lock, once it is written: sizewell lock {name} --update --env {report.environment}"


def _difference(before: Pick, after: Pick) -> str:
    if before.usd_per_month is None or after.usd_per_month is None:
        return ""
    saved = before.usd_per_month - after.usd_per_month
    return f", saves {usd(saved)}" if saved > 0 else f", costs {usd(-saved)} more"


def _model_data(observation: Observation) -> dict[str, object]:
    found, seen = observation.found, observation.seen
    return {
        "name": observation.name,
        "instance_type": observation.deployed.instance_type,
        "instance_count": observation.deployed.instance_count,
        "days": seen.days,
        "unit": found.noun,
        "stated_peak": found.stated_peak,
        "stated_average": found.stated_average,
        "peak": found.peak,
        "average": found.average,
        "p50_latency_ms": seen.latency_ms(seen.p50_us),
        "p95_latency_ms": seen.latency_ms(seen.p95_us),
        "utilization_percent": {name: seen.utilization.get(metric) for name, metric in _METRICS.items()},
        "verdict": found.verdict,
        "words": found.words,
        "changes": [
            {
                "key": ".".join((*observation.path, "traffic", change.key)),
                "before": change.before,
                "after": change.after,
            }
            for change in found.changes
        ],
    }


def _workload_data(report: Report, name: str) -> dict[str, object]:
    after = report.resized.get(name)
    return {
        "planned": asdict(report.planned[name]),
        "resized": None if after is None else asdict(after),
        "is_locked": name in report.locked,
    }

"""What came of a load test, as a table."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sizewell.config.printable import printable_word
from sizewell.instance_selection.wording import milliseconds
from sizewell.load.observations import PERCENTILES, Summary
from sizewell.load.open_loop import LoadRun


def print_summary(summary: Summary, run: LoadRun, per_second: float, console: Console) -> None:
    """Print the percentiles of each time, then how many requests were answered and why others were not."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("from when a request was due")
    for percent in PERCENTILES:
        table.add_column(f"p{percent}", justify="right", no_wrap=True)
    for name, found in (
        ("to the end of its answer", summary.latency_ms),
        ("to its first token", summary.first_token_ms),
        ("between two tokens", summary.inter_token_ms),
    ):
        if found:
            table.add_row(name, *(milliseconds(found[percent]) for percent in PERCENTILES))
    if summary.latency_ms:
        console.print(table)
    unsent = f", {run.unsent:,} not sent or not awaited" if run.unsent else ""
    console.print(
        f"{summary.answered:,} answered in {summary.duration_s:,.1f} s: {summary.answers_per_second:,.4g} requests/s of "
        f"{per_second:,.4g} asked for; {summary.failed:,} failed{unsent}",
        soft_wrap=True,
    )
    if summary.failures:
        failures = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        failures.add_column("failed", justify="right")
        failures.add_column("because", overflow="fold")
        for kind, count in summary.failures.items():
            failures.add_row(f"{count:,}", Text(printable_word(kind)))
        console.print(failures)

"""How the memory and the warm workers of a serverless endpoint were decided."""

import json

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sizewell.cli.console import open_console
from sizewell.cli.errors import exit_with
from sizewell.cli.formats import usd
from sizewell.cli.modes_view import mode_line
from sizewell.cli.output import echo
from sizewell.instance_selection.wording import milliseconds
from sizewell.planning.serialization import rounded
from sizewell.planning.serverless_plan_model import ServerlessEndpointPlan


def tell_serverless(endpoint: ServerlessEndpointPlan, *, as_json: bool, html: bool) -> None:
    """Print what was decided and why; as JSON, the plan of the endpoint. Ends the command where a page is asked for."""
    if html:
        exit_with(f"{endpoint.name} is a {endpoint.kind}: there is no page of it; explain it without --html")
    if as_json:
        document = rounded(endpoint.model_dump(mode="json"))
        echo(json.dumps(document, indent=2, sort_keys=True) + "\n", newline=False)
        return
    with open_console() as console:
        print_serverless(endpoint, console)


def print_serverless(endpoint: ServerlessEndpointPlan, console: Console) -> None:
    """Print the decisions, every memory with what speaks against it, and the assumptions."""
    wrap = not console.is_terminal
    cost = next(size.usd_per_month for size in endpoint.sizes if size.memory_mb == endpoint.memory_mb)
    console.print(
        f"[bold]{escape(endpoint.name)}[/]: [bold green]serverless, {endpoint.memory_mb:,} MB[/], "
        f"{usd(cost)} USD per month for {endpoint.requests_per_month:,.0f} requests",
        soft_wrap=wrap,
    )
    if endpoint.modes:
        console.print(f"  {mode_line(endpoint.name, endpoint.modes)}", soft_wrap=wrap)
    for decision in endpoint.decisions:
        console.print(f"  {escape(decision)}", soft_wrap=wrap)
    table = Table(title="Every memory", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    table.add_column("memory", justify="right", no_wrap=True)
    for header in ("vCPUs", "p95 warm", "at once", "USD/month"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("why not")
    for size in endpoint.sizes:
        table.add_row(
            f"{size.memory_mb:,} MB",
            f"{size.vcpus:.1f}",
            milliseconds(size.p95_latency_ms),
            str(size.concurrency_at_peak),
            usd(size.usd_per_month),
            escape("; ".join(size.why_not)),
            style="bold" if size.memory_mb == endpoint.memory_mb else None,
        )
    console.print(table)
    console.print("Assumptions", style="bold")
    for assumption in endpoint.assumptions:
        console.print(f"  {escape(assumption)}", soft_wrap=wrap)

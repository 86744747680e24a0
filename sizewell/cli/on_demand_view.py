"""How the memory and the warm workers of a serverless endpoint or a Lambda function were decided."""

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sizewell.cli.console import print_lines
from sizewell.cli.formats import usd
from sizewell.cli.kind import Row
from sizewell.cli.modes_view import mode_line
from sizewell.instance_selection.wording import milliseconds
from sizewell.planning.on_demand_plan_model import OnDemandPlan


def on_demand_row(workload: OnDemandPlan, on: str) -> Row:
    """Return the memory of a worker, and how many are kept warm; ``on`` says what works."""
    scaling, warm = workload.scaling, workload.provisioned_concurrency
    bounds = (
        f"{scaling.min_provisioned_concurrency}-{scaling.max_provisioned_concurrency}"
        if scaling
        else f"{warm or 0}"
    )
    return Row(
        on=f"{on}, {workload.memory_mb:,} MB",
        count=f"{bounds} warm",
        predicted=f"p95 {milliseconds(workload.p95_latency_ms)}",
    )


def print_on_demand(workload: OnDemandPlan, on: str, console: Console) -> None:
    """Print the decisions, the memories with what speaks against it, and the assumptions."""
    console.print(
        f"[bold]{escape(workload.name)}[/]: [bold green]{on}, {workload.memory_mb:,} MB[/], "
        f"{usd(workload.usd_per_month)} USD per month for {workload.requests_per_month:,.0f} requests",
        soft_wrap=not console.is_terminal,
    )
    mode = (mode_line(workload.name, workload.modes),) if workload.modes else ()
    print_lines(console, (*mode, *workload.decisions))
    table = Table(title="Memory", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    table.add_column("memory", justify="right", no_wrap=True)
    for header in ("vCPUs", "p95 warm", "at once", "USD/month"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("why not")
    for size in workload.sizes:
        table.add_row(
            f"{size.memory_mb:,} MB",
            f"{size.vcpus:.1f}",
            milliseconds(size.p95_latency_ms),
            str(size.concurrency_at_peak),
            usd(size.usd_per_month),
            escape("; ".join(size.why_not)),
            style="bold" if size.memory_mb == workload.memory_mb else None,
        )
    console.print(table)
    print_lines(console, workload.assumptions, "Assumptions")

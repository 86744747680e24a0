"""The table of a plan: what each workload runs on, what it will do, and what it costs."""

from rich import box
from rich.markup import escape
from rich.table import Table

from sizewell.cli.formats import basis, usd
from sizewell.cli.kind import ViewKind
from sizewell.kinds.registry import facet
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.workload_plan import WorkloadPlan


def plan_table(plan: DeploymentPlan, *, narrow: bool, ranges: bool, stacked: bool = False) -> Table:
    """Return the table; on a narrow console without how busy, and ``stacked`` with each name above its instance type."""
    locks = not narrow and any(map(_lock_mark, plan.on_instances))
    table = Table(
        title=f"{plan.platform} {plan.environment}: {plan.account}, {plan.region}",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_footer=True,
        collapse_padding=narrow,
    )
    if stacked:
        table.add_column("workload\n  instance type", "total", no_wrap=True)
    else:
        table.add_column("workload", "total", no_wrap=True)
        table.add_column("instance type", no_wrap=True)
    table.add_column("count", no_wrap=True, vertical="bottom")
    table.add_column("predicted", justify="right", no_wrap=True, vertical="bottom")
    if ranges:
        table.add_column("range", justify="right", no_wrap=True, vertical="bottom")
    if not narrow:
        table.add_column("used", justify="right", no_wrap=True, vertical="bottom")
    if locks:
        table.add_column("lock", no_wrap=True, vertical="bottom")
    table.add_column("price", no_wrap=True, vertical="bottom")
    table.add_column(
        "USD/month", usd(plan.bill.usd_per_month), justify="right", no_wrap=True, vertical="bottom"
    )
    lines = plan.bill.lines
    for workload, line in zip(plan.workloads, lines, strict=False):
        for part in workload.variants:
            runs = facet(part.kind, ViewKind).row(part)
            name = [f"[bold]{escape(part.name)}[/]", *([f"in {part.place}"] if part.place else [])]
            table.add_row(
                *(["\n  ".join(filter(None, [*name, runs.on]))] if stacked else [" ".join(name), runs.on]),
                runs.count,
                runs.predicted,
                *([runs.range] if ranges else []),
                *([] if narrow else [runs.used]),
                *([_lock_mark(part)] if locks else []),
                *((basis(line), usd(line.usd_per_month)) if part is workload else ("", "")),
            )
    nothing = [""] * (len(table.columns) - 3)
    for line in lines[len(plan.workloads) :]:
        table.add_row(f"[bold]{line.workload}[/]", *nothing, basis(line), usd(line.usd_per_month))
    return table


def _lock_mark(workload: WorkloadPlan) -> str:
    """Return where the lock is more than the best pick of today: out of date, not usable, or another type."""
    lock = getattr(workload, "lock", None)
    if lock is None:
        return ""
    if lock.state == "locked":
        return "" if lock.best_instance_type == lock.instance_type else "kept"
    return "[yellow]stale[/]" if lock.state == "stale" else "[red]not usable[/]"

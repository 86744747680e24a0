"""The table of a plan: what each workload runs on, what it will do, and what it costs."""

from dataclasses import dataclass

from rich import box
from rich.markup import escape
from rich.table import Table

from sizewell.cli.formats import basis, hours, known_by, outcome, spread, usd
from sizewell.cli.on_demand_view import runs_on
from sizewell.instance_selection.wording import milliseconds
from sizewell.planning.component_plan_model import ComponentEndpointPlan
from sizewell.planning.endpoint_plan_model import EndpointPlan, VariantPlan
from sizewell.planning.notebook_plan_model import NotebookPlan
from sizewell.planning.on_demand_plan_model import OnDemandPlan
from sizewell.planning.pipeline_plan_model import PipelinePlan
from sizewell.planning.plan import AnyWorkloadPlan, DeploymentPlan, InstanceWorkload
from sizewell.planning.processing_plan_model import ProcessingJobPlan
from sizewell.planning.training_plan_model import TrainedModelPlan
from sizewell.planning.transform_plan_model import BatchTransformPlan
from sizewell.planning.tuning_plan_model import TuningJobPlan


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
        for one in rows_of(workload):
            runs = _row(one)
            name = [f"[bold]{escape(one.name)}[/]", *([f"in {one.place}"] if one.place else [])]
            table.add_row(
                *(["\n  ".join(filter(None, [*name, runs.on]))] if stacked else [" ".join(name), runs.on]),
                runs.count,
                runs.predicted,
                *([runs.range] if ranges else []),
                *([] if narrow else [runs.used]),
                *([runs.lock] if locks else []),
                *((basis(line), usd(line.usd_per_month)) if one is workload else ("", "")),
            )
    nothing = [""] * (len(table.columns) - 3)
    for line in lines[len(plan.workloads) :]:
        table.add_row(f"[bold]{line.workload}[/]", *nothing, basis(line), usd(line.usd_per_month))
    return table


def rows_of(workload: AnyWorkloadPlan) -> tuple[AnyWorkloadPlan | VariantPlan, ...]:
    """Return what has a row of its own: a workload, and each further variant of an endpoint."""
    return (workload, *(workload.variants[1:] if isinstance(workload, EndpointPlan) else ()))


@dataclass(frozen=True, slots=True)
class _Row:
    """What a row says of a workload, beside its name and its price."""

    on: str
    count: str
    predicted: str
    range: str = ""
    used: str = ""
    lock: str = ""


def _row(workload: AnyWorkloadPlan | VariantPlan) -> _Row:
    if isinstance(workload, OnDemandPlan):
        return _on_demand(workload)
    if isinstance(workload, PipelinePlan):
        return _Row(on="", count=f"{len(workload.steps)} steps", predicted=hours(workload.hours))
    return _on_instances(workload)


def _on_instances(workload: InstanceWorkload) -> _Row:
    estimate = workload.selection.chosen.estimate
    if isinstance(workload, TuningJobPlan):
        estimate = workload.estimate_of_run
    return _Row(
        on=workload.selection.chosen.instance_type,
        count=_count(workload),
        predicted=outcome(estimate),
        range=spread(estimate) or known_by(estimate),
        used=f"{estimate.utilization:.0%}",
        lock=_lock_mark(workload),
    )


def _on_demand(workload: OnDemandPlan) -> _Row:
    """Return the memory of a worker, and how many are kept warm."""
    scaling, warm = workload.scaling, workload.provisioned_concurrency
    bounds = (
        f"{scaling.min_provisioned_concurrency}-{scaling.max_provisioned_concurrency}"
        if scaling
        else f"{warm or 0}"
    )
    return _Row(
        on=runs_on(workload),
        count=f"{bounds} warm",
        predicted=f"p95 {milliseconds(workload.p95_latency_ms)}",
    )


def _count(workload: InstanceWorkload) -> str:
    if isinstance(workload, NotebookPlan):
        return str(workload.selection.chosen.estimate.instance_count)
    if isinstance(workload, BatchTransformPlan | ProcessingJobPlan):
        return str(workload.attempts[0].instance_count)
    if isinstance(workload, TrainedModelPlan):
        spot = " Spot" if workload.spot else ""
        parallel = f"{workload.search.max_parallel_jobs} x " if isinstance(workload, TuningJobPlan) else ""
        return f"{parallel}{workload.attempts[0].instance_count}{spot}"
    if isinstance(workload, ComponentEndpointPlan):
        return f"{workload.scaling.min_instance_count}-{workload.scaling.max_instance_count}"
    if workload.scaling is None:
        return str(workload.initial_instance_count)
    return f"{workload.scaling.min_instance_count}-{workload.scaling.max_instance_count}"


def _lock_mark(workload: InstanceWorkload) -> str:
    """Return where the lock is more than the best pick of today: out of date, not usable, or another type."""
    lock = workload.lock
    if lock is None:
        return ""
    if lock.state == "locked":
        return "" if lock.best_instance_type == lock.instance_type else "kept"
    return "[yellow]stale[/]" if lock.state == "stale" else "[red]not usable[/]"

"""The steps of a pipeline in their order: what each does, how long it takes, and what it costs."""

from collections.abc import Iterator

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sizewell.cli.console import print_lines
from sizewell.cli.formats import UNKNOWN, hours, usd
from sizewell.cli.kind import Row, ViewKind
from sizewell.kinds.pipeline.plan_model import (
    PipelinePlan,
    QualityGatePlan,
    RegisterStepPlan,
    RunStepPlan,
)


def steps_in_order(pipeline: PipelinePlan) -> str:
    """Return the steps on one line: ``clean, then train and count, then register``."""
    return ", then ".join(" and ".join(step.name for step in level) for level in pipeline.levels)


def cost_of_run(pipeline: PipelinePlan) -> str:
    """Return what the jobs of one run cost, in words."""
    cost = pipeline.usd_per_run
    return f"at {UNKNOWN} cost" if cost is None else f"for {usd(cost)} USD"


def print_pipeline(pipeline: PipelinePlan, console: Console) -> None:
    """Print one run with its longest path, and a row for each step; steps of one number run side by side."""
    console.print(
        f"[bold]{escape(pipeline.name)}[/]: a run takes [bold green]{hours(pipeline.hours)}[/] {cost_of_run(pipeline)}, and is "
        f"ended after {hours(pipeline.time_limit_s / 3600)}",
        soft_wrap=not console.is_terminal,
    )
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("step", no_wrap=True)
    table.add_column("does")
    for header in ("predicted", "deadline", "USD/run"):
        table.add_column(header, justify="right", no_wrap=True)
    for number, level in enumerate(pipeline.levels, start=1):
        for step in level:
            cells = (
                (hours(step.hours), hours(step.deadline_s / 3600), usd(step.usd_per_run))
                if isinstance(step, RunStepPlan)
                else ("", "", "")
            )
            table.add_row(str(number), f"[bold]{escape(step.name)}[/]", escape(_does(step)), *cells)
    console.print(table)
    path = " + ".join(f"{step.name} {hours(step.hours)}" for step in pipeline.longest_path)
    runs = "how often it runs is not stated: the bill counts one run a month"
    if pipeline.runs_per_month is not None:
        runs = f"runs {pipeline.runs_per_month:,.4g} times a month; the bill counts them where they are paid, by its jobs"
    conditions = (_conditions(step) for step in pipeline.runs if step.reads or step.gates)
    print_lines(console, (*conditions, f"longest path: {path}", runs))


def _does(step: RunStepPlan | RegisterStepPlan) -> str:
    if isinstance(step, RunStepPlan):
        return f"runs {step.workload}"
    approved = "approved" if step.is_approved else "which waits for approval"
    return f"registers the model of {step.trained_by} in {step.group}, {approved}"


def _conditions(step: RunStepPlan) -> str:
    """Return what a step reads of the run, and which numbers let it go on."""
    reads = [f"its input {key} is the model of {other}" for key, other in step.reads.items()]
    return f"{step.name}: " + "; ".join([*reads, *(f"passes if {_bounds(gate)}" for gate in step.gates)])


def _bounds(gate: QualityGatePlan) -> str:
    bounds = (("at least", gate.at_least), ("at most", gate.at_most))
    return f"{gate.metric} is " + " and ".join(
        f"{words} {value:g}" for words, value in bounds if value is not None
    )


def _row(pipeline: PipelinePlan) -> Row:
    return Row(on="", count=f"{len(pipeline.steps)} steps", predicted=hours(pipeline.hours))


def _notes(pipeline: PipelinePlan) -> Iterator[str]:
    yield (
        f"{steps_in_order(pipeline)}; a run takes {hours(pipeline.hours)} {cost_of_run(pipeline)}, which its jobs count"
    )


FACET = ViewKind(row=_row, notes=_notes, show=print_pipeline)

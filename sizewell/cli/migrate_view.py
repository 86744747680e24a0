"""A workload now and on Neuron chips: cost, time, what must change, and the verdict."""

import json

from rich import box
from rich.console import Console
from rich.table import Table

from sizewell.cli.candidates import instance_count
from sizewell.cli.console import print_lines
from sizewell.cli.formats import basis, outcome, usd
from sizewell.cli.migrate_command import AnyAssessment
from sizewell.instance_selection import EndpointEstimate
from sizewell.instance_selection.migration import Verdict
from sizewell.instance_selection.neuron import NeuronChange, NeuronFact
from sizewell.instance_selection.results import AnyCandidate, NotebookEstimate
from sizewell.planning.serialization import rounded

VERDICT_STYLES = {
    Verdict.PILOT: "bold green",
    Verdict.DONE: "bold green",
    Verdict.STAY: "bold",
    Verdict.IMPOSSIBLE: "bold red",
    Verdict.UNKNOWN: "bold yellow",
}
#: What to do next, in the order in which it pays: measure small before anything is moved.
NEXT_STEPS = {
    Verdict.PILOT: (
        "Pilot: name the image under container.images.neuron in one environment without users, and deploy it there.",
        "Measure it, and take the result with sizewell import-measurement: it replaces these estimates.",
        "Roll out step by step; the GPU image stays in the configuration, so the way back is one line.",
    ),
    Verdict.STAY: ("Ask again after a refresh of the prices, or when the load has grown.",),
    Verdict.IMPOSSIBLE: (),
    Verdict.UNKNOWN: ("Look the missing fact up, and add it as a row with its source.",),
    Verdict.DONE: (),
}


def assessment_to_json(assessment: AnyAssessment) -> str:
    """Return the whole assessment as JSON."""
    return json.dumps(rounded(assessment.model_dump(mode="json")), indent=2) + "\n"


def print_assessment(workload: str, assessment: AnyAssessment, console: Console) -> None:
    """Print the verdict, now beside then, what must change with its sources, and the next steps."""
    wrap = not console.is_terminal
    style = VERDICT_STYLES[assessment.verdict]
    console.print(f"[bold]{workload}[/]: [{style}]{assessment.verdict}[/]; {assessment.why}", soft_wrap=wrap)
    _print_table(assessment, console)
    sources = _sources(assessment)
    sections = (
        ("Neuron SDK", [f"{fact} [{sources[_source(fact)]}]" for fact in assessment.facts]),
        ("Must change", [f"{c.topic}: {c.change} [{sources[_source(c)]}]" for c in assessment.changes]),
        ("Rejected", [f"{r.instance_type}: {r.filter}: {r.reason}" for r in assessment.rejected]),
        ("Next", NEXT_STEPS[assessment.verdict]),
        ("Assumptions", assessment.assumptions),
        ("Sources", [f"[{number}] {source}" for source, number in sources.items()]),
    )
    for title, lines in sections:
        print_lines(console, lines, title)


def _sources(assessment: AnyAssessment) -> dict[str, int]:
    """Return the number of each source, in the order in which they are first needed."""
    rows: tuple[NeuronFact | NeuronChange, ...] = (*assessment.facts, *assessment.changes)
    found = dict.fromkeys(map(_source, rows))
    return {source: number for number, source in enumerate(found, start=1)}


def _source(row: NeuronFact | NeuronChange) -> str:
    return f"{row.source}; {row.as_of}"


def _print_table(assessment: AnyAssessment, console: Console) -> None:
    now, then = assessment.now, assessment.then
    table = Table(box=box.SIMPLE_HEAD)
    for header in ("", "now", "on Neuron", "difference"):
        table.add_column(header, justify="left" if not header else "right", no_wrap=True)
    table.add_row("instance type", now.instance_type, then.instance_type if then else "none", "")
    table.add_row("instances", str(instance_count(now)), str(instance_count(then)) if then else "-", "")
    ratio = assessment.outcome_ratio
    table.add_row(
        "predicted",
        outcome(now.estimate),
        outcome(then.estimate) if then else "-",
        f"x {ratio:.2f}" if ratio else "-",
    )
    if isinstance(now.estimate, EndpointEstimate):
        busy = then.estimate.utilization if then else None
        table.add_row(
            "busy at peak", f"{now.estimate.utilization:.0%}", f"{busy:.0%}" if busy is not None else "-", ""
        )
    else:
        table.add_row("USD/run", *_money(_per_run(now), _per_run(then) if then else None, then))
    table.add_row(
        "USD/month", *_money(now.cost.usd_per_month, then.cost.usd_per_month if then else None, then)
    )
    table.add_row("price", basis(now.cost), basis(then.cost) if then else "-", "")
    console.print(table)


def _per_run(candidate: AnyCandidate) -> float | None:
    estimate = candidate.estimate
    return None if isinstance(estimate, EndpointEstimate | NotebookEstimate) else estimate.usd_per_run


def _money(now: float | None, then: float | None, candidate: AnyCandidate | None) -> tuple[str, str, str]:
    if candidate is None:
        return usd(now), "-", "-"
    if now is None or then is None:
        return usd(now), usd(then), usd(None)
    sign = "-" if then < now else "+"
    return usd(now), usd(then), f"{sign}{usd(abs(then - now))}"

"""The answer to the shortest question: the best type, the next ones, and everything that was assumed."""

import json

from rich import box
from rich.console import Console
from rich.table import Table

from sizewell.cli.candidates import instance_count
from sizewell.cli.console import print_lines
from sizewell.cli.formats import basis, outcome, usd
from sizewell.instance_selection import Catalog, EndpointEstimate
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.recommender import Recommendation
from sizewell.planning.serialization import rounded

RUNNERS_UP = 5


def recommendation_to_json(recommendation: Recommendation) -> str:
    """Return the whole recommendation as JSON."""
    return json.dumps(rounded(recommendation.model_dump(mode="json")), indent=2) + "\n"


def print_recommendation(recommendation: Recommendation, catalog: Catalog, console: Console) -> None:
    """Print the pick, a row for each of the next ones, and the assumptions."""
    wrap = not console.is_terminal
    chosen = recommendation.chosen
    hardware = _hardware(catalog.get(chosen.instance_type))
    console.print(
        f"[bold]{recommendation.parameters:g}[/] parameters, {recommendation.task}, {recommendation.budget}: "
        f"[bold green]{chosen.instance_type}[/] ({hardware})",
        soft_wrap=wrap,
    )
    per = "USD/month" if isinstance(chosen.estimate, EndpointEstimate) else "USD/run"
    table = Table(box=box.SIMPLE_HEAD)
    for header in ("instance type", "hardware", "count", "predicted", per, "price"):
        table.add_column(header, justify="right" if header in ("count", "predicted", per) else "left")
    for candidate in (chosen, *recommendation.runners_up[:RUNNERS_UP]):
        table.add_row(
            candidate.instance_type,
            _hardware(catalog.get(candidate.instance_type)),
            str(instance_count(candidate)),
            outcome(candidate.estimate),
            usd(candidate.cost.usd_per_month),
            basis(candidate.cost),
            style="bold" if candidate is chosen else None,
        )
    console.print(table)
    if len(recommendation.runners_up) > RUNNERS_UP:
        console.print(f"  ... and {len(recommendation.runners_up) - RUNNERS_UP} more (--json lists all)")
    print_lines(console, recommendation.assumptions, "Assumptions")
    console.print("The more a configuration says, the better the answer: sizewell guide configuration")


def _hardware(instance_type: InstanceType) -> str:
    if instance_type.accelerator is None:
        return f"{instance_type.vcpus} vCPU {instance_type.cpu_architecture}"
    return f"{instance_type.accelerator_count} x {instance_type.accelerator.name}"

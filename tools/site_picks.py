"""The page of the site on which a reader states needs and sees the pick: answers of the real selection over a grid of needs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from sizewell.cli.candidates import instance_count
from sizewell.cli.formats import outcome, spread, usd
from sizewell.config import ConfigError, Fault
from sizewell.planning.endpoint_plan_model import EndpointPlan
from sizewell.planning.load import load_inputs
from sizewell.planning.plan import DeploymentPlan

REGION = "us-east-1"
#: Of the peak, what the average load is.
AVERAGE_SHARE = 0.25
_HEAD = f"""# Try your needs

Choose a model and what is asked of it. The answer is that of Sizewell's own selection, for a real-time endpoint of SageMaker in
{REGION} with an average load of {AVERAGE_SHARE:.0%} of the peak. Every build of this page asks it for each point of the grid.
The dollars are those of its instances, and a prediction has a range, in parentheses: [Estimates](guides/estimates.md). Nothing is
computed in your browser, and nothing is sent. For other needs: `sizewell plan`.

"""
_TABLE = (
    "| model | request | p95 below | peak per second | pick | predicted | USD per month | next best |\n"
    "|---|---|--:|--:|---|---|--:|---|\n"
)


@dataclass(frozen=True)
class Grid:
    """A model, one request, and the needs that are tried."""

    preset: str
    image: tuple[str, str]
    """Framework and version of the container."""
    request: dict[str, int]
    latencies_ms: tuple[int, ...]
    peaks: tuple[float, ...]
    """Requests per second."""

    @property
    def request_words(self) -> str:
        """What one request is."""
        return ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in self.request.items())


_PYTORCH, _TEI, _VLLM = ("huggingface-pytorch", "2.6"), ("huggingface-tei", "1.9.4"), ("vllm", "0.31")
_CHAT = {"input_tokens": 500, "output_tokens": 200}
GRIDS = (
    Grid("distilbert-base", _PYTORCH, {"input_tokens": 128}, (5, 20, 50, 100, 500), (1, 10, 100, 1000)),
    Grid("bert-base", _PYTORCH, {"input_tokens": 128}, (5, 20, 50, 100, 500), (1, 10, 100, 1000)),
    Grid("bge-base", _TEI, {"input_tokens": 200}, (5, 20, 50, 100, 500), (1, 10, 100, 1000)),
    Grid("resnet-50", _PYTORCH, {"images": 1}, (5, 20, 50, 100, 500), (1, 10, 100, 1000)),
    Grid("llama-3.1-8b", _VLLM, _CHAT, (3_000, 6_000, 15_000, 40_000), (0.2, 1, 5, 20)),
    Grid("mistral-7b", _VLLM, _CHAT, (3_000, 6_000, 15_000, 40_000), (0.2, 1, 5, 20)),
    Grid("llama-3.1-70b", _VLLM, _CHAT, (3_000, 10_000, 20_000, 40_000), (0.2, 1, 5)),
)


@dataclass(frozen=True)
class Answer:
    """What is picked for one point of the grid; ``refused`` says why nothing is."""

    grid: Grid
    latency_ms: int
    peak: float
    pick: str = ""
    predicted: str = ""
    cost: str = ""
    next_best: str = ""
    refused: str = ""


def answers() -> list[Answer]:
    """Return the answer of the selection for every point."""
    points = {
        f"w{number}": point
        for number, point in enumerate(
            (grid, latency, peak)
            for grid in GRIDS
            for latency, peak in product(grid.latencies_ms, grid.peaks)
        )
    }
    with TemporaryDirectory() as directory:
        plan, refused = _plan(Path(directory), {name: _workload(*point) for name, point in points.items()})
    planned = {endpoint.name: endpoint for endpoint in plan.endpoints}
    return [
        _answer(point, planned[name]) if name in planned else Answer(*point, refused=refused[name])
        for name, point in points.items()
    ]


def _workload(grid: Grid, latency_ms: int, peak: float) -> dict[str, Any]:
    framework, version = grid.image
    return {
        "kind": "real-time-endpoint",
        "model": {"preset": grid.preset},
        "container": {
            "image": {"framework": framework, "version": version},
            "artifact": {"key": "models/m/", "compression": "none"},
        },
        "request": grid.request,
        "traffic": {"peak_requests_per_second": peak, "average_requests_per_second": peak * AVERAGE_SHARE},
        "latency": {"max_p95_ms": latency_ms},
    }


def _plan(directory: Path, workloads: dict[str, Any]) -> tuple[DeploymentPlan, dict[str, str]]:
    """Return the plan of what can be met, and why the rest cannot."""
    refused: dict[str, str] = {}
    while True:
        possible = {name: workload for name, workload in workloads.items() if name not in refused}
        document = {
            "platform": "grid",
            "network": {"mode": "new", "cidr": "10.0.0.0/16", "availability_zones": 2},
            "policy": {"account": "111122223333", "region": REGION},
            "workloads": possible,
        }
        (directory / "base.yaml").write_text(yaml.safe_dump(document, sort_keys=False), "utf-8")
        (directory / "grid.yaml").write_text("{}\n", "utf-8")
        inputs = load_inputs(directory, "grid")
        try:
            return inputs.plan(None, within_budget=False), refused
        except ConfigError as error:
            found = {
                fault.key_path[1]: _why_none(fault)
                for fault in error.faults
                if fault.key_path[:1] == ("workloads",)
            }
            if not found:
                raise
            refused |= found


def _why_none(fault: Fault) -> str:
    """Return which type is nearest and what it misses."""
    return f"the nearest is {fault.details[0].strip()}" if fault.details else fault.message


def _answer(point: tuple[Grid, int, float], plan: EndpointPlan) -> Answer:
    selection = plan.selection
    chosen = selection.chosen
    following = selection.runners_up[0] if selection.runners_up else None
    return Answer(
        *point,
        pick=f"{instance_count(chosen)} x {chosen.instance_type}",
        predicted=f"{outcome(chosen.estimate)} ({spread(chosen.estimate)})",
        cost=usd(chosen.cost.usd_per_month),
        next_best=f"{following.instance_type}, {usd(following.cost.usd_per_month)} USD"
        if following
        else "none",
    )


def picks_page() -> str:
    """Return the page: the data, a place for the choice, and all answers as a table for who reads without scripts."""
    found = answers()
    rows = "".join(f"| {' | '.join(_cells(answer))} |\n" for answer in found)
    data = json.dumps([_data(answer) for answer in found], separators=(",", ":")).replace("<", "\\u003c")
    table = "".join(f"    {line}\n" for line in (_TABLE + rows).splitlines())
    return (
        f'{_HEAD}<div id="picks"></div>\n\n<script type="application/json" id="picks-data">{data}</script>\n\n'
        f'??? info "All {len(found)} answers"\n\n{table}'
    )


def _cells(answer: Answer) -> Iterator[str]:
    yield from (
        answer.grid.preset,
        answer.grid.request_words,
        f"{answer.latency_ms:,} ms",
        f"{answer.peak:g}",
    )
    if answer.refused:
        yield from ("none", "", "", answer.refused.replace("|", "\\|"))
    else:
        yield from (f"`{answer.pick}`", answer.predicted, answer.cost, answer.next_best)


def _data(answer: Answer) -> dict[str, object]:
    return {
        "model": answer.grid.preset,
        "request": answer.grid.request_words,
        "latency_ms": answer.latency_ms,
        "peak": answer.peak,
        "pick": answer.pick,
        "predicted": answer.predicted,
        "cost": answer.cost,
        "next": answer.next_best,
        "refused": answer.refused,
    }

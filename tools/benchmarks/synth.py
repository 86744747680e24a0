"""Time cold synth of Sizewell against a yardstick in plain CDK: ``python -m tools.benchmarks.synth``."""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from constructs_lib.jsii_runtime import use_bundled_node
from tools.benchmarks.configuration import ENVIRONMENT, write_configuration

PROJECT_ROOT = Path(__file__).resolve().parents[2]
DEFAULT_PAIRS = "1:3,100:3,300:2"
#: Sizewell should need less than this share of the time of the yardstick.
GOAL_RATIO = 0.8
#: How the stack ends, on both sides, that the endpoints share.
SHARED = "foundation"


@dataclass(frozen=True)
class Run:
    """Seconds of one process and its children: by the clock, and of all processors together."""

    wall_s: float
    cpu_s: float


@dataclass(frozen=True, kw_only=True)
class Side:
    """A program with its input."""

    name: str
    arguments: tuple[str, ...]
    context: dict[str, str]
    assembly: Path

    def run(self) -> Run:
        """Synthesize once; raises RuntimeError with the output of a process that fails."""
        shutil.rmtree(self.assembly, ignore_errors=True)
        log = self.assembly.with_suffix(".log")
        with log.open("w", encoding="utf-8") as output:
            start = time.perf_counter()
            process = subprocess.Popen(
                [sys.executable, *self.arguments],
                cwd=PROJECT_ROOT,
                env=self._variables(),
                stdout=output,
                stderr=output,
            )
            _, status, usage = os.wait4(process.pid, 0)
            wall_s = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise RuntimeError(f"{self.name} ended with {process.returncode}:\n{log.read_text('utf-8')}")
        return Run(wall_s, usage.ru_utime + usage.ru_stime)

    def resources(self) -> dict[str, Counter[str]]:
        """Return how many resources of which type each stack has, by its name; after a run."""
        return {
            path.name.removesuffix(".template.json"): Counter(
                resource["Type"] for resource in json.loads(path.read_text("utf-8"))["Resources"].values()
            )
            for path in sorted(self.assembly.glob("*.template.json"))
        }

    def _variables(self) -> dict[str, str]:
        """Return what the CDK CLI passes to an app, and the same Node.js for both sides."""
        use_bundled_node()
        variables = dict(os.environ)
        # Compiled Python is part of an installed environment: without it, every run would compile aws_cdk anew.
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
        context = {**_cdk_json()["context"], **self.context}
        return {**variables, "CDK_CONTEXT_JSON": json.dumps(context), "CDK_OUTDIR": str(self.assembly)}


def prepare_sides(directory: Path, endpoint_count: int) -> tuple[Side, Side]:
    """Write the configuration into a directory and return Sizewell's side and the yardstick."""
    configuration = directory / "config"
    configuration.mkdir(parents=True)
    write_configuration(configuration, endpoint_count)
    return (
        Side(
            name="Sizewell",
            arguments=_app_arguments(),
            context={"env": ENVIRONMENT, "config": str(configuration)},
            assembly=directory / "sizewell",
        ),
        Side(
            name="yardstick",
            arguments=("-m", "tools.benchmarks.yardstick", str(endpoint_count)),
            context={},
            assembly=directory / "yardstick",
        ),
    )


def _app_arguments() -> tuple[str, ...]:
    """Return what the command in cdk.json passes to ``python``: app.py, and flags if there are any."""
    return tuple(shlex.split(_cdk_json()["app"])[1:])


def _cdk_json() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((PROJECT_ROOT / "cdk.json").read_text("utf-8"))
    return document


@dataclass(frozen=True, kw_only=True)
class SizeResult:
    """The pairs of runs at one number of endpoints, and what each side makes: types of resources by stack."""

    endpoint_count: int
    sizewell_resources: dict[str, Counter[str]]
    yardstick_resources: dict[str, Counter[str]]
    sizewell: tuple[Run, ...]
    yardstick: tuple[Run, ...]

    @property
    def resource_counts(self) -> tuple[int, int]:
        """How many resources Sizewell and the yardstick make."""
        sizewell, yardstick = (
            sum(types.total() for types in side.values())
            for side in (self.sizewell_resources, self.yardstick_resources)
        )
        return sizewell, yardstick

    @property
    def resources_per_endpoint(self) -> dict[str, tuple[float, float]]:
        """How many resources of a type stand in the stacks of endpoints, a mean: of Sizewell and of the yardstick."""
        sizewell, yardstick = (
            sum((types for stack, types in side.items() if not stack.endswith(SHARED)), Counter[str]())
            for side in (self.sizewell_resources, self.yardstick_resources)
        )
        return {
            resource_type: (
                sizewell[resource_type] / self.endpoint_count,
                yardstick[resource_type] / self.endpoint_count,
            )
            for resource_type in sorted(sizewell.keys() | yardstick.keys())
        }

    @property
    def wall_ratios(self) -> tuple[float, ...]:
        """Sizewell's time over that of the yardstick beside it, pair by pair."""
        return tuple(a.wall_s / b.wall_s for a, b in zip(self.sizewell, self.yardstick, strict=True))

    @property
    def cpu_ratios(self) -> tuple[float, ...]:
        """The same for processor time, which other programs on the machine disturb less."""
        return tuple(a.cpu_s / b.cpu_s for a, b in zip(self.sizewell, self.yardstick, strict=True))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit code is 1 when a side fails."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.synth", description=__doc__)
    parser.add_argument(
        "--pairs",
        type=parse_pairs,
        default=DEFAULT_PAIRS,
        metavar="ENDPOINTS:PAIRS,...",
        help="how many pairs of runs at which number of endpoints (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print plain data, not a table")
    options = parser.parse_args(arguments)
    try:
        results = [measure(endpoint_count, pairs) for endpoint_count, pairs in options.pairs]
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(to_json(results), indent=2))
    else:
        Console().print(to_table(results), resource_table(results[-1]))
    return 0


def parse_pairs(text: str) -> tuple[tuple[int, int], ...]:
    """Read ``1:3,100:2`` as three pairs at one endpoint and two at a hundred."""
    pairs = tuple((int(size), int(count)) for size, count in (part.split(":") for part in text.split(",")))
    if any(size < 1 or count < 1 for size, count in pairs):
        raise ValueError(f"numbers of endpoints and pairs must be positive, got {text}")
    return pairs


def measure(endpoint_count: int, pairs: int) -> SizeResult:
    """Time both sides in alternation, after one untimed run of each.

    The untimed runs also compile Python and unpack the kernel, which happens once on a machine and not in every synth.
    """
    with TemporaryDirectory() as directory:
        sizewell, yardstick = prepare_sides(Path(directory, "synth"), endpoint_count)
        for side in (sizewell, yardstick):
            _run(side, endpoint_count, "untimed")
        runs: dict[str, list[Run]] = {sizewell.name: [], yardstick.name: []}
        for number in range(1, pairs + 1):
            for side in (sizewell, yardstick):
                runs[side.name].append(_run(side, endpoint_count, f"pair {number} of {pairs}"))
        return SizeResult(
            endpoint_count=endpoint_count,
            sizewell_resources=sizewell.resources(),
            yardstick_resources=yardstick.resources(),
            sizewell=tuple(runs[sizewell.name]),
            yardstick=tuple(runs[yardstick.name]),
        )


def _run(side: Side, endpoint_count: int, what: str) -> Run:
    print(f"{endpoint_count} endpoints, {what}: {side.name} ...", file=sys.stderr, flush=True)
    return side.run()


def to_json(results: list[SizeResult]) -> dict[str, Any]:
    """Return the result as plain data: seconds, and ratios as median, min and max."""
    return {
        "goal_ratio": GOAL_RATIO,
        "sizes": [
            {
                "endpoint_count": result.endpoint_count,
                "sizewell_resource_count": result.resource_counts[0],
                "yardstick_resource_count": result.resource_counts[1],
                "resources_per_endpoint": {
                    resource_type: {"sizewell": ours, "yardstick": theirs}
                    for resource_type, (ours, theirs) in result.resources_per_endpoint.items()
                },
                "sizewell_wall_s": [round(run.wall_s, 3) for run in result.sizewell],
                "yardstick_wall_s": [round(run.wall_s, 3) for run in result.yardstick],
                "sizewell_cpu_s": [round(run.cpu_s, 3) for run in result.sizewell],
                "yardstick_cpu_s": [round(run.cpu_s, 3) for run in result.yardstick],
                "wall_ratio": _spread(result.wall_ratios),
                "cpu_ratio": _spread(result.cpu_ratios),
            }
            for result in results
        ],
    }


def to_table(results: list[SizeResult]) -> Table:
    """Return the result as a table: median seconds, and the ratio of each pair."""
    table = Table(
        title="Cold synth, whole process",
        caption=f"Ratio of each pair, median: below 1, Sizewell is faster. Goal: below {GOAL_RATIO}.",
    )
    for heading in (
        "endpoints",
        "resources",
        "yardstick's",
        "pairs",
        "Sizewell",
        "yardstick",
        "ratio",
        "min",
        "max",
        "CPU ratio",
    ):
        table.add_column(heading, justify="right")
    for result in results:
        ratios = result.wall_ratios
        table.add_row(
            str(result.endpoint_count),
            *map(str, result.resource_counts),
            str(len(ratios)),
            f"{median(run.wall_s for run in result.sizewell):.1f} s",
            f"{median(run.wall_s for run in result.yardstick):.1f} s",
            f"{median(ratios):.2f}",
            f"{min(ratios):.2f}",
            f"{max(ratios):.2f}",
            f"{median(result.cpu_ratios):.2f}",
        )
    return table


def resource_table(result: SizeResult) -> Table:
    """Return what the two sides make for an endpoint, and so what the yardstick leaves out."""
    shared = tuple(
        sum(types.total() for stack, types in side.items() if stack.endswith(SHARED))
        for side in (result.sizewell_resources, result.yardstick_resources)
    )
    table = Table(
        title=f"Resources of an endpoint, the mean of {result.endpoint_count}",
        caption=f"In the stack that the endpoints share: {shared[0]} of Sizewell, {shared[1]} of the yardstick.",
    )
    table.add_column("type")
    for heading in ("Sizewell", "yardstick", "left out"):
        table.add_column(heading, justify="right")
    for resource_type, (ours, theirs) in result.resources_per_endpoint.items():
        left_out = f"{ours - theirs:.1f}" if ours > theirs else ""
        table.add_row(resource_type, f"{ours:.1f}", f"{theirs:.1f}", left_out)
    return table


def _spread(ratios: tuple[float, ...]) -> dict[str, object]:
    return {
        "pairs": [round(ratio, 3) for ratio in ratios],
        "median": round(median(ratios), 3),
        "min": round(min(ratios), 3),
        "max": round(max(ratios), 3),
    }


if __name__ == "__main__":
    sys.exit(main())

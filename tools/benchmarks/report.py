"""The result of the benchmark, as a table and as plain data."""

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.table import Table

from tools.benchmarks.runner import Run

#: Sizewell should need less than this share of the time of the yardstick.
GOAL_RATIO = 0.8
#: How the stack ends, on both sides, that the endpoints share.
SHARED = "foundation"


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

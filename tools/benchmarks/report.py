"""The result of the benchmark, as a table and as plain data."""

from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.table import Table

from tools.benchmarks.runner import Run

#: Sizewell should need less than this share of the time of hand-written CDK.
GOAL_RATIO = 0.8


@dataclass(frozen=True, kw_only=True)
class SizeResult:
    """The pairs of runs at one number of endpoints."""

    endpoint_count: int
    resource_count: int
    sizewell: tuple[Run, ...]
    handwritten: tuple[Run, ...]

    @property
    def wall_ratios(self) -> tuple[float, ...]:
        """Sizewell's time over that of the hand-written run beside it, pair by pair."""
        return tuple(a.wall_s / b.wall_s for a, b in zip(self.sizewell, self.handwritten, strict=True))

    @property
    def cpu_ratios(self) -> tuple[float, ...]:
        """The same for processor time, which other programs on the machine disturb less."""
        return tuple(a.cpu_s / b.cpu_s for a, b in zip(self.sizewell, self.handwritten, strict=True))


def to_json(results: list[SizeResult]) -> dict[str, Any]:
    """Return the result as plain data: seconds, and ratios as median, min and max."""
    return {
        "goal_ratio": GOAL_RATIO,
        "sizes": [
            {
                "endpoint_count": result.endpoint_count,
                "resource_count": result.resource_count,
                "sizewell_wall_s": [round(run.wall_s, 3) for run in result.sizewell],
                "handwritten_wall_s": [round(run.wall_s, 3) for run in result.handwritten],
                "sizewell_cpu_s": [round(run.cpu_s, 3) for run in result.sizewell],
                "handwritten_cpu_s": [round(run.cpu_s, 3) for run in result.handwritten],
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
        "pairs",
        "Sizewell",
        "by hand",
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
            str(result.resource_count),
            str(len(ratios)),
            f"{median(run.wall_s for run in result.sizewell):.1f} s",
            f"{median(run.wall_s for run in result.handwritten):.1f} s",
            f"{median(ratios):.2f}",
            f"{min(ratios):.2f}",
            f"{max(ratios):.2f}",
            f"{median(result.cpu_ratios):.2f}",
        )
    return table


def _spread(ratios: tuple[float, ...]) -> dict[str, object]:
    return {
        "pairs": [round(ratio, 3) for ratio in ratios],
        "median": round(median(ratios), 3),
        "min": round(min(ratios), 3),
        "max": round(max(ratios), 3),
    }

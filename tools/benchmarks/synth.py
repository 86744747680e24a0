"""Time cold synth of Sizewell against a yardstick in plain CDK: ``python -m tools.benchmarks.synth``."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from tools.benchmarks.report import SizeResult, resource_table, to_json, to_table
from tools.benchmarks.runner import Run, Side, prepare_sides

DEFAULT_PAIRS = "1:3,100:3,300:2"


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


if __name__ == "__main__":
    sys.exit(main())

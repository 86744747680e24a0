"""Time the review of two outputs with three environments and many workloads each: ``python -m tools.benchmarks.review_speed``."""

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from rich.console import Console
from rich.table import Table

from tools.benchmarks.configuration import write_configuration

ENVIRONMENTS = ("dev", "staging", "prod")
PROJECT = Path(__file__).parents[2]
#: What is changed in head, in the words of the configuration.
CHANGES = {
    "nothing": (),
    "one endpoint": (("max_p95_ms: 100", "max_p95_ms: 60", 1),),
    "all endpoints": (("max_p95_ms: ", "max_p95_ms: 1", -1), ("HF_TASK: text", "HF_TASK: long-text", -1)),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print seconds and megabytes of a review for each kind of change."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.review_speed", description=__doc__)
    parser.add_argument(
        "--workloads", type=int, default=100, help="endpoints in each environment (default: %(default)s)"
    )
    parser.add_argument("--runs", type=int, default=3, help="the best of so many runs (default: %(default)s)")
    parser.add_argument("--measure", nargs=2, metavar="OUTPUT", help="measure this process, print JSON")
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(compare(*options.measure)))
        return 0
    table = Table("change of head", "workloads", "compare, s", "whole command, s", "most memory, MB")
    with TemporaryDirectory() as directory:
        base = prepare(Path(directory, "base"), options.workloads, ())
        for name, edits in CHANGES.items():
            head = prepare(Path(directory, name.replace(" ", "-")), options.workloads, edits)
            runs = [measure(base, head) for _ in range(options.runs)]
            seconds, whole, megabytes = (min(run[i] for run in runs) for i in range(3))
            workloads = f"{len(ENVIRONMENTS)} x {options.workloads}"
            table.add_row(name, workloads, f"{seconds:.2f}", f"{whole:.2f}", f"{megabytes:.0f}")
    Console().print(table)
    return 0


def prepare(directory: Path, workload_count: int, edits: Sequence[tuple[str, str, int]]) -> Path:
    """Return an output with all environments."""
    configuration = directory / "config"
    configuration.mkdir(parents=True)
    write_configuration(configuration, workload_count)
    bench = configuration / "bench.yaml"
    for environment in ENVIRONMENTS:
        (configuration / f"{environment}.yaml").write_text(bench.read_text("utf-8"), "utf-8")
    bench.unlink()
    base = configuration / "base.yaml"
    text = base.read_text("utf-8")
    for old, new, count in edits:
        if old not in text:
            raise ValueError(f"{old!r} is not in the configuration")
        text = text.replace(old, new, count)
    base.write_text(text, "utf-8")
    for environment in ENVIRONMENTS:
        print(f"{directory.name}: {environment} ...", file=sys.stderr, flush=True)
        program = [sys.executable, "-O", "-m", "tools.benchmarks.review_cases.synth", environment]
        output = directory / "output" / environment
        subprocess.run([*program, f"{output}={configuration}"], cwd=PROJECT, check=True)
    return directory / "output"


def measure(base: Path, head: Path) -> tuple[float, float, float]:
    """Return the seconds of the comparison, those of the whole process, and its most memory in MB."""
    start = perf_counter()
    ended = subprocess.run(
        [sys.executable, "-m", "tools.benchmarks.review_speed", "--measure", str(base), str(head)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    whole = perf_counter() - start
    measured = json.loads(ended.stdout)
    return measured["seconds"], whole, measured["megabytes"]


def compare(base: str, head: str) -> dict[str, float]:
    """Read, compare and render two outputs; return the seconds, and the most memory of this process in MB."""
    start = perf_counter()
    from sizewell.review.compare import compare_outputs
    from sizewell.review.rendering import render_json, render_markdown
    from sizewell.review.saved.reading import OutputReader

    reader = OutputReader()
    review = compare_outputs(reader.read(Path(base), "base"), reader.read(Path(head), "head"))
    render_markdown(review)
    render_json(review)
    seconds = perf_counter() - start
    return {
        "seconds": seconds,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
    }


if __name__ == "__main__":
    sys.exit(main())

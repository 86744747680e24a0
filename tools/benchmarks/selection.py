"""Time the selection of instance types: ``python -m tools.benchmarks.selection``.

A thousand workloads of several kinds are planned over all types of one region, on one core; import, first selection
and memory are those of a fresh process.
"""

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

REGION = "us-east-1"
DEFAULT_WORKLOADS = 1000
DEFAULT_RUNS = 5
#: What is asked of each figure: the unit is in its name.
LIMITS = {"import_s": 0.3, "first_ms": 20.0, "all_s": 2.0, "memory_mib": 300.0}
LABELS = {
    "import_s": "import of instance_selection, s",
    "first_ms": "first workload after import and catalog, ms",
    "all_s": "all workloads, s of one core",
    "memory_mib": "peak memory, MiB",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit code is 1 when a median misses its limit."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.selection", description=__doc__)
    parser.add_argument("--workloads", type=int, default=DEFAULT_WORKLOADS)
    parser.add_argument("--runs", type=int, default=DEFAULT_RUNS)
    parser.add_argument("--json", action="store_true", help="print plain data, not a table")
    parser.add_argument(
        "--measure", action="store_true", help="measure this process and print one line of JSON"
    )
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(options.workloads)))
        return 0
    runs = [_fresh_process(options.workloads) for _ in range(options.runs)]
    figures = {name: [run[name] for run in runs] for name in LIMITS}
    medians = {name: statistics.median(values) for name, values in figures.items()}
    if options.json:
        print(json.dumps({"workloads": options.workloads, "limits": LIMITS, "runs": figures}, indent=2))
    else:
        Console().print(_table(options.workloads, figures))
    return int(any(medians[name] > limit for name, limit in LIMITS.items()))


def measure(workloads: int) -> dict[str, float]:
    """Return the figures of this process."""
    import resource
    import time

    start = time.process_time()
    from sizewell import instance_selection

    imported = time.process_time() - start
    catalog = instance_selection.load_catalog(REGION)
    from tools.benchmarks.selection_workloads import select, workload

    needs = [workload(i) for i in range(workloads)]
    start = time.perf_counter()
    select(needs[0], catalog)
    first = time.perf_counter() - start
    start = time.process_time()
    for workload_needs in needs:
        select(workload_needs, catalog)
    everything = time.process_time() - start
    return {
        "import_s": imported,
        "first_ms": first * 1000,
        "all_s": everything,
        "memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _fresh_process(workloads: int) -> dict[str, float]:
    command = [sys.executable, "-m", "tools.benchmarks.selection", "--measure", "--workloads", str(workloads)]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(result.stdout)
    return figures


def _table(workloads: int, figures: dict[str, list[float]]) -> Table:
    table = Table(title=f"Selection of {workloads:,} workloads over all types of {REGION}")
    table.add_column("figure")
    for name in ("least", "median", "most", "limit"):
        table.add_column(name, justify="right")
    for name, values in figures.items():
        row = (min(values), statistics.median(values), max(values), LIMITS[name])
        table.add_row(LABELS[name], *(f"{value:,.3g}" for value in row))
    return table


if __name__ == "__main__":
    sys.exit(main())

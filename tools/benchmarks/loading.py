"""Time reading a configuration of thousands of lines, and saying what is wrong in it: ``python -m tools.benchmarks.loading``."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from rich.console import Console
from rich.table import Table

from sizewell.config import ConfigError, load_environment
from tools.benchmarks.configuration import ENVIRONMENT, write_configuration

#: Five faults in each endpoint.
FAULTY = "    latency: {max_p95_ms: 1ms, a: 1, b: 1}\n    engine: warp\n    request: {input_tokens: 0}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the seconds of the best run of each."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.loading", description=__doc__)
    parser.add_argument("--workloads", type=int, default=600, help="endpoints (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="the best of so many runs (default: %(default)s)")
    options = parser.parse_args(arguments)
    table = Table("configuration", "lines", "faults", "seconds")
    with TemporaryDirectory() as name:
        directory = Path(name)
        write_configuration(directory, options.workloads)
        for label in ("sound", "faulty"):
            if label == "faulty":
                add_faults(directory / f"{ENVIRONMENT}.yaml", options.workloads)
            lines = sum(file.read_text("utf-8").count("\n") for file in directory.iterdir())
            faults = load(directory)
            seconds = min(timed(lambda: load(directory)) for _ in range(options.runs))
            table.add_row(label, f"{lines:,}", f"{faults:,}", f"{seconds:.2f}")
    Console().print(table)
    return 0


def add_faults(file: Path, workloads: int) -> None:
    """Let the environment override every endpoint with what is not allowed."""
    overrides = "".join(f"  endpoint-{number:03}:\n{FAULTY}" for number in range(workloads))
    file.write_text(f"{file.read_text('utf-8')}workloads:\n{overrides}", "utf-8")


def load(directory: Path) -> int:
    """Read the configuration, and render what is wrong in it; return the number of faults."""
    try:
        load_environment(directory, ENVIRONMENT)
    except ConfigError as error:
        error.render()
        return len(error.faults)
    return 0


def timed(action: Callable[[], object]) -> float:
    """Return the seconds that an action takes."""
    start = perf_counter()
    action()
    return perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())

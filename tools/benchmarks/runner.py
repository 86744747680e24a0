"""Run one side once, as a fresh process, and time it."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constructs_lib.jsii_runtime import use_bundled_node
from tools.benchmarks.configuration import ENVIRONMENT, write_configuration

PROJECT_ROOT = Path(__file__).resolve().parents[2]


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

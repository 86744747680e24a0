"""Runs the reference training script as a process, below a directory that stands for ``/opt/ml``."""

import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.synthesis import PROJECT_ROOT

SCRIPT = PROJECT_ROOT / "examples" / "training-job" / "code" / "train.py"
#: Runs a script under a clock that counts how often it is asked, and kills the process at the n-th line of the script, or in
#: the middle of writing the n-th checkpoint; 0 is none. A run that comes to its end says how many lines there were.
KILLED = """
import itertools, os, pathlib, runpy, signal, sys, time
script, line, checkpoint = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
time.monotonic = itertools.count().__next__
lines, checkpoints, write = itertools.count(1), itertools.count(1), pathlib.Path.write_text
def kill():
    os.kill(os.getpid(), signal.SIGKILL)
def trace(frame, event, argument):
    if frame.f_code.co_filename != script:
        return None
    if event == "line" and next(lines) == line:
        kill()
    return trace
def write_half(path, text):
    if path.name.startswith("checkpoint-") and next(checkpoints) == checkpoint:
        write(path, text[: len(text) // 2])
        kill()
    write(path, text)
pathlib.Path.write_text = write_half
sys.settrace(trace)
runpy.run_path(script, run_name="__main__")
print("lines:", next(lines) - 1)
"""


def csv_rows(count: int, features: int) -> str:
    """Return rows whose last column follows, but for some, from the others."""
    chance, lines = random.Random(1), []
    for _ in range(count):
        row = [round(chance.gauss(0, 1), 4) for _ in range(features)]
        lines.append(",".join(map(str, [*row, int(sum(row) + chance.gauss(0, 0.5) > 0)])))
    return "\n".join(lines)


@dataclass(frozen=True)
class Job:
    """What SageMaker lays out for a job, and what the script leaves there."""

    ml: Path

    @classmethod
    def laid_out(cls, ml: Path, rows: str, **hyperparameters: Any) -> "Job":
        (ml / "input/config").mkdir(parents=True)
        given = {key: str(value) for key, value in hyperparameters.items()}
        (ml / "input/config/hyperparameters.json").write_text(json.dumps(given))
        (ml / "input/data/training").mkdir(parents=True)
        (ml / "input/data/training/rows.csv").write_text(rows)
        return cls(ml)

    def run(
        self, *program: str, interval_minutes: float = 60, **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Start the script, or a program that runs it, with more variables, and return how it ended."""
        interval = {"SIZEWELL_CHECKPOINT_INTERVAL_MINUTES": str(interval_minutes)}
        variables = os.environ | {"SAGEMAKER_BASE_DIR": str(self.ml)} | interval | more
        command = [sys.executable, *(program or (str(SCRIPT),))]
        return subprocess.run(command, env=variables, capture_output=True, text=True, check=False)

    def run_and_kill(
        self, *, line: int = 0, checkpoint: int = 0, **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Start the script, saving after each third step, and kill it at a line, or while it writes a checkpoint."""
        return self.run(
            "-c", KILLED, str(SCRIPT), str(line), str(checkpoint), interval_minutes=3 / 60, **more
        )

    def model(self) -> bytes:
        return (self.ml / "model/model.json").read_bytes()

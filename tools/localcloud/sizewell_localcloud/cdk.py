"""Runs the real ``cdk`` command against the local cloud, and reads from its output how far it is."""

import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from sizewell_localcloud.interrupts import held
from sizewell_localcloud.places import PROJECT
from sizewell_localcloud.process import TIED, end_group
from sizewell_localcloud.progress import Progress

#: The CLI waits for each stack in steps of seconds: stacks that do not depend on each other go side by side.
SIDE_BY_SIDE = ("--concurrency", "8")
DEPLOY = ("deploy", "--all", "--require-approval", "never", "--progress", "events", *SIDE_BY_SIDE)
DESTROY = ("destroy", "--all", "--force", *SIDE_BY_SIDE)
EVENT = re.compile(r"^(?P<stack>\S+) \|\s*(?P<done>\d+)(?:/(?P<all>\d+))? \|")
FINISHED = re.compile(r"^\W*✅\s+(?P<stack>[\w-]+)(?P<unchanged> \(no changes\))?")
TELLING = re.compile(r"❌|FAILED|ROLLBACK_COMPLETE| [Ee]rror:|is not authorized")
#: What the CLI says of a synth that failed; the program has said why in its own words.
SUBPROCESS = "Subprocess exited with error"
MAX_TELLING_LINES = 25


class CdkError(Exception):
    """The ``cdk`` command failed; the message holds the lines that say why."""


def run_cdk(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    log: Path,
    progress: Progress | None = None,
    *,
    verbose: bool = False,
) -> None:
    """Run ``cdk`` to its end with everything it says in ``log``; whatever ends us ends it and its children."""
    process: subprocess.Popen[bytes] | None = None
    stacks = StackProgress(progress)
    try:
        with held():
            process = subprocess.Popen(
                [*TIED, "cdk", *arguments, "--no-notices", "--no-color"],
                cwd=PROJECT,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        assert process.stdout is not None
        with log.open("w", encoding="utf-8") as copy:
            for raw in process.stdout:
                line = raw.decode("utf-8", errors="replace")
                copy.write(line)
                stacks.read(line)
                if verbose and progress is not None:
                    progress.say(line.rstrip("\n"))
        code = process.wait()
    finally:
        if process is not None:
            end_group(process)
            if process.stdout is not None:
                process.stdout.close()
    if code != 0:
        raise CdkError(f"cdk {arguments[0]} failed with code {code}:\n{error_lines(log.read_text('utf-8'))}")


def error_lines(output: str) -> str:
    """Return the lines that say why ``cdk`` failed, or its last lines when none says so."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip() and SUBPROCESS not in line]
    telling = list(dict.fromkeys(line for line in lines if TELLING.search(line)))
    return "\n".join(f"  {line}" for line in (telling or lines)[-MAX_TELLING_LINES:])


class StackProgress:
    """What the output of ``cdk`` says about each stack; seconds count from the start of the command."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._began = time.monotonic()
        self._counts: dict[str, str] = {}
        self._resources: dict[str, int] = {}

    def read(self, line: str) -> None:
        """Take one line in, and show what it changes."""
        if self._progress is None:
            return
        if event := EVENT.match(line):
            stack = event["stack"]
            self._resources[stack] = max(self._resources.get(stack, 0), int(event["done"]))
            self._counts[stack] = event["done"] + (f"/{event['all']}" if event["all"] else "")
            self._show()
        elif (finished := FINISHED.match(line)) and finished["stack"] != "Environment":
            self._finish(finished["stack"], unchanged=bool(finished["unchanged"]))

    def _show(self) -> None:
        assert self._progress is not None
        self._progress.detail(", ".join(f"{stack} {count}" for stack, count in self._counts.items())[:90])

    def _finish(self, stack: str, *, unchanged: bool) -> None:
        assert self._progress is not None
        self._counts.pop(stack, None)
        what = "unchanged" if unchanged else f"{self._resources.get(stack, 0)} resources"
        self._progress.done(f"  {stack}, {what}", time.monotonic() - self._began)
        self._show()

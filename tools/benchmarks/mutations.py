"""Do the integration tests notice a fault in a construct? Each fault is made in a copy, which is then deployed.

    python -m tools.benchmarks.mutations                     all of them, about a quarter of an hour
    python -m tools.benchmarks.mutations "alarm" "Spot"      those whose names hold one of the words

A copy has no guards: whether synth would have stopped the fault is asked apart. Exits with 1 if a fault went unnoticed.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tools.benchmarks.mutation_cases import MUTATIONS, Edit, Mutation

PROJECT_ROOT = Path(__file__).resolve().parents[2]
TESTS = (
    "tests/snapshots/test_snapshots.py",
    "tests/integration/test_deployed_equals_template.py",
)
GUARDED_APP = "guarded_app.py"
GUARDS = Edit(
    "app.py",
    "platform.synth()\n",
    "from sizewell.stacks import guards\n\nguards.add_guards = lambda *_: None\nplatform.synth()\n",
)
VALIDATOR = Edit("cdk.json", '"@aws-cdk/core:validateAgainstDefaultRules": true,\n', "")
#: How the names of rules look, ours and those of CDK's validator and cdk-nag, and of errors.
RULES = (r"Sizewell::[\w-]+", r"AwsSolutions-\w+", r"[\w.]+-\w+\[", r"\b[EW]\d{4}\b", r"\w+Error: .*")
NO_FAULTS = tuple(Mutation("(none)", (), environment) for environment in ("dev", "staging"))
WORKERS = 2
TIMEOUT_S = 600


class StaleMutationError(Exception):
    """The text that a mutation replaces does not stand in its file once."""


@dataclass(frozen=True)
class Verdict:
    """What became of a fault."""

    mutation: Mutation
    synth: str
    """The rule that would have stopped it, or nothing."""
    failures: tuple[tuple[str, str], ...]
    """File and name of the tests that failed; none where the deployment itself failed."""
    deployment_failed: bool

    @property
    def noticed(self) -> bool:
        """Whether the fault came to light after synth."""
        return bool(self.failures) or self.deployment_failed

    @property
    def by(self) -> str:
        """Who noticed it."""
        if self.deployment_failed:
            return "the deployment fails"
        if not self.failures:
            return "**nobody**" if self.mutation.edits else "nobody"
        return "; ".join(self._by(file) for file in dict.fromkeys(file for file, _ in self.failures))

    def _by(self, file: str) -> str:
        first, *others = (test for place, test in self.failures if place == file)
        more = f" and {len(others)} more" if others else ""
        return f"{file}: `{first}`{more}"


def copy_project(target: Path) -> None:
    """Copy the files of the working tree that git tracks or would add, and link the environment."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (PROJECT_ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT_ROOT / name, target / name, follow_symlinks=False)
    (target / ".venv").symlink_to(PROJECT_ROOT / ".venv")
    shutil.copy2(target / "app.py", target / GUARDED_APP)
    for edit in (GUARDS, VALIDATOR):
        (target / edit.file).write_text(_edited(target / edit.file, edit), "utf-8")


def _edited(path: Path, edit: Edit) -> str:
    text = path.read_text("utf-8")
    if text.count(edit.before) != 1:
        raise StaleMutationError(f"{edit.file} has {text.count(edit.before)} times {edit.before!r}")
    return text.replace(edit.before, edit.after)


@contextmanager
def mutated(project: Path, mutation: Mutation) -> Iterator[None]:
    """Make the fault, and mend it afterwards."""
    originals = {edit.file: (project / edit.file).read_text("utf-8") for edit in mutation.edits}
    try:
        for edit in mutation.edits:
            (project / edit.file).write_text(_edited(project / edit.file, edit), "utf-8")
        yield
    finally:
        for name, text in originals.items():
            (project / name).write_text(text, "utf-8")


def judge(project: Path, mutation: Mutation) -> Verdict:
    """Make the fault in a copy of the project, synthesize, deploy and test."""
    with mutated(project, mutation):
        synth = _stopped_by(project, mutation.environment)
        output = _tested(project, mutation.environment)
    failures = tuple(re.findall(r"^FAILED \S+/test_(\w+)\.py::(\w+)", output, re.MULTILINE))
    return Verdict(mutation, synth, failures, re.search(r"^ERROR \S+::", output, re.MULTILINE) is not None)


def _stopped_by(project: Path, environment: str) -> str:
    """Return the first finding of a synth with all guards, or nothing."""
    context = json.loads((PROJECT_ROOT / "cdk.json").read_text("utf-8"))["context"] | {"env": environment}
    with tempfile.TemporaryDirectory() as output:
        result = subprocess.run(
            [str(project / ".venv/bin/python"), "-O", GUARDED_APP],
            cwd=project,
            env=_variables() | {"CDK_CONTEXT_JSON": json.dumps(context), "CDK_OUTDIR": output},
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )
    if result.returncode == 0:
        return ""
    found = (re.search(rule, result.stdout + result.stderr) for rule in RULES)
    return next((match[0] for match in found if match), "synth fails")


def _tested(project: Path, environment: str) -> str:
    """Deploy and test, and return what pytest says of failures."""
    flags = ("-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", "-k", f"[{environment}]")
    result = subprocess.run(
        [str(project / ".venv/bin/python"), "-m", "pytest", *TESTS, *flags],
        cwd=project,
        env=_variables(),
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert result.returncode in (0, 1), f"pytest could not run\n{result.stdout}\n{result.stderr}"
    return result.stdout


def _variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("CDK_", "AWS_"))}


def judge_all(mutations: tuple[Mutation, ...]) -> Iterator[Verdict]:
    """Judge mutations side by side, each worker in a copy of its own; yield them in their order."""
    with tempfile.TemporaryDirectory(prefix="sizewell-mutations-") as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(WORKERS):
            copy = Path(folder) / str(number)
            copy_project(copy)
            copies.put(copy)

        def in_a_copy(mutation: Mutation) -> Verdict:
            copy = copies.get()
            try:
                return judge(copy, mutation)
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(WORKERS) as executor:
            yield from executor.map(in_a_copy, mutations)


def main(words: list[str]) -> None:
    """Print a line for each fault."""
    chosen = tuple(m for m in MUTATIONS if not words or any(word in m.name for word in words))
    print("| fault | environment | synth would stop it | noticed by |\n| --- | --- | --- | --- |")
    verdicts = []
    for verdict in judge_all((*NO_FAULTS, *chosen)):
        verdicts.append(verdict)
        columns = (verdict.mutation.name, verdict.mutation.environment, verdict.synth or "no", verdict.by)
        print(f"| {' | '.join(columns)} |", flush=True)
    false_alarms = [verdict for verdict in verdicts if not verdict.mutation.edits and verdict.noticed]
    noticed = sum(verdict.noticed for verdict in verdicts if verdict.mutation.edits)
    print(f"\n{noticed} of {len(chosen)} faults noticed, {len(false_alarms)} false alarms")
    sys.exit(noticed < len(chosen) or bool(false_alarms))


if __name__ == "__main__":
    main(sys.argv[1:])

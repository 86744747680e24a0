"""``sizewell review`` as a process of its own: what it starts and imports, and the real CDK CLI."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.saved_outputs import TABLE, TOPIC, changes, save
from tests.gates import PASS_GATE, make_gate, signals_heard
from tests.synthesis import PROJECT_ROOT
from tests.synthesis_of_refs.projects import Project, git


def test_two_directories_need_neither_git_nor_cdk(tmp_path: Path) -> None:
    base = save(tmp_path / "base", Topic=TOPIC)
    head = save(tmp_path / "head", Topic=TOPIC, Table=TABLE)
    program = (
        "import sys; from sizewell.cli.main import main\n"
        "try: main()\n"
        "finally: print('modules:', *sys.modules, file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, "review", "--base", str(base), "--head", str(head), "--json", "-"],
        cwd=tmp_path,
        env={"PATH": str(tmp_path / "nothing"), "PYTHONPATH": str(PROJECT_ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert changes(result.stdout) == [("app", "Table", "added")]
    modules = set(result.stderr.rpartition("modules:")[2].split())
    assert "sizewell.review.compare" in modules
    assert not modules & {"sizewell.synthesis", "sizewell.stacks"}
    assert not {module.partition(".")[0] for module in modules} & {
        *("aws_cdk", "jsii", "constructs", "constructs_lib", "boto3")
    }
    assert not (tmp_path / ".sizewell").exists()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a repository with the files of this project as they are now."""
    directory = tmp_path / "clone"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        # sizewell/stacks is a link.
        if os.path.lexists(PROJECT_ROOT / name) and not name.startswith(("docs/", "tests/", "tools/")):
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT_ROOT / name, directory / name, follow_symlinks=False)
    git(directory, "init", "--quiet")
    git(directory, "add", "--all")
    git(directory, "commit", "--quiet", "--message", "as it is")
    return directory


@pytest.mark.cdk
def test_a_ref_and_a_work_tree_with_the_real_cdk(clone: Path, assemblies: Callable[[str], Path]) -> None:
    (clone / "sizewell" / "planning" / "__init__.py").write_text(
        "raise RuntimeError('the code of the clone')\n", "utf-8"
    )
    broken = review(clone, "--base", "HEAD", "--env", "dev", "--json", "-")
    assert broken.returncode == 3, broken.stderr
    # The code of the clone runs, not that of the installed project.
    assert "the code of the clone" in broken.stdout
    # The CDK CLI writes what app.py alone does.
    result = review(clone, "--base", "HEAD", "--head", str(assemblies("dev")), "--env", "dev", "--json", "-")
    assert result.returncode == 0, result.stderr
    resources = json.loads(result.stdout)["resources"]
    assert resources["changes"] == []
    assert resources["unchanged_count"] > 100


def review(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sizewell.cli.main", "review", *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_ctrl_c_ends_the_command_with_130(project: Project, tmp_path: Path) -> None:
    gate = make_gate(tmp_path / "synth")
    (tmp_path / "tools" / "cdk").write_text(f"#!/bin/sh\ngate={gate.path}\n{PASS_GATE}")
    program = (
        "import sys, sizewell.synthesis.synthesize; from pathlib import Path; from sizewell.cli.main import main\n"
        f"sizewell.synthesis.synthesize.TOOLS = Path({str(tmp_path / 'tools')!r}); main()"
    )
    with signals_heard():
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                program,
                "review",
                "--base",
                "main",
                "--env",
                "dev",
                "--json",
                str(tmp_path / "review.json"),
            ],
            env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    cdk = gate.wait(process)
    process.send_signal(signal.SIGINT)
    cdk.wait_for_end()
    output, errors = process.communicate()
    assert (process.returncode, output) == (130, "")
    assert errors == "Synthesizing dev at main ...\ninterrupted\n"
    assert not (tmp_path / "review.json").exists()

"""The commands of a newcomer: deploy, look, destroy, and a Ctrl-C in the middle."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sizewell_localcloud.cloud import LocalCloud
from tests.integration.harness import Cloud
from tests.localcloud.processes import PATIENCE_S, ended
from tests.synthesis import PROJECT_ROOT

DEPLOY = ("deploy-local", "--env", "dev")


@pytest.fixture
def state(tmp_path: Path, cloud: Cloud) -> Iterator[Path]:
    """Where the commands keep their state: not where a person's own local cloud keeps it."""
    if not isinstance(cloud, LocalCloud):
        pytest.skip("the commands are for the local cloud")
    folder = tmp_path / "state"
    yield folder
    run(folder, "destroy-local")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "sizewell.cli.main", *arguments]


def environment(state: Path) -> dict[str, str]:
    return {**os.environ, "SIZEWELL_LOCAL_STATE": str(state)}


def run(state: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),
        cwd=PROJECT_ROOT,
        env=environment(state),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def test_deploy_shows_what_stands_and_destroy_leaves_nothing(state: Path) -> None:
    deployed = run(state, *DEPLOY)
    assert deployed.returncode == 0, deployed.stderr
    for phase in ("synthesizing dev", "starting the emulator", "bootstrapping", "deploying dev"):
        assert phase in deployed.stderr
    for name in ("demo-dev-support-bert", "demo-dev-plant-id", "demo-dev-assistant"):
        (line,) = [
            line for line in deployed.stdout.splitlines() if line.split()[:1] == [name] and "ml." in line
        ]
        assert "InService" in line
    assert "demo-dev-assistant-tune" in deployed.stdout
    assert "\x1b[" not in deployed.stdout + deployed.stderr, "no colours in a pipe"
    pid = json.loads((state / "state.json").read_text("utf-8"))["pid"]
    destroyed = run(state, "destroy-local")
    assert destroyed.returncode == 0, destroyed.stderr
    assert "dev: nothing is left" in destroyed.stdout
    assert ended(pid)
    assert not state.exists()


def test_a_cluster_that_a_platform_names_is_made_once(state: Path) -> None:
    example = (*DEPLOY, "--config", "examples/eks-deployment/config")
    said = "made a stand-in for the cluster company-ml, which an account must have"
    for times in (1, 0):
        deployed = run(state, *example)
        assert deployed.returncode == 0, deployed.stderr
        assert deployed.stderr.splitlines().count(said) == times


def test_interrupt_leaves_nothing_behind(state: Path) -> None:
    process = subprocess.Popen(
        command(*DEPLOY),
        cwd=PROJECT_ROOT,
        env=environment(state),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("bootstrapping"):
                break
        pid = json.loads((state / "state.json").read_text("utf-8"))["pid"]
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert ended(pid)
    assert not state.exists()

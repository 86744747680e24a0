"""What a user does with the wheel: a platform of one's own, deployed to the local cloud and taken down."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest

from sizewell_localcloud.variables import SECRET_ACCESS_KEY
from tests.localcloud.processes import PATIENCE_S, ended
from tests.synthesis import PROJECT_ROOT
from tests.wheel.installation import LOCAL_CLOUD, Installation, build_wheel, install


@dataclass(frozen=True)
class Platform:
    """A directory that ``sizewell init`` wrote, whose Makefile takes the environment with the wheel."""

    directory: Path
    installation: Installation

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["make", f"VENV={self.installation.directory}", *arguments],
            cwd=self.directory,
            env=self.installation.variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    @property
    def state(self) -> Any:
        return json.loads((self.directory / ".localcloud" / "state.json").read_text("utf-8"))


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    """Return a new platform; what a failed test leaves running ends with it."""
    wheels = [build_wheel(tmp_path / "wheels", project) for project in (PROJECT_ROOT, LOCAL_CLOUD)]
    installation = install(*wheels, environment=tmp_path / "environment")
    written = installation.run("sizewell", "init", "my-platform", directory=tmp_path)
    assert written.returncode == 0, written.stderr
    # The packages are there: nothing is downloaded.
    for stamp in (".run-ready", ".local-cloud-ready"):
        (installation.directory / stamp).touch()
    made = Platform(tmp_path / "my-platform", installation)
    yield made
    made.make("destroy-local")


def test_a_new_platform_is_deployed_and_taken_down(platform: Platform) -> None:
    # A file of the user's own, which nothing of ours takes for a package.
    (platform.directory / "ministack.py").write_text("raise AssertionError\n", "utf-8")
    deployed = platform.make("deploy-local", "ENV=dev")
    assert deployed.returncode == 0, deployed.stderr
    state = platform.state
    (deployment,) = state["deployments"]
    sagemaker = boto3.client(
        "sagemaker",
        endpoint_url=f"http://127.0.0.1:{state['port']}",
        region_name=deployment["region"],
        aws_access_key_id=deployment["account"],
        aws_secret_access_key=SECRET_ACCESS_KEY,
        aws_session_token=state["secret"],
    )
    assert [
        (found["EndpointName"], found["EndpointStatus"]) for found in sagemaker.list_endpoints()["Endpoints"]
    ] == [("my-platform-dev-classify-text", "InService")]
    sagemaker.close()
    assert "my-platform-dev-classify-text" in deployed.stdout
    program = platform.installation.directory / "bin" / "sizewell"
    assert deployed.stdout.endswith(f"End it:  {program} destroy-local\n")
    destroyed = platform.make("destroy-local")
    assert destroyed.returncode == 0, destroyed.stderr
    assert destroyed.stdout == "dev: nothing is left\n"
    assert ended(state["pid"])
    assert not (platform.directory / ".localcloud").exists()

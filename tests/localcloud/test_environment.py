"""The local cloud is a distribution of its own: without it, or without its emulator, a command says what to do."""

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from sizewell_localcloud import environment
from tests.synthesis import PROJECT_ROOT

WITHOUT_LOCAL_CLOUD = """
import sys

sys.modules["sizewell_localcloud"] = None
from sizewell.cli.main import main
main()
"""


def test_the_release_that_the_distribution_pins_will_do() -> None:
    environment.require_environment()


def test_another_release_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "requires", lambda _: ["boto3<2", "ministack==9.8"])
    monkeypatch.setattr(environment, "version", lambda _: "9.7")
    with pytest.raises(environment.EnvironmentMissingError) as refused:
        environment.require_environment()
    assert str(refused.value) == (
        "the local cloud needs ministack==9.8, and ministack 9.7 is installed; run: pip install ministack==9.8"
    )
    monkeypatch.setattr(environment, "version", lambda _: "9.8")
    environment.require_environment()


def test_an_emulator_that_somebody_removed_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(environment, "version", version)
    with pytest.raises(
        environment.EnvironmentMissingError, match=r", and none is installed; run: pip install "
    ):
        environment.require_environment()


@pytest.mark.parametrize("command", [["deploy-local", "--env", "dev"], ["destroy-local"]])
def test_without_the_distribution_a_command_says_what_to_install(tmp_path: Path, command: list[str]) -> None:
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_LOCAL_CLOUD, *command],
        cwd=PROJECT_ROOT,
        env={**os.environ, "SIZEWELL_LOCAL_STATE": str(tmp_path / "state")},
        capture_output=True,
        text=True,
        check=False,
    )
    said = f"the local cloud is not installed; run: pip install '{PROJECT_ROOT}/tools/localcloud'\n"
    assert (result.returncode, result.stdout, result.stderr) == (2, "", said)
    assert not (tmp_path / "state").exists()

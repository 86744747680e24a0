"""The emulator is an extra: without it, or with another release of it, a command says in one sentence what to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sizewell.localcloud import environment
from tests.synthesis import PROJECT_ROOT

WITHOUT_EMULATOR = """
import importlib.metadata

def version(name, known=importlib.metadata.version):
    if name == "ministack":
        raise importlib.metadata.PackageNotFoundError(name)
    return known(name)

importlib.metadata.version = version
from sizewell.cli.main import main
main()
"""


def test_the_release_that_the_extra_pins_will_do() -> None:
    environment.require_environment()


def test_another_release_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "requires", lambda _: ["ministack==9.8; extra == 'local-cloud'"])
    monkeypatch.setattr(environment, "version", lambda _: "9.7")
    with pytest.raises(environment.EnvironmentMissingError) as refused:
        environment.require_environment()
    assert str(refused.value) == (
        "the local cloud needs ministack 9.8, and 9.7 is installed; run: pip install 'sizewell[local-cloud]'"
    )
    monkeypatch.setattr(environment, "version", lambda _: "9.8")
    environment.require_environment()


def test_an_installation_from_before_the_extra_has_no_emulator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "requires", lambda _: ["rich<16,>=15"])
    with pytest.raises(environment.EnvironmentMissingError, match=r"^the local cloud is not installed"):
        environment.require_environment()


def test_without_the_extra_a_deployment_says_what_to_install(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_EMULATOR, "deploy-local", "--env", "dev"],
        cwd=PROJECT_ROOT,
        env={**os.environ, "SIZEWELL_LOCAL_STATE": str(tmp_path / "state")},
        capture_output=True,
        text=True,
        check=False,
    )
    said = "the local cloud is not installed; run: pip install 'sizewell[local-cloud]'\n"
    assert (result.returncode, result.stdout, result.stderr) == (2, "", said)
    assert not (tmp_path / "state").exists()

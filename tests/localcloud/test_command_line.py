"""The commands of ``sizewell`` that deploy to the local cloud hand over what was typed, after the configuration is read."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from sizewell.cli.main import app
from sizewell_localcloud import __main__
from tests.synthesis import PROJECT_ROOT


@pytest.fixture
def handed_over(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what the commands hand over, which then end with 3."""
    taken: list[str] = []

    def main(arguments: list[str]) -> int:
        taken.extend(arguments)
        return 3

    monkeypatch.setattr(__main__, "main", main)
    monkeypatch.chdir(PROJECT_ROOT)
    return taken


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        (["deploy-local", "--env", "dev"], ["deploy", "dev", "--config=config"]),
        (
            ["deploy-local", "--env", "dev", "--config", str(PROJECT_ROOT / "config"), "--verbose"],
            ["deploy", "dev", f"--config={PROJECT_ROOT / 'config'}", "--verbose"],
        ),
        (["destroy-local"], ["destroy"]),
        (["destroy-local", "--verbose"], ["destroy", "--verbose"]),
    ],
)
def test_what_was_typed_is_handed_over(handed_over: list[str], typed: list[str], wanted: list[str]) -> None:
    assert CliRunner().invoke(app, typed).exit_code == 3
    assert handed_over == wanted


def test_faults_of_the_configuration_are_said_before_anything_starts(handed_over: list[str]) -> None:
    result = CliRunner().invoke(app, ["deploy-local", "--env", "dve"])
    assert (result.exit_code, handed_over) == (1, [])
    assert result.stderr.endswith("did you mean dev?\n")


def test_a_shell_that_is_not_activated_is_told_whole_paths(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from sizewell_localcloud import places

    monkeypatch.setattr(places, "PROJECT", tmp_path)
    monkeypatch.setattr(places, "BIN", tmp_path / ".venv" / "bin")
    assert places.shown("sizewell") == ".venv/bin/sizewell"
    monkeypatch.setattr(places, "BIN", Path("/opt/tools/bin"))
    assert places.shown("sizewell") == "/opt/tools/bin/sizewell"

"""What the command says of itself: help, version, completion, and where it is documented."""

import os
from importlib.metadata import version
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from sizewell.cli.main import app
from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT

COMMANDS = tuple(name for name in typer.main.get_command(app).list_commands(None))  # type: ignore[attr-defined]


def complete(*words: str) -> list[str]:
    """Return what the shell offers for the last of these words."""
    variables = {
        "_SIZEWELL_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("sizewell", *words)),
        "COMP_CWORD": str(len(words)),
    }
    return CliRunner().invoke(app, [], prog_name="sizewell", env=variables).stdout.split()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does_and_takes_and_how_it_ends(sizewell: Sizewell, name: str) -> None:
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    assert command.help
    assert [parameter.name for parameter in command.params if not getattr(parameter, "help", None)] == []
    _, _, codes = sizewell(name, "--help").stdout.partition("Exit codes:\n")
    assert [line.split()[0] for line in codes.splitlines()[:3]] == ["0", "1", "2"]


def test_every_command_is_in_the_readme() -> None:
    readme = (PROJECT_ROOT / "README.md").read_text("utf-8")
    assert [name for name in COMMANDS if f"\n| `sizewell {name}" not in readme] == []


def test_version_is_that_of_the_distribution(sizewell: Sizewell) -> None:
    result = sizewell("--version")
    assert (result.exit_code, result.stdout) == (0, f"sizewell {version('sizewell')}\n")


def test_without_env_the_environments_are_listed(directory: Path, sizewell: Sizewell) -> None:
    (directory / "prod.yaml").write_text("{}\n", "utf-8")
    result = sizewell("plan")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("say which environment: --env dev|prod\n")
    os.rename(directory, directory.with_name("settings"))
    result = sizewell("explain", "support-bert", "--config", "settings")
    assert result.stderr.endswith("say which environment: --env dev|prod\n")
    result = sizewell("modes", "support-bert")
    assert result.stderr.endswith("there is no environment in config/: no file like dev.yaml\n")


def test_environments_and_workloads_are_completed(directory: Path) -> None:
    (directory / "prod.yaml").write_text("workloads: [broken\n", "utf-8")
    assert complete("plan", "--env", "") == ["dev", "prod"]
    assert complete("review", "--env", "p") == ["prod"]
    assert complete("explain", "s") == ["support-bert"]
    os.rename(directory, directory.with_name("settings"))
    assert complete("explain", "--config", "settings", "") == ["support-bert", "nightly-lora"]
    assert complete("explain", "--config", "nowhere", "") == []

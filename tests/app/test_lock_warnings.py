"""``cdk synth`` says on standard error where the lock does not hold, and goes on."""

from pathlib import Path

import pytest

from sizewell.planning import load_plan
from sizewell.planning.lock import SelectionLock, lock_of
from sizewell.planning.lock_file import lock_path
from sizewell.planning.lock_text import lock_text
from sizewell.platform import load_or_exit
from tests.cli.conftest import BASE


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "base.yaml").write_text(BASE, "utf-8")
    (tmp_path / "dev.yaml").write_text("policy: {removal: destroy}\n", "utf-8")
    return tmp_path


def test_synth_without_a_lock_is_silent(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load_or_exit(directory, "dev", {})
    assert capsys.readouterr() == ("", "")


def test_synth_warns_of_a_stale_lock(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock = SelectionLock(environments={"dev": lock_of(load_plan(directory, "dev"))})
    lock_path(directory).write_text(lock_text(lock), "utf-8")
    changed = BASE.replace("max_p95_ms: 200", "max_p95_ms: 190")
    (directory / "base.yaml").write_text(changed, "utf-8")
    load_or_exit(directory, "dev", {})
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        "The configuration has changed since these were locked: support-bert",
        "Run: sizewell lock --env dev",
    ]

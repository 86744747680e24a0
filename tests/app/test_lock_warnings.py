"""``cdk synth`` says on standard error where the lock does not hold, and goes on."""

import gc
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

import app
from sizewell.planning import DeploymentPlan, load_plan
from sizewell.planning.lock import SelectionLock, lock_of
from sizewell.planning.lock_file import lock_path
from sizewell.planning.lock_text import lock_text
from tests.cli.conftest import BASE


@pytest.fixture
def synthesized(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[DeploymentPlan]]:
    """Return the plans that were handed on, with everything that starts the kernel taken out."""
    (tmp_path / "base.yaml").write_text(BASE, "utf-8")
    (tmp_path / "dev.yaml").write_text("policy: {removal: destroy}\n", "utf-8")
    plans: list[DeploymentPlan] = []
    monkeypatch.setattr(app, "use_bundled_node", lambda: None)
    monkeypatch.setattr(app, "start_kernel", Future)
    monkeypatch.setattr(app, "synthesize", lambda plan, _: plans.append(plan) or tmp_path)
    monkeypatch.setattr(app, "read_context", lambda: {"env": "dev", "config": str(tmp_path)})
    yield plans
    gc.enable()


def test_synth_without_a_lock_is_silent(
    synthesized: list[DeploymentPlan], capsys: pytest.CaptureFixture[str]
) -> None:
    app.main()
    assert len(synthesized) == 1
    assert capsys.readouterr() == ("", "")


def test_synth_warns_of_a_stale_lock(
    synthesized: list[DeploymentPlan], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = SelectionLock(environments={"dev": lock_of(load_plan(tmp_path, "dev"))})
    lock_path(tmp_path).write_text(lock_text(lock), "utf-8")
    changed = BASE.replace("max_p95_ms: 200", "max_p95_ms: 190")
    (tmp_path / "base.yaml").write_text(changed, "utf-8")
    app.main()
    assert len(synthesized) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        "The configuration has changed since these were locked: support-bert",
        "Run: sizewell lock --env dev",
    ]

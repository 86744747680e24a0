"""A small valid configuration, and a way to run the command on it."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sizewell.cli.main import app
from tests.synthesis_of_refs.projects import Project, make_project, make_tools

BASE = """\
platform: demo
network: {mode: new}
policy:
  account: "111122223333"
  region: us-east-1
workloads:
  support-bert:
    kind: real-time-endpoint
    model: {architecture: encoder, layers: 12, hidden_size: 768, parameters_millions: 110}
    container:
      images:
        cuda: {account: "763104351884", repository: pytorch-inference, tag: 2.6.0-gpu}
        cpu_x86_64: {account: "763104351884", repository: pytorch-inference, tag: 2.6.0-cpu}
      artifact: {key: models/support/model.tar.gz}
    request: {input_tokens: 128}
    traffic: {peak_requests_per_second: 2, average_requests_per_second: 1}
    latency: {max_p95_ms: 200}
  nightly-lora:
    kind: training-job
    model: {architecture: decoder, layers: 32, hidden_size: 4096, parameters_millions: 7000, precision: bf16}
    container:
      images:
        cuda: {account: "763104351884", repository: pytorch-training, tag: 2.6.0-gpu}
    dataset: {prefix: data/chats/, size_gib: 12, tokens_millions: 1}
    method: lora
    deadline_hours: 24
"""

Sizewell = Callable[..., Result]


@pytest.fixture(autouse=True)
def _prices_do_not_age(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a plan warns of depends on the day: here it is always the same."""
    monkeypatch.setattr("sizewell.price_list.age.today", lambda: date(2026, 11, 28))


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a configuration directory, which is where the command looks for it."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "base.yaml").write_text(BASE, "utf-8")
    (tmp_path / "config" / "dev.yaml").write_text("policy: {removal: destroy}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "config"


def run_sizewell(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(app, arguments)


@pytest.fixture
def sizewell() -> Sizewell:
    """Return a function that runs the command in this process."""
    return run_sizewell


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return a project in git, where the command runs, with a ``cdk`` that costs milliseconds."""
    project = make_project(tmp_path / "repository")
    monkeypatch.setattr("sizewell.synthesis.synthesize.TOOLS", make_tools(tmp_path))
    monkeypatch.chdir(project.directory)
    return project

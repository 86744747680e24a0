"""A directory with a small valid configuration, and ways to break it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sizewell.config import ConfigError, load_environment

BASE = """\
platform: demo
policy:
  account: "111122223333"
  region: us-east-1
network:
  mode: new
workloads:
  support-bert:
    kind: real-time-endpoint
    model: {architecture: encoder, layers: 12, hidden_size: 768, parameters_millions: 110}
    container:
      images:
        cuda: {account: "763104351884", repository: pytorch-inference, tag: 2.3-gpu}
      artifact: {key: models/support/model.tar.gz}
      environment: {LOG_LEVEL: info}
    request: {input_tokens: 256}
    traffic: {peak_requests_per_second: 40, average_requests_per_second: 10}
    latency:
      max_p95_ms: 100
  nightly-lora:
    kind: training-job
    model: {architecture: decoder, layers: 32, hidden_size: 4096, parameters_millions: 7000}
    container:
      images:
        cuda: {account: "763104351884", repository: pytorch-training, tag: 2.3-gpu}
    dataset: {prefix: data/chats/, size_gib: 12, tokens_millions: 40}
    method: lora
    deadline_hours: 8
"""

DEV = """\
policy:
  allow_spot: true
"""


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    directory = Path("config")
    directory.mkdir()
    (directory / "base.yaml").write_text(BASE, "utf-8")
    (directory / "dev.yaml").write_text(DEV, "utf-8")
    return directory


@pytest.fixture
def load_dev(directory: Path) -> Callable[[str], Any]:
    """Return a function that loads the environment dev, with the given text as dev.yaml."""

    def load(text: str) -> Any:
        (directory / "dev.yaml").write_text(text, "utf-8")
        return load_environment(directory, "dev")

    return load


@pytest.fixture
def message_for(load_dev: Callable[[str], Any]) -> Callable[[str], str]:
    """Return a function that gives the message for a text of dev.yaml, which is wrong."""

    def message(text: str) -> str:
        with pytest.raises(ConfigError) as raised:
            load_dev(text)
        return str(raised.value)

    return message


@pytest.fixture
def base_text() -> str:
    return BASE


def faults_of(directory: Path, base: str, dev: str) -> list[tuple[str, str]]:
    """Return the key path and the whole message, in one line, of each fault of a base.yaml with a dev.yaml."""
    (directory / "base.yaml").write_text(base, "utf-8")
    (directory / "dev.yaml").write_text(dev, "utf-8")
    try:
        load_environment(directory, "dev")
    except ConfigError as error:
        return [(".".join(fault.key_path), " ".join(fault.render().split())) for fault in error.faults]
    return []

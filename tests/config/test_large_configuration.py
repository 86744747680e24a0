"""Ten thousand lines: read as any others, and readable when everything is wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sizewell.config import ConfigError, load_environment

WORKLOADS = 600


@pytest.fixture
def large_base(directory: Path, base_text: str) -> str:
    head, _, rest = base_text.partition("  support-bert:\n")
    workload = (
        rest.partition("  nightly-lora")[0]
        .replace("model: {", "model:\n      {")
        .replace(", ", ",\n        ")
    )
    text = head + "".join(f"  bert-{n}:\n{workload}" for n in range(WORKLOADS))
    (directory / "base.yaml").write_text(text, "utf-8")
    assert text.count("\n") > 10_000
    return text


@pytest.mark.usefixtures("large_base")
def test_ten_thousand_lines_load(directory: Path) -> None:
    loaded = load_environment(directory, "dev")
    assert len(loaded.environment.workloads) == WORKLOADS


@pytest.mark.usefixtures("large_base")
def test_three_thousand_faults_are_cut(load_dev: Callable[[str], Any]) -> None:
    wrong = "    latency: {max_p95_ms: 1ms, a: 1, b: 1}\n    engine: warp\n    request: {input_tokens: 0}\n"
    text = "workloads:\n" + "".join(f"  bert-{n}:\n{wrong}" for n in range(WORKLOADS))
    with pytest.raises(ConfigError) as raised:
        load_dev(text)
    rendered = raised.value.render()
    assert len(raised.value.faults) == 5 * WORKLOADS
    assert rendered.endswith("\n... and 2950 more; mend these first")
    assert rendered.count("config/dev.yaml:") == 50

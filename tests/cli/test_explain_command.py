"""``sizewell explain``: the story of a choice."""

import json
from pathlib import Path

import pytest

from planning import load_plan
from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT

PROD = ("--env", "prod", "--config", str(PROJECT_ROOT / "config"))


def test_story_of_an_endpoint(sizewell: Sizewell) -> None:
    result = sizewell("explain", "support-bert", *PROD)
    assert (result.exit_code, result.stderr) == (0, "")
    chosen = load_plan(PROJECT_ROOT / "config", "prod").endpoints[0].selection.chosen
    assert result.stdout.startswith(f"support-bert: {chosen.instance_type}, ")
    for part in (
        "one request alone:",
        "Meets every requirement, cheapest first",
        "Turned down: ",
        "Assumptions",
    ):
        assert part in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("workload", ["plant-id", "assistant", "plant-id-train", "assistant-tune"])
def test_story_of_every_workload(sizewell: Sizewell, workload: str) -> None:
    result = sizewell("explain", workload, *PROD)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{workload}: ml.")


def test_every_type_is_chosen_runner_up_or_turned_down_for_a_reason(sizewell: Sizewell) -> None:
    result = sizewell("explain", "support-bert", *PROD, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    story = json.loads(result.stdout)
    names = [story["chosen"]["instance_type"]]
    names += [candidate["instance_type"] for candidate in story["runners_up"]]
    names += [rejection["instance_type"] for rejection in story["rejected"]]
    assert len(names) == len(set(names)) > 300
    assert all(rejection["reason"] for rejection in story["rejected"])


def test_plan_above_its_budget_can_be_explained(directory: Path, sizewell: Sizewell) -> None:
    (directory / "dev.yaml").write_text("policy: {budget_usd_per_month: 1}\n", "utf-8")
    assert sizewell("plan", "--env", "dev").exit_code == 1
    result = sizewell("explain", "support-bert", "--env", "dev")
    assert (result.exit_code, result.stderr) == (0, "")


def test_pinned_type_has_no_runners_up(directory: Path, sizewell: Sizewell) -> None:
    (directory / "dev.yaml").write_text(
        "workloads:\n  support-bert:\n    instances: {instance_type: ml.g4dn.xlarge}\n", "utf-8"
    )
    result = sizewell("explain", "support-bert", "--env", "dev")
    assert result.exit_code == 0
    assert result.stdout.startswith("support-bert: ml.g4dn.xlarge, ")
    assert "pinned" in result.stdout

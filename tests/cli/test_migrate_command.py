"""``sizewell migrate``: a workload now and on Neuron chips."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT

PROD = ("--env", "prod", "--config", str(PROJECT_ROOT / "config"))
WORKLOADS = ["support-bert", "plant-id", "assistant", "plant-id-train", "assistant-tune"]
VERDICTS = {"pilot", "stay", "impossible", "unknown", "done"}


@pytest.mark.parametrize("workload", WORKLOADS)
def test_every_workload_of_the_project(sizewell: Sizewell, workload: str) -> None:
    result = sizewell("migrate", workload, *PROD)
    assert (result.exit_code, result.stderr) == (0, "")
    name, verdict = result.stdout.split("; ")[0].split(": ")
    assert (name, verdict in VERDICTS) == (workload, True)
    for part in ("now", "on Neuron", "USD/month", "instance type"):
        assert part in result.stdout
    assert ("USD/run" in result.stdout) == workload.endswith(("train", "tune"))
    assert "\x1b" not in result.stdout
    assert "…" not in result.stdout, "nothing is cut"


def test_what_must_change_and_where_that_is_written(sizewell: Sizewell) -> None:
    result = sizewell("migrate", "support-bert", *PROD)
    for part in (
        "Must change",
        "static shapes: pad each text",
        "compilation: compile with",
        "Sources",
        "[1] AWS",
    ):
        assert part in result.stdout
    listed = {line.split("]")[0].strip(" [") for line in result.stdout.split("Sources\n")[1].splitlines()}
    used = {line.rsplit("[", 1)[1].rstrip("]") for line in result.stdout.splitlines() if line.endswith("]")}
    assert used == listed


def test_a_network_that_cannot_be_trained_there(sizewell: Sizewell) -> None:
    result = sizewell("migrate", "plant-id-train", *PROD)
    assert result.stdout.startswith(
        "plant-id-train: impossible; the Neuron SDK does not run it: cnn on trn1 is unsupported"
    )
    assert "Must change" not in result.stdout


def test_json_tells_everything(sizewell: Sizewell) -> None:
    result = sizewell("migrate", "support-bert", *PROD, "--json")
    story = json.loads(result.stdout)
    assert story["verdict"] in VERDICTS
    assert {"now", "then", "changes", "facts", "difference_usd_per_month", "outcome_ratio"} <= set(story)
    assert all(change["source"] and change["as_of"] for change in story["changes"])
    assert sizewell("migrate", "support-bert", *PROD, "--json").stdout == result.stdout


def test_an_image_for_neuron_is_not_asked_for(directory: Path, sizewell: Sizewell) -> None:
    result = sizewell("migrate", "support-bert", "--env", "dev")
    assert result.exit_code == 0
    assert "name it under container.images.neuron" in result.stdout


def test_unknown_workload_has_a_near_match(sizewell: Sizewell) -> None:
    result = sizewell("migrate", "suport-bert", *PROD)
    assert result.exit_code == 1
    assert result.stderr.endswith("did you mean support-bert?\n")


def test_faults_of_the_configuration_are_shown_at_their_line(directory: Path, sizewell: Sizewell) -> None:
    (directory / "dev.yaml").write_text("policy: {regoin: us-east-1}\n", "utf-8")
    result = sizewell("migrate", "support-bert", "--env", "dev")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("config/dev.yaml:1")

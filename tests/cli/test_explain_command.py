"""``sizewell explain``: the story of a choice."""

import json
from pathlib import Path

import pytest

from sizewell.planning import load_plan
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
        "Rejected: ",
        "Assumptions",
    ):
        assert part in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("workload", ["plant-id", "assistant", "plant-id-train", "assistant-tune"])
def test_story_of_every_workload(sizewell: Sizewell, workload: str) -> None:
    result = sizewell("explain", workload, *PROD)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{workload}: ml.")


def test_every_type_is_chosen_runner_up_or_rejected_for_a_reason(sizewell: Sizewell) -> None:
    result = sizewell("explain", "support-bert", *PROD, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    story = json.loads(result.stdout)
    assert list(story) == sorted(story)
    assert (story["schema_version"], story["workload"], story["kind"]) == (
        2,
        "support-bert",
        "real-time-endpoint",
    )
    assert (story["bound"], story["objective"]) == ({"max_p95_latency_ms": 100}, "least-cost")
    assert story["decision"]["runner_up"] == story["runners_up"][0]["instance_type"]
    assert story["pareto_front"][0] == story["instance_pools"][0] == story["chosen"]["instance_type"]
    assert story["lock"]["instance_type"] == story["chosen"]["instance_type"]
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


def test_deadline_is_the_bound_of_a_job(sizewell: Sizewell) -> None:
    story = json.loads(sizewell("explain", "plant-id-train", *PROD, "--json").stdout)
    assert (story["kind"], story["bound"]) == ("training-job", {"deadline_hours": 24})


def test_lock_that_keeps_a_more_expensive_type_says_what_it_costs(
    directory: Path, sizewell: Sizewell
) -> None:
    base = directory / "base.yaml"
    text = base.read_text("utf-8")
    base.write_text(
        text.replace(
            "{max_p95_ms: 200}", "{max_p95_ms: 200}\n    instances: {instance_type: ml.g4dn.12xlarge}"
        )
    )
    assert sizewell("lock").exit_code == 0
    base.write_text(text, "utf-8")
    result = sizewell("explain", "support-bert", "--env", "dev")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("support-bert: ml.g4dn.12xlarge, ")
    plan = load_plan(directory, "dev").endpoints[0]
    free = plan.selection.runners_up[0]
    assert plan.lock is not None
    saving = plan.lock.saving_usd_per_month
    assert saving is not None
    assert (
        f"  kept by the lock before {free.instance_type}, which would cost {saving:,.0f} USD per month less"
        in result.stdout
    )
    assert "the locked type, then cheapest first" in result.stdout
    assert "cheapest first" not in result.stdout.replace("then cheapest first", "")
    assert "lock: followed, though the configuration has changed since" in result.stdout
    story = json.loads(sizewell("explain", "support-bert", "--env", "dev", "--json").stdout)
    assert (story["decision"]["by"], story["lock"]["state"]) == ("lock", "stale")
    table = sizewell("plan", "--env", "dev").stdout
    (row,) = (line.split() for line in table.splitlines() if line.split()[:1] == ["support-bert"])
    assert "stale" in row


def test_counterfactuals_are_in_the_data_and_on_the_terminal(directory: Path, sizewell: Sizewell) -> None:
    (directory / "dev.yaml").write_text("workloads:\n  support-bert:\n    engine: compiled\n", "utf-8")
    result = sizewell("explain", "support-bert", "--env", "dev", "--json")
    story = json.loads(result.stdout)
    assert story["engine"] == {"name": "compiled", "stated": True}
    told = {one["change"]["name"]: one for one in story["counterfactuals"]}
    assert list(told) == [
        "engine eager",
        "engine optimized-runtime",
        "one more instance",
        "twice the latency",
        "a Savings Plan of 20 %",
    ]
    plan = told["a Savings Plan of 20 %"]
    assert plan["change"]["key"] == "policy.savings_plan.discount_percent"
    assert plan["pick"]["instance_type"] == story["chosen"]["instance_type"]
    assert plan["saving_usd_per_month"] == pytest.approx(0.2 * story["chosen"]["cost"]["usd_per_month"])
    shown = sizewell("explain", "support-bert", "--env", "dev").stdout
    assert "If a need changes" in shown
    assert "a Savings Plan of 20 %" in shown
    assert "counterfactual" not in sizewell("plan", "--env", "dev", "--json").stdout


def test_counterfactuals_are_compared_with_the_pick_without_the_lock(
    directory: Path, sizewell: Sizewell
) -> None:
    free = json.loads(sizewell("explain", "support-bert", "--env", "dev", "--json").stdout)
    other = free["runners_up"][-1]["instance_type"]
    pinned = f"workloads:\n  support-bert:\n    instances: {{instance_type: {other}}}\n"
    (directory / "dev.yaml").write_text(pinned, "utf-8")
    assert sizewell("lock", "--env", "dev").exit_code == 0
    (directory / "dev.yaml").write_text("{}\n", "utf-8")
    locked = json.loads(sizewell("explain", "support-bert", "--env", "dev", "--json").stdout)
    assert locked["chosen"]["instance_type"] == other
    assert locked["counterfactuals"] == free["counterfactuals"]

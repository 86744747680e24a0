"""``sizewell modes``: every way to serve a model, side by side."""

import json
import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from sizewell.cli.modes_command import compare
from sizewell.cli.modes_view import print_modes
from sizewell.config import ConfigError
from sizewell.planning import load_for_synth
from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT

PROD = ("--env", "prod", "--config", str(PROJECT_ROOT / "config"))
MODES = ["real-time", "multi-model", "serverless", "asynchronous", "batch", "lambda"]
AUTO = """\
workloads:
  support-bert:
    kind: endpoint
    mode: auto
    traffic: {peak_requests_per_second: 2, average_requests_per_second: 0.01}
    latency: {max_p95_ms: 20000}
"""


@pytest.mark.parametrize("workload", ["support-bert", "plant-id", "assistant"])
def test_every_endpoint_of_the_project(sizewell: Sizewell, workload: str) -> None:
    result = sizewell("modes", workload, *PROD)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{workload}: real-time; real-time is what the configuration asks for\n")
    rows = [line.split()[0] for line in result.stdout.splitlines() if line.startswith("  ") and line.split()]
    assert [mode for mode in MODES if mode in rows] == MODES
    for part in (
        "requests per month: ",
        "cheaper than real-time",
        "Does not do",
        "Assumptions",
        "prices of real-time",
    ):
        assert part in result.stdout
    assert "\x1b" not in result.stdout
    assert "…" not in result.stdout, "nothing is cut"


def test_where_else_a_mode_runs_is_said(sizewell: Sizewell) -> None:
    everywhere = [
        f"  {mode}: target moves {kind} into a cluster of Amazon ECS or a cluster of Amazon EKS"
        for mode, kind in (
            ("asynchronous", "an asynchronous-endpoint"),
            ("real-time", "a real-time-endpoint"),
        )
    ]
    lines = sizewell("modes", "support-bert", *PROD).stdout.splitlines()
    begin = lines.index("In clusters") + 1
    assert lines[begin : lines.index("Assumptions")] == everywhere
    in_cluster = str(PROJECT_ROOT / "examples" / "eks-deployment" / "config")
    lines = sizewell("modes", "classify-mail", "--env", "prod", "--config", in_cluster).stdout.splitlines()
    begin = lines.index("In clusters") + 1
    assert lines[begin : lines.index("Assumptions")] == [
        "  target is main, and the modes are those of SageMaker and Lambda; sizewell targets classify-mail compares the places",
        *everywhere,
    ]


def test_a_narrow_terminal_cuts_nothing_that_matters() -> None:
    region, comparison, places = compare(PROJECT_ROOT / "config", "prod", "plant-id")
    console = Console(width=80, record=True, file=StringIO())
    print_modes("plant-id", region, comparison, places, console)
    text = console.export_text()
    assert "…" not in text
    for option in comparison.options:
        row = next(line for line in text.splitlines() if line.startswith(f"  {option.mode} "))
        assert option.runs_on is None or option.runs_on in row


def test_json_tells_everything(sizewell: Sizewell) -> None:
    result = sizewell("modes", "support-bert", *PROD, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    story = json.loads(result.stdout)
    assert [option["mode"] for option in story["options"]] == MODES
    assert story["chosen"]["mode"] == "real-time"
    misses = {option["mode"]: option["misses"] for option in story["options"]}
    assert not misses["real-time"]
    # Whatever is predicted: nobody shares a fleet with one model, and nothing says that answers may come later.
    assert all(misses[mode] for mode in ("multi-model", "serverless", "asynchronous", "batch"))


def test_saving_and_break_even_are_shown(directory: Path, sizewell: Sizewell) -> None:
    (directory / "dev.yaml").write_text(AUTO, "utf-8")
    result = sizewell("modes", "support-bert", "--env", "dev")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].endswith("; real-time is the only mode that meets every requirement")
    assert any(line.startswith("  lambda") and "below " in line for line in lines)


def test_a_share_of_a_fleet_is_not_told_like_a_whole_bill(directory: Path, sizewell: Sizewell) -> None:
    shared = AUTO.replace("mode: auto", "mode: multi-model\n    similar_models: 20")
    (directory / "dev.yaml").write_text(shared, "utf-8")
    printed = sizewell("modes", "support-bert", "--env", "dev").stdout
    row = next(line for line in printed.splitlines() if line.startswith("  multi-model "))
    assert re.search(r" [\d.,]+ of [\d.,]+ ", row)


def test_plan_and_explanation_mention_the_mode(directory: Path, sizewell: Sizewell) -> None:
    (directory / "dev.yaml").write_text(AUTO, "utf-8")
    for command in (("plan", "--details"), ("explain", "support-bert")):
        result = sizewell(*command, "--env", "dev")
        assert (result.exit_code, result.stderr) == (0, "")
        assert "support-bert: real-time is the only mode that meets every requirement" in result.stdout


def test_a_mode_that_answers_later_is_told_with_its_price_and_that_of_real_time(
    directory: Path, sizewell: Sizewell
) -> None:
    text = AUTO.replace("{max_p95_ms: 20000}", "{max_p95_ms: 20000, max_wait_minutes: 60}")
    text = text.replace(
        "average_requests_per_second: 0.01", "average_requests_per_second: 0.01, active_hours_per_day: 8"
    )
    (directory / "dev.yaml").write_text(text, "utf-8")
    result = sizewell("plan", "--env", "dev", "--details")
    assert (result.exit_code, result.stderr) == (0, "")
    line = next(
        line for line in result.stdout.splitlines() if line.startswith("support-bert: asynchronous, ")
    )
    assert re.fullmatch(
        r"support-bert: asynchronous, [\d.,]+ USD per month; real-time would cost [\d.,]+: asynchronous costs the least of "
        r"the 2 modes that meet every requirement; batch would cost less, but is not built yet\.",
        line,
    )


def test_synth_points_at_the_line_of_a_mode_that_the_image_may_not_start_in(directory: Path) -> None:
    text = AUTO.replace("mode: auto", "mode: lambda\n    container: {network_isolation: false}")
    (directory / "dev.yaml").write_text(text, "utf-8")
    with pytest.raises(ConfigError) as raised:
        load_for_synth(Path("config"), "dev")
    assert raised.value.render() == (
        "config/dev.yaml:4  workloads.support-bert.mode\n"
        "  lambda meets every need, but an image starts there only with the Lambda runtime interface, and nothing says that "
        "container.images.cpu_x86_64 has it\n"
        "  write lambda_runtime: true where it has; the images of AWS do not have it"
    )


def test_needs_that_no_instance_meets_are_compared_all_the_same(directory: Path, sizewell: Sizewell) -> None:
    (directory / "dev.yaml").write_text(
        "workloads:\n  support-bert:\n    latency: {max_p95_ms: 0.001, max_wait_minutes: 60}\n", "utf-8"
    )
    assert sizewell("plan", "--env", "dev", "--details").exit_code == 1
    result = sizewell("modes", "support-bert", "--env", "dev")
    assert result.exit_code == 0
    assert result.stdout.startswith("support-bert: none; real-time does not meet ")
    assert "no instance type will do; the nearest, " in result.stdout


def test_type_that_does_not_exist_is_shown_at_its_line(directory: Path, sizewell: Sizewell) -> None:
    (directory / "dev.yaml").write_text(
        "workloads:\n  support-bert:\n    instances: {instance_type: ml.g5.xlrage}\n", "utf-8"
    )
    result = sizewell("modes", "support-bert", "--env", "dev")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("config/dev.yaml:3  workloads.support-bert.instances.instance_type\n")


def test_training_job_has_no_modes(sizewell: Sizewell) -> None:
    result = sizewell("modes", "plant-id-train", *PROD)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "plant-id-train is of kind training-job: modes are compared for kind: endpoint and for real-time endpoints\n"
    )


def test_unknown_workload_has_a_near_match(sizewell: Sizewell) -> None:
    result = sizewell("modes", "suport-bert", *PROD)
    assert result.exit_code == 1
    assert result.stderr.startswith(
        'there is no workload "suport-bert" in prod; it has: support-bert, plant-id,'
    )
    assert result.stderr.endswith("did you mean support-bert?\n")

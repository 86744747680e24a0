"""What the plan and the explanation show of a pipeline."""

import json

import pytest

from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT

CONFIG = ("orders-pipeline", "--env", "prod", "--config", str(PROJECT_ROOT / "examples/pipeline/config"))


def test_an_explanation_has_the_steps_in_order_with_time_and_cost(sizewell: Sizewell) -> None:
    shown = sizewell("explain", *CONFIG)
    assert (shown.exit_code, shown.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in shown.stdout.splitlines()]
    assert lines[0].startswith("orders-pipeline: a run takes 1.2 h for 0.19 USD, and is ended after ")
    assert any(line.startswith("2 train runs train-orders 0.5 h 4.0 h") for line in lines)
    assert (
        "evaluate: its input model is the model of train; passes if regression.rmse is at most 12.5" in lines
    )
    assert any("registers the model of train in orders, which" in line for line in lines)
    assert "longest path: clean 0.5 h + train 0.5 h + evaluate 0.2 h" in lines


def test_the_plan_of_it_is_there_as_data_and_no_page_is(sizewell: Sizewell) -> None:
    told = json.loads(sizewell("explain", *CONFIG, "--json").stdout)
    assert [[step["name"] for step in level] for level in told["levels"]] == [
        ["clean"],
        ["train"],
        ["evaluate"],
        ["register"],
    ]
    refused = sizewell("explain", *CONFIG, "--html", "page.html")
    assert refused.exit_code != 0
    assert "orders-pipeline is a pipeline: there is no page of it" in refused.stderr


@pytest.mark.parametrize("command", ["modes", "migrate"])
def test_what_is_not_for_pipelines_says_so(sizewell: Sizewell, command: str) -> None:
    refused = sizewell(command, *CONFIG)
    assert refused.exit_code != 0
    assert "orders-pipeline is " in refused.stderr


def test_the_row_of_a_plan_has_the_steps_and_the_time_of_a_run(sizewell: Sizewell) -> None:
    shown = " ".join(sizewell("plan", *CONFIG[1:], "--details").stdout.split())
    assert "orders-pipeline 4 steps 1.2 h published 0.40" in shown
    assert (
        "orders-pipeline: clean, then train, then evaluate, then register; a run takes 1.2 h for 0.19 USD, which its jobs "
        "count." in shown
    )

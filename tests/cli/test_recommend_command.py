"""``sizewell recommend``: a size, a task and a budget in, hardware and assumptions out."""

import json

import pytest

from tests.cli.conftest import Sizewell


def test_a_table_with_hardware_cost_and_assumptions(sizewell: Sizewell) -> None:
    result = sizewell("recommend", "--parameters", "7e9", "--task", "training", "--budget", "cost-optimized")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].startswith("7e+09 parameters, training, cost-optimized: ml.")
    for part in ("USD/run", "Assumptions", "100 million tokens", "prices of 20"):
        assert part in result.stdout
    assert "\x1b" not in result.stdout
    assert "…" not in result.stdout, "nothing is cut"


def test_inference_is_paid_by_the_month(sizewell: Sizewell) -> None:
    result = sizewell("recommend", "--parameters", "110M", "--task", "inference")
    assert result.exit_code == 0
    assert "USD/month" in result.stdout
    assert result.stdout.startswith("1.1e+08 parameters, inference, cost-optimized: ml.")


def test_json_tells_everything(sizewell: Sizewell) -> None:
    arguments = ("recommend", "--parameters", "7B", "--task", "inference", "--budget", "balanced", "--json")
    result = sizewell(*arguments)
    story = json.loads(result.stdout)
    assert story["parameters"] == 7e9
    assert story["chosen"]["instance_type"].startswith("ml.")
    assert story["assumptions"]
    assert sizewell(*arguments).stdout == result.stdout


@pytest.mark.parametrize(
    ("text", "same"), [("7B", "7e9"), ("7b", "7000000000"), ("110M", "1.1e8"), ("0.07T", "70B")]
)
def test_ways_to_write_a_size(sizewell: Sizewell, text: str, same: str) -> None:
    answers = {sizewell("recommend", "--task", "training", "--parameters", t).stdout for t in (text, same)}
    assert len(answers) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--parameters", "large"), '"large" is not a number of weights; write 7e9 or 7B'),
        (("--parameters", ""), '"" is not a number of weights'),
        (("--parameters", "nan"), "nan parameters: a model has more than 0"),
        (("--parameters", "-7B"), "-7e+09 parameters: a model has more than 0"),
        (("--parameters", "1e18"), "at most 1e+13"),
        (
            ("--parameters", "13"),
            "13 is 13 weights, fewer than 100,000: is 13B meant, for 13 billion, or 13M, for",
        ),
        (("--parameters", "0.5"), "is 0.5B meant, for 0.5 billion, or 0.5M, for 0.5 million?"),
        (("--parameters", "99k"), "99k is 99,000 weights, fewer than 100,000: is 99B meant"),
        (
            ("--parameters", "7B", "--region", "mars-1"),
            'the catalog does not have "mars-1"; it has af-south-1',
        ),
        (("--parameters", "7B", "--budget", "cheap"), "'cheap' is not one of"),
    ],
)
def test_bad_input_is_one_message(sizewell: Sizewell, arguments: tuple[str, ...], message: str) -> None:
    result = sizewell("recommend", "--task", "training", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_small_model_is_no_mistake(sizewell: Sizewell) -> None:
    assert sizewell("recommend", "--task", "inference", "--parameters", "100000").exit_code == 0


def test_a_model_that_nothing_holds(sizewell: Sizewell) -> None:
    result = sizewell("recommend", "--parameters", "1e13", "--task", "inference")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("inference of 1e+13 parameters: none of ")

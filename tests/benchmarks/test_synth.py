from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from sizewell.planning import load_plan, plan_to_json
from tools.benchmarks.configuration import ENVIRONMENT, write_configuration
from tools.benchmarks.synth import Run, SizeResult, parse_pairs, resource_table, to_json, to_table

RESULT = SizeResult(
    endpoint_count=2,
    sizewell_resources={
        "bench-foundation": Counter(Bucket=3),
        "one": Counter(Alarm=8, Rule=1),
        "two": Counter(Alarm=10, Rule=1),
    },
    yardstick_resources={"foundation": Counter(Bucket=1), "one": Counter(Alarm=10), "two": Counter(Alarm=10)},
    sizewell=(Run(8.0, 10.0), Run(9.0, 11.0), Run(7.0, 12.0)),
    yardstick=(Run(10.0, 10.0), Run(10.0, 10.0), Run(14.0, 10.0)),
)


def test_ratios_are_taken_pair_by_pair() -> None:
    assert RESULT.wall_ratios == (0.8, 0.9, 0.5)
    assert RESULT.cpu_ratios == (1.0, 1.1, 1.2)


def test_plain_data_has_median_min_and_max() -> None:
    (size,) = to_json([RESULT])["sizes"]
    assert size["wall_ratio"] == {"pairs": [0.8, 0.9, 0.5], "median": 0.8, "min": 0.5, "max": 0.9}


def test_the_table_shows_medians_and_the_spread() -> None:
    console = Console(width=100)
    with console.capture() as capture:
        console.print(to_table([RESULT]))
    (cells,) = _rows(capture.get())
    assert cells == ["2", "23", "21", "3", "8.0 s", "10.0 s", "0.80", "0.50", "0.90", "1.10"]


def test_what_the_yardstick_leaves_out_is_said_by_type() -> None:
    console = Console(width=100)
    with console.capture() as capture:
        console.print(resource_table(RESULT))
    assert _rows(capture.get()) == [["Alarm", "9.0", "10.0", ""], ["Rule", "1.0", "0.0", "1.0"]]
    assert "3 of Sizewell, 1 of the yardstick" in " ".join(capture.get().split())


def _rows(text: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("│").split("│")] for line in text.splitlines() if "│" in line
    ]


def test_pairs_are_read_by_size() -> None:
    assert parse_pairs("1:3,100:2") == ((1, 3), (100, 2))


@pytest.mark.parametrize("text", ["", "100", "0:1", "1:0", "1:2:3", "a:b"])
def test_senseless_pairs_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_pairs(text)


def test_the_input_is_the_same_on_every_run_and_plans_every_endpoint(tmp_path: Path) -> None:
    texts = []
    for name in ("first", "second"):
        directory = tmp_path / name / "config"
        directory.mkdir(parents=True)
        write_configuration(directory, 12)
        plan = load_plan(directory, ENVIRONMENT)
        texts.append(plan_to_json(plan))
        assert len(plan.endpoints) == 12
        assert len({endpoint.instance_type for endpoint in plan.endpoints}) > 1
        assert all(endpoint.scaling for endpoint in plan.endpoints)
    assert texts[0] == texts[1]


def test_no_endpoint_is_no_benchmark(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least 1, got 0"):
        write_configuration(tmp_path, 0)

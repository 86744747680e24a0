import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.instance_selection.catalog import load_catalog
from tests.benchmarks.measured_rows import ENCODER, write_table
from tools.benchmarks import ranking
from tools.benchmarks.intervals import REGION
from tools.benchmarks.predictions import Prediction, predict_rows
from tools.benchmarks.ranking import Group, groups_of, to_json


def group(measured: list[float], predicted: list[float | None], *, lower_is_better: bool = True) -> Group:
    return Group(
        id="G",
        source="A",
        lower_is_better=lower_is_better,
        instance_types=tuple(f"g{i}.xlarge" for i in range(len(measured))),
        predictions=tuple(
            Prediction(id=str(i), source="A", metric="m", accelerator="", measured=m, predicted=p)
            for i, (m, p) in enumerate(zip(measured, predicted, strict=True))
        ),
    )


def rank_row(instance: str, chip: str, value: str, better: str = "lower") -> dict[str, str]:
    row = {key: cell for key, cell in ENCODER.items() if key not in ("id", "architecture", "params")}
    return row | {
        "group_id": "G1", "aws_instance": instance, "accelerator": chip, "value": value, "better": better,
        "rank": "9", "measurement_id": "M1",
    }  # fmt: skip


ROWS = [
    rank_row("g4dn.xlarge", "T4", "30"),
    rank_row("g6e.xlarge", "L40S", "5"),
    rank_row("g6.xlarge", "L4", "15"),
]


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=2, max_size=7))
def test_tau_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    from scipy.stats import kendalltau  # a second of every start, for one test

    measured, predicted = [float(a) for a, _ in pairs], [float(b) for _, b in pairs]
    if len(set(measured)) > 1 and len(set(predicted)) > 1:
        expected = kendalltau(measured, predicted).statistic
        assert group(measured, list(predicted)).tau == pytest.approx(expected)


def test_an_unknown_lowers_tau_like_a_pair_without_order() -> None:
    assert group([1, 2, 3], [1, 2, 3]).tau == 1
    assert group([1, 2, 3], [1, 2, None]).tau == pytest.approx(1 / 3)
    assert group([1, 2], [None, None]).tau == 0


def test_types_that_hardly_differ_need_no_order() -> None:
    assert group([10, 12, 20], [12, 10, 20]).clear_pairs == [True, True]
    assert group([10, 12.1, 20], [12, 10, 20]).clear_pairs == [False, True, True]
    # An unknown, or the same for both, is no order.
    assert group([10, 20], [10, None]).clear_pairs == [False]
    assert group([10, 20], [10, 10]).clear_pairs == [False]


def test_regret_is_the_share_lost_by_the_pick() -> None:
    assert group([10, 12], [2, 1]).regret == pytest.approx(0.2)
    assert group([10, 12], [1, 2], lower_is_better=False).regret == 0
    assert group([10, 12], [2, 1], lower_is_better=False).regret == pytest.approx(0.2)
    assert group([10, 12], [None, None]).regret is None


def test_ties_are_broken_by_name() -> None:
    picked = group([10, 12], [5.0, 5.0]).picked
    assert picked is not None
    assert picked.id == "0"


def test_the_order_of_cards_is_found_from_a_row_without_architecture_or_parameters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = ranking.main([str(write_table(tmp_path / "ranks.csv", ROWS)), "--json"])
    report = json.loads(capsys.readouterr().out)
    assert code == 0
    assert report["all"] == {
        "groups": 1, "clear_pairs_right_percent": 100.0, "kendall_tau": 1.0, "top_1": 1.0,
        "mean_regret_percent": 0.0, "max_regret_percent": 0.0,
    }  # fmt: skip
    assert report["three_and_more"] == report["all"] == report["by_source"]["A"]


def test_values_and_ranks_do_not_change_the_predictions() -> None:
    catalog = load_catalog(REGION)
    shuffled = [
        {**row, "value": value, "rank": value} for row, value in zip(ROWS, ("5", "15", "30"), strict=True)
    ]
    assert [row.predicted for row in predict_rows(ROWS, catalog)] == [
        row.predicted for row in predict_rows(shuffled, catalog)
    ]


def test_rows_without_a_value_and_single_rows_form_no_group() -> None:
    catalog = load_catalog(REGION)
    rows = [ROWS[0], {**ROWS[1], "value": ""}, {**ROWS[2], "group_id": "G2"}]
    assert groups_of(rows, predict_rows(rows, catalog)) == []
    assert to_json([], [])["all"]["kendall_tau"] is None


def test_the_tables_are_printed_and_publishers_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_table(tmp_path / "ranks.csv", [*ROWS, {**ROWS[0], "accelerator": "abacus"}])
    fit = write_table(tmp_path / "rows.csv", [ENCODER])
    for arguments in ([], ["--leave-one-publisher-out", str(fit)]):
        assert ranking.main([str(path), *arguments]) == 0
        printed = capsys.readouterr().out
        assert "Kendall tau" in printed
        assert "accelerator abacus is not in the tables" in printed


def test_a_missing_file_is_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ranking.main([str(tmp_path / "none.csv")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_groups_are_measurements_of_one_metric_on_several_types() -> None:
    groups: dict[str, list[dict[str, str]]] = {}
    for row in ranking.grouped_measurements():
        groups.setdefault(row["group_id"], []).append(row)
    assert len(groups) > 200
    for name, rows in groups.items():
        assert len({row["metric"] for row in rows}) == 1, name
        assert len({row["aws_instance"] for row in rows}) == len(rows) > 1, name

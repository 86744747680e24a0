import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation.shared_error import SHARED_PART
from tests.benchmarks.measured_rows import ENCODER, write_table
from tools.benchmarks import decisions, fleets
from tools.benchmarks.decisions import best_for_the_money, bounds_of, cheapest_within, fastest
from tools.benchmarks.intervals import REGION
from tools.benchmarks.measured_points import errors_after, errors_by_points
from tools.benchmarks.predictions import predict_rows
from tools.benchmarks.publishers import mean_over_publishers, median_over_publishers
from tools.benchmarks.workload_groups import Group, Member, groups_of

CATALOG = load_catalog(REGION)
NAMES = (
    "ml.g4dn.xlarge",
    "ml.g5.xlarge",
    "ml.g6e.xlarge",
    "ml.p3.2xlarge",
    "ml.p4d.24xlarge",
    "ml.p5.48xlarge",
    "ml.g6.xlarge",
)


def group(
    measured: list[float],
    predicted: list[float | None],
    *,
    prices: list[float] | None = None,
    width: float = 1.0,
    publisher: str = "A",
) -> Group:
    return Group(
        publisher=publisher,
        metric="latency_ms_avg",
        members=tuple(
            Member(
                name=name,
                instance_type=CATALOG.get(name),
                usd_per_hour=price,
                measured=m,
                predicted=p,
                pessimistic=p and p * width,
                estimate_class="first token",
            )
            for name, m, p, price in zip(
                NAMES, measured, predicted, prices or [1.0] * len(measured), strict=False
            )
        ),
    )


def row(instance: str, chip: str, value: str, **changed: str) -> dict[str, str]:
    cells = {key: cell for key, cell in ENCODER.items() if key not in ("architecture", "params")}
    return cells | {"id": instance, "aws_instance": instance, "accelerator": chip, "value": value} | changed


ROWS = [row("g4dn.xlarge", "T4", "30"), row("g6e.xlarge", "L40S", "5"), row("ml.g6.xlarge", "L4", "15")]


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


def test_the_regret_of_the_fastest_is_the_share_lost() -> None:
    wrong, right = fastest(group([10, 12], [2, 1])), fastest(group([10, 12], [1, 2]))
    assert wrong is not None
    assert right is not None
    assert wrong.regret == pytest.approx(0.2)
    assert not wrong.right
    assert right.right
    assert fastest(group([10, 12], [None, None])) is None


def test_the_best_for_the_money_weighs_the_price() -> None:
    choice = best_for_the_money(group([10, 4], [10, 4], prices=[1.0, 3.0]))
    assert choice is not None
    assert choice.right
    wrong = best_for_the_money(group([10, 4], [13, 4], prices=[1.0, 3.0]))
    assert wrong is not None
    assert wrong.regret == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("predicted", "outcome"),
    [
        ([10.0, 4.0], "same"),
        ([13.0, 4.0], "dearer"),
        ([13.0, 13.0], "none found"),
        ([11.0, None], "same"),
    ],
)
def test_the_cheapest_within_a_bound_that_both_keep(predicted: list[float | None], outcome: str) -> None:
    found = cheapest_within(group([10, 4], predicted, prices=[1.0, 3.0]), 12.0)
    assert found is not None
    assert found.outcome == outcome


def test_a_pick_misses_a_bound_by_a_factor_and_a_margin_is_more_careful() -> None:
    two = group([10, 4], [7, 4], prices=[1.0, 3.0])
    missed = cheapest_within(two, 8.0)
    assert missed is not None
    assert (missed.outcome, missed.excess) == ("missed", 1.25)
    careful = cheapest_within(two, 8.0, margin=0.5)
    assert careful is not None
    assert careful.outcome == "same"


def test_bounds_lie_between_types_that_differ_and_above_all() -> None:
    assert bounds_of(group([4, 9, 9.1], [1, 1, 1])) == pytest.approx([6, 9.1 * 1.2])


def test_publishers_count_alike() -> None:
    assert mean_over_publishers([("A", 1.0), ("A", 1.0), ("A", 1.0), ("B", 0.0)]) == 0.5
    assert mean_over_publishers([]) is None
    assert median_over_publishers([("A", 1.0), ("A", 2.0), ("A", 3.0), ("B", 9.0)]) == 3.0
    assert median_over_publishers([]) is None


def test_rows_of_one_workload_are_a_group_whatever_the_machine_and_the_notes() -> None:
    rows = [*ROWS, {**ROWS[0], "aws_instance": "g5.xlarge", "accelerator": "A10G", "batch_size": "16"}]
    rows[1]["note"] = "a word"
    (found,) = groups_of(rows, predict_rows(rows, CATALOG), CATALOG)
    assert [member.name for member in found.members] == [
        "ml.g4dn.xlarge", "ml.g6e.xlarge", "ml.g6.xlarge"
    ]  # fmt: skip
    assert found.tau == 1
    assert found.estimate_class == "encoders and image networks on GPUs"


def test_machines_that_are_no_instance_types_are_compared_where_that_is_asked() -> None:
    rows = [{**ROWS[0], "aws_instance": ""}, {**ROWS[1], "aws_instance": ""}]
    predictions = predict_rows(rows, CATALOG)
    assert groups_of(rows, predictions, CATALOG) == []
    (found,) = groups_of(rows, predictions, CATALOG, any_machine=True)
    assert [(member.name, member.usd_per_hour) for member in found.members] == [
        ("1 x T4", None),
        ("1 x L40S", None),
    ]


def test_a_rate_is_a_time_and_rows_of_one_type_count_once() -> None:
    rates = [{**ROWS[0], "metric": "throughput_seq_s", "value": value} for value in ("100", "400")]
    rates += [{**ROWS[1], "metric": "throughput_seq_s", "value": "500"}]
    (found,) = groups_of(rates, predict_rows(rates, CATALOG), CATALOG)
    assert [member.measured for member in found.members] == pytest.approx([1 / 200, 1 / 500])


def test_what_is_no_choice_is_no_group() -> None:
    single = [ROWS[0], {**ROWS[1], "value": ""}, {**ROWS[2], "aws_instance": "x9.large"}]
    assert groups_of(single, predict_rows(single, CATALOG), CATALOG) == []
    apart = [{**ROWS[0], "group_id": "1"}, {**ROWS[1], "group_id": "2"}]
    assert groups_of(apart, predict_rows(apart, CATALOG), CATALOG) == []


def test_values_do_not_change_the_predictions() -> None:
    changed = [{**cells, "value": value} for cells, value in zip(ROWS, ("5", "15", "30"), strict=True)]
    assert [found.predicted for found in predict_rows(ROWS, CATALOG)] == [
        found.predicted for found in predict_rows(changed, CATALOG)
    ]


THREE = group([10, 5, 2], [10, 5, 2], prices=[1.0, 3.0, 8.0])


def test_the_oracle_and_exact_estimates_agree() -> None:
    demands = fleets.demands_of([THREE])
    assert len(demands) == fleets.DRAWS
    assert fleets.demands_of([THREE]) == demands
    found = fleets.cost_above_oracle(demands, fleets.predicted_pick)
    assert (found["median"], found["mean"], found["missed"], found["none_found"]) == (0, 0, 0, 0)


def test_a_fleet_has_whole_instances_and_a_load_test_is_charged() -> None:
    demand = fleets.Demand(THREE, load=0.21, bound=100.0)
    cheapest = fleets.cheapest_that_fits(demand)
    assert cheapest is not None
    assert fleets.usd_per_month(demand, cheapest) == 3 * fleets.HOURS_PER_MONTH
    tested = fleets.outcome_of(demand, fleets.best_of_tested)
    assert tested is not None
    assert tested.cost_over_oracle == pytest.approx(1 + 0.75 * 12 / (3 * 730))


def test_a_fleet_that_misses_the_bound_is_no_saving() -> None:
    demand = fleets.Demand(THREE, load=0.1, bound=6.0)
    found = fleets.cost_above_oracle([demand], fleets.cheapest_that_fits)
    assert (found["median"], found["missed"], found["none_found"]) == (None, 1.0, 0.0)
    nothing = fleets.Demand(THREE, load=0.1, bound=1.0)
    assert fleets.outcome_of(nothing, fleets.cheapest_that_fits) is None


def test_the_newest_single_gpu_is_by_year() -> None:
    demand = fleets.Demand(group([1] * 5, [1] * 5), load=1.0, bound=9.0)
    newest = fleets.newest_single_gpu(demand)
    assert newest is not None
    assert newest.name == "ml.g6e.xlarge"


def test_what_types_share_of_an_error_a_measurement_takes_away() -> None:
    shifted = group([20, 10, 4, 2], [10, 5, 2, 1])
    assert max(errors_after(shifted, 0)) == pytest.approx(math.log(2))
    assert max(errors_after(shifted, 1)) == pytest.approx((1 - SHARED_PART) * math.log(2))
    report = errors_by_points([shifted])["3 measured"]
    assert report["median_before"] == pytest.approx(1.0)
    assert report["median_after"] == pytest.approx(2 ** (1 - 3 * SHARED_PART / (1 + 2 * SHARED_PART)) - 1)
    # Three others cannot be measured of a group of three.
    assert errors_by_points([THREE])["3 measured"]["groups"] == 0


def test_the_tables_are_printed_and_publishers_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_table(tmp_path / "rows.csv", ROWS)
    monkeypatch.setattr(decisions, "MEASUREMENTS", write_table(tmp_path / "fit.csv", [ENCODER]))
    for arguments in ([], ["--leave-one-publisher-out"]):
        assert decisions.main([str(path), *arguments]) == 0
        printed = capsys.readouterr().out
        assert "Decisions by class" in printed
        assert "Cost of a fleet above the oracle" in printed
    assert decisions.main([str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["all"]["groups"] == 1


def test_a_missing_file_is_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert decisions.main([str(tmp_path / "none.csv")]) == 2
    assert capsys.readouterr().err.count("\n") == 1

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation.uncertainty import ANY, Spread, interval_factors, log_half_width
from tests.benchmarks.measured_rows import DECODER, ENCODER
from tools.benchmarks.intervals import ENOUGH_PUBLISHERS, MIN_PUBLISHERS, spreads_of, with_intervals
from tools.benchmarks.predictions import Prediction, predict_rows
from tools.benchmarks.tables import publisher_of

SOURCES = ("a", "b", "c", "d", "e", "f", "g")


def predictions(source: str, spread: float, count: int = 40, name: str = "forward") -> list[Prediction]:
    ratios = np.exp(np.linspace(-spread, spread, count))
    return [
        Prediction(
            id=f"{source}{i}",
            source=source,
            metric="latency_ms_avg",
            accelerator="T4",
            measured=float(10 * ratio),
            predicted=10.0,
            physics="forward",
            kind="cuda",
            architecture="encoder",
            estimate_class=name,
        )
        for i, ratio in enumerate(ratios)
    ]


def everybody(spread: float, sources: tuple[str, ...] = SOURCES, name: str = "forward") -> list[Prediction]:
    return [row for source in sources for row in predictions(source, spread, name=name)]


def test_the_interval_of_a_source_comes_from_all_others() -> None:
    calm, wild = predictions("calm", 0.3), predictions("wild", 2.0)
    found = with_intervals([*calm, *predictions("also-calm", 0.3), *wild], together=str)
    alone, beside = found[0], found[-1]
    assert beside.high is not None
    assert beside.high / 10 < 1.4
    assert alone.high is not None
    assert alone.high / 10 > 2


def test_the_sources_of_a_publisher_say_nothing_of_each_other() -> None:
    first, second = "DLE-BERT-PT", "DLE-RN50"
    rows = predictions(first, 2.0) + predictions(second, 2.0) + everybody(0.3)
    by_source, by_publisher = (with_intervals(rows, together=name)[0] for name in (str, publisher_of))
    assert publisher_of(first) == publisher_of(second) != first
    assert by_source.high is not None
    assert by_publisher.high is not None
    assert by_publisher.high < by_source.high


def test_no_interval_is_narrower_than_sources_agree() -> None:
    assert spreads_of(everybody(0.01))[ANY, ""].log_half_width == pytest.approx(math.log(1.2))


def test_the_fewer_publishers_are_known_the_more_of_their_results_an_interval_holds() -> None:
    def half_width(publishers: int) -> float:
        rows = [row for i in range(publishers) for row in predictions(f"source {i}", 1.0, 500)]
        return spreads_of(rows)[ANY, ""].log_half_width

    # Nine tenths of one more than the known ones: 94.5 and 90.9 % of an even spread from -1 to 1.
    assert (half_width(20), half_width(100)) == pytest.approx((0.945, 0.909), abs=0.003)
    # However few they are, a single one does not decide.
    assert half_width(2) == pytest.approx(0.95, abs=0.003)


def test_a_source_with_many_rows_counts_like_one_with_few() -> None:
    few = spreads_of(predictions("a", 0.1, 3) + predictions("b", 1.0, 100))[ANY, ""]
    many = spreads_of(predictions("a", 0.1, 1000) + predictions("b", 1.0, 100))[ANY, ""]
    assert (many.rows, many.publishers) == (1100, 2)
    assert many.log_half_width == pytest.approx(few.log_half_width, rel=0.01)
    # 95 of 100 rows, each counting the same, would be nearly those of the first alone.
    assert many.log_half_width == pytest.approx(0.9, rel=0.02)


def test_tuned_records_and_durations_of_unknown_work_do_not_widen_what_users_get() -> None:
    rows = everybody(0.3)
    records = [replace(row, tuned_record=True) for row in predictions("record", 2.0)]
    unsized = [replace(row, size_is_stated=False) for row in predictions("unsized", 2.0)]
    assert spreads_of([*rows, *records, *unsized]) == spreads_of(rows)


def test_a_class_of_few_publishers_takes_the_figure_of_everything() -> None:
    few = SOURCES[: MIN_PUBLISHERS - 1]
    found = spreads_of(everybody(0.5) + everybody(1.0, few, "served"))
    assert found.keys() == {(ANY, ""), ("forward", "")}
    assert log_half_width("served", spreads=found) == found[ANY, ""].log_half_width


def test_a_class_of_some_publishers_may_be_wider_than_everything_and_of_many_narrower() -> None:
    some = SOURCES[:MIN_PUBLISHERS]
    narrow = spreads_of(everybody(1.0) + everybody(0.3, some, "served"))
    wide = spreads_of(everybody(0.3) + everybody(1.0, some, "served"))
    many = spreads_of(everybody(1.0) + everybody(0.3, SOURCES[:ENOUGH_PUBLISHERS], "served"))
    assert narrow["served", ""].log_half_width == narrow[ANY, ""].log_half_width
    assert wide["served", ""].log_half_width > wide[ANY, ""].log_half_width
    assert many["served", ""].log_half_width < many[ANY, ""].log_half_width


def grouped(spread: float, group: str, sources: tuple[str, ...] = SOURCES) -> list[Prediction]:
    return [replace(row, range_group=group) for row in everybody(spread, sources)]


def test_a_class_is_divided_where_enough_publishers_measured_each_group() -> None:
    found = spreads_of(grouped(0.3, "one device") + grouped(1.0, "eager"))
    assert found["forward", "one device"].log_half_width < found["forward", ""].log_half_width
    assert found["forward", "eager"].log_half_width > found["forward", ""].log_half_width

    whole = spreads_of(grouped(0.3, "one device") + grouped(1.0, "eager", SOURCES[:-1]))
    assert whole.keys() == {("forward", ""), (ANY, "")}


def test_the_interval_of_a_row_is_that_of_its_group() -> None:
    # Of the other publishers there must be enough.
    sources = (*SOURCES, "h")
    rows = grouped(0.3, "one device", sources) + grouped(1.0, "eager", sources)
    calm, wild = (with_intervals(rows, together=str)[i] for i in (0, -1))
    assert calm.high is not None
    assert wild.high is not None
    assert calm.high / 10 < 1.4
    assert wild.high / 10 > 2


def test_the_group_of_a_row_is_told_by_its_engine_and_its_split() -> None:
    split = {**DECODER, "accelerator_count": "4", "parallelism": "TP4"}
    eager = {**ENCODER, "framework": "PyTorch"}
    training = {**eager, "task": "training", "metric": "samples_s"}
    rows = predict_rows([DECODER, split, eager, training], load_catalog("us-east-1"))
    assert [row.range_group for row in rows] == ["one device", "several devices", "eager", ""]


def test_most_measured_values_of_an_even_spread_are_inside() -> None:
    rows = everybody(0.5)
    found = with_intervals(rows, together=str)
    inside = [row.low <= row.measured <= row.high for row in found if row.low and row.high and row.measured]
    assert 0.85 <= sum(inside) / len(rows) <= 0.95


def test_what_has_no_prediction_or_is_a_yes_or_no_has_no_interval() -> None:
    blank = replace(predictions("a", 0.1, 1)[0], predicted=None)
    fits = replace(blank, predicted=1.0, metric="fits_memory")
    assert all(row.low is None and row.high is None for row in with_intervals([blank, fits]))


@given(st.floats(0, 3), st.floats(0, 3))
def test_levels_that_were_not_seen_never_narrow_an_interval(a: float, b: float) -> None:
    table = {(ANY, ""): Spread(0.5, 100, 3)}
    _, (none, few, many) = interval_factors((("forward", ""),) * 3, np.array([0.0, *sorted((a, b))]), table)
    assert math.exp(0.5) <= none * (1 + 1e-9)
    assert none <= few <= many


def test_a_processor_that_the_source_does_not_name_widens_the_interval() -> None:
    named = {**ENCODER, "accelerator": "Xeon-IceLake (8 vCPU)", "precision": "fp32", "framework": "PyTorch"}
    unnamed = {**named, "accelerator": "CPU"}
    known, unknown = with_intervals(predict_rows([named, unnamed], load_catalog("us-east-1")))
    assert known.predicted == pytest.approx(unknown.predicted)
    assert known.high is not None
    assert unknown.high is not None
    assert unknown.high > 1.5 * known.high

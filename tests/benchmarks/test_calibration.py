"""The fit: what it looks at, and what it takes for the care of one publisher."""

from typing import Any

import numpy as np

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation.coefficients import Coefficients
from tests.benchmarks.measured_rows import ENCODER
from tools.benchmarks.calibrate import DIGESTS, FACTS, digests
from tools.benchmarks.calibration import MAX_ROWS_OF_SOURCE, Calibration, sampled
from tools.benchmarks.case_groups import grouped
from tools.benchmarks.predictions import read_cases
from tools.benchmarks.priors import prior_table
from tools.benchmarks.tables import MEASUREMENTS, SOURCES, publisher_of, read_table

CATALOG = load_catalog("us-east-1")


def rows(source: str, count: int = 8, factor: float = 1.0, **cells: str) -> list[dict[str, str]]:
    """Return rows of growing batches whose latency grows with them."""
    return [
        {**ENCODER, "source_id": source, "batch_size": str(n), "value": str(5 * n * factor)} | cells
        for n in range(1, count + 1)
    ]


def calibration(*parts: list[dict[str, str]]) -> Calibration:
    (group,) = grouped(read_cases([row for part in parts for row in part], CATALOG))
    return Calibration(group)


def everything(of: Calibration) -> np.ndarray:
    return np.ones(len(of.cases.cases), bool)


def test_a_source_of_many_rows_is_sampled_and_the_order_of_its_rows_does_not_matter() -> None:
    many, few = rows("A", 100), rows("B", 8)
    forward, backward = (
        [(case.source, case.batch) for case in sampled(read_cases(table, CATALOG))]
        for table in ([*many, *few], [*few, *reversed(many)])
    )

    assert [source for source, _ in forward] == ["A"] * MAX_ROWS_OF_SOURCE + ["B"] * 8
    assert set(forward) == set(backward)
    # Spread over what was measured, not its beginning.
    assert max(batch or 0 for _, batch in forward) > 90


def test_one_publisher_that_is_slow_as_a_whole_says_less_of_the_hardware_than_two() -> None:
    def latency_ms(*sources: str) -> float:
        fitted = calibration(*(rows(source, factor=4.0) for source in sources))
        group = fitted.cases
        k = Coefficients("forward", fitted.fit(everything(fitted))).values(group.labels, len(group.cases))
        return float(group.predict(k)[-1])

    of_one, of_two = latency_ms("DLE-BERT-PT", "DLE-RN50"), latency_ms("DLE-BERT-PT", "B")

    assert of_one < of_two < 5 * 8 * 4


def test_a_publisher_that_is_off_by_much_does_not_pull_the_others_along() -> None:
    def latency_ms(factor: float) -> float:
        usual = [rows(source) for source in ("DLE-BERT-PT", "ORT-V100", "A", "B")]
        fitted = calibration(*usual, rows("C", factor=factor))
        group = fitted.cases
        k = Coefficients("forward", fitted.fit(everything(fitted))).values(group.labels, len(group.cases))
        return float(group.predict(k)[7])

    # One that measured something else says hardly more than one that is slow.
    assert latency_ms(30.0) < 1.06 * latency_ms(3.0)


def test_software_that_only_those_who_left_have_shown_is_as_if_nobody_knew_it() -> None:
    fitted = calibration(rows("A"), rows("B", framework="torch-compile"))
    sources = np.array([case.source for case in fitted.cases.cases])

    of_all, of_one = (
        fitted.fit(chosen)["traffic"]["engine"] for chosen in (everything(fitted), sources == "A")
    )
    assert of_all["compiled"].unseen_log_sd == 0
    # Its prior is gone with those who have shown it; nobody has shown a scripted one, which keeps its prior.
    assert "compiled" not in of_one
    assert of_one["scripted"] == prior_table("forward")["traffic"]["engine"]["scripted"]
    assert of_one["optimized"].unseen_log_sd == 0


def test_each_level_has_the_publishers_that_show_it() -> None:
    fitted = calibration(rows("DLE-BERT-PT"), rows("DLE-RN50"), rows("B", framework="PyTorch"))

    assert fitted.publishers()["traffic", "engine", "optimized"] == 1
    assert fitted.publishers()["compute", "base", "*"] == 2


def test_a_duration_of_unknown_work_is_not_fitted() -> None:
    trees: dict[str, Any] = {
        "task": "training",
        "architecture": "gbdt",
        "model": "xgboost",
        "metric": "train_time_s",
    }
    fitted = calibration(rows("A", **trees), rows("B", **(trees | {"rounds": "100"})))

    assert fitted.usable.tolist() == [False] * 8 + [True] * 8


def test_every_source_of_the_measurements_has_a_publisher() -> None:
    known = {row["source_id"] for row in read_table(SOURCES) if row["publisher"]}
    used = {row["source_id"] for row in read_table(MEASUREMENTS)}

    assert used <= known
    assert publisher_of("never heard of") == "never heard of"


def test_the_shipped_coefficients_are_those_of_the_data_that_is_here() -> None:
    shipped = DIGESTS.read_text("utf-8")
    assert shipped == digests((MEASUREMENTS, *FACTS)), "run: python -m tools.benchmarks.calibrate"

"""Known verdicts on memory: what people published of engines that started, and of such that ran out of memory.

``seen`` tells which rows the bounds were made or mended with (working), and which only confirmed them (end).
"""

from pathlib import Path

from sizewell.instance_selection import load_catalog
from tools.benchmarks.predictions import predict_rows
from tools.benchmarks.tables import read_table

ROWS = read_table(Path(__file__).parent / "published_memory.csv")


def test_nothing_that_ran_out_of_memory_is_called_feasible_and_nine_of_ten_verdicts_are_right() -> None:
    rows = [row | {"metric": "fits_memory"} for row in ROWS]
    predictions = predict_rows(rows, load_catalog("us-east-1"))

    assert [p.reason for p in predictions if p.reason] == []
    verdicts = [(row["model"], p.measured, p.predicted) for row, p in zip(rows, predictions, strict=True)]
    assert [v for v in verdicts if v[1] == 0 and v[2] == 1] == []
    wrong = [v for v in verdicts if v[1] != v[2]]
    assert len(wrong) <= 0.1 * len(rows), wrong

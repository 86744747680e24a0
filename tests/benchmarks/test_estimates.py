import csv
import json
import math
from collections.abc import Mapping
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection.catalog import load_catalog
from sizewell.instance_selection.estimation.coefficients import Array
from tests.benchmarks.measured_rows import DECODER, ENCODER, write_table
from tools.benchmarks import estimates
from tools.benchmarks.case_groups import GROUPS
from tools.benchmarks.chips import ALLOWED
from tools.benchmarks.estimate_report import (
    accuracy,
    less_is_better,
    memory_fit,
    publishers_alike,
    records,
    to_json,
)
from tools.benchmarks.forward_cases import ForwardCases
from tools.benchmarks.predictions import Prediction, class_of_metric, predict_rows
from tools.benchmarks.tables import MEASUREMENTS, read_table

CATALOG = load_catalog("us-east-1")
STATISTICS = {
    "type": "object",
    "required": ["rows", "predicted", "median_error_percent", "p90_factor", "within_2x", "bias"],
}
ALIKE = {
    "type": "object",
    "required": [
        "rows",
        "publishers",
        "predicted_share",
        "median_error_percent",
        "within_2x",
        "bias",
        "inside",
        "median_width",
    ],
}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "left_out", "rows", "predicted", "by_publishers_alike", "by_class", "total", "by_group", "by_source", "by_metric",
        "by_accelerator", "fits_memory", "tuned_records", "not_predicted", "read_in_part",
    ],
    "properties": {
        "left_out": {"enum": [None, "source", "publisher"]},
        "rows": {"type": "integer"},
        "predicted": {"type": "integer"},
        "by_publishers_alike": ALIKE,
        "by_class": {"type": "object", "additionalProperties": ALIKE},
        "total": STATISTICS,
        **{
            f"by_{part}": {"type": "object", "additionalProperties": STATISTICS}
            for part in ("group", "source", "metric", "accelerator")
        },
        "fits_memory": {"type": "object", "required": ["total", "by_source"]},
        "tuned_records": {"type": "object", "required": ["total", "by_metric"]},
        "not_predicted": {"type": "array", "items": {"type": "object", "required": ["reason", "rows"]}},
        "read_in_part": {"type": "array", "items": {"type": "object", "required": ["words", "column", "rows"]}},
    },
}  # fmt: skip


REFUSED_CHIP = f"accelerator ? is not read: write {ALLOWED}"


def prediction(measured: float | None, predicted: float | None, **other: object) -> Prediction:
    values = {"id": "R", "source": "A", "metric": "latency_ms_avg", "accelerator": "T4"} | other
    return Prediction(measured=measured, predicted=predicted, **values)  # type: ignore[arg-type]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = estimates.main(arguments)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_the_error_counts_missing_predictions_as_misses() -> None:
    found = accuracy([prediction(100, 110), prediction(100, 300), prediction(100, 50), prediction(100, None)])
    assert found["rows"] == 4
    assert found["predicted"] == 3
    assert found["within_2x"] == 0.5
    assert found["median_error_percent"] == 50.0
    assert found["bias"] == 1.1


def test_an_error_of_nothing_is_unknown_and_not_zero() -> None:
    assert accuracy([])["median_error_percent"] is None
    assert accuracy([prediction(100, None)])["within_2x"] == 0.0


def test_a_publisher_with_a_thousand_rows_counts_as_one_with_one() -> None:
    def found(rows: int) -> dict[str, float | int | None]:
        many = [prediction(100, 130, id=str(i), source="many") for i in range(rows)]
        few = [prediction(100, 350, source="few"), prediction(100, 110, source="third")]
        return publishers_alike([*many, *few])

    assert found(1000) == found(1) | {"rows": 1002}
    assert found(1000)["median_error_percent"] == pytest.approx(30.0)
    assert found(1000)["within_2x"] == pytest.approx(2 / 3, abs=1e-4)
    assert (found(9)["publishers"], found(9)["bias"]) == (3, 1.3)


def test_a_publisher_without_a_prediction_is_a_miss() -> None:
    found = publishers_alike([prediction(100, 100), prediction(100, None, source="B")])
    assert (found["within_2x"], found["predicted_share"]) == (0.5, 0.5)
    assert publishers_alike([])["median_error_percent"] is None


def test_ranges_are_judged_by_publishers_too() -> None:
    inside = {"low": 50.0, "high": 200.0}
    rows = [prediction(100, 100, **inside), prediction(100, 100, **inside)]
    found = publishers_alike([*rows, prediction(300, 100, source="B", **inside)])
    assert (found["inside"], found["median_width"]) == (0.5, 4.0)


def test_memory_fit_tells_the_dangerous_error_apart() -> None:
    rows = [prediction(1, 1), prediction(0, 0), prediction(0, 1), prediction(1, 0), prediction(0, None)]
    assert memory_fit(rows) == {
        "rows": 5,
        "predicted": 4,
        "right": 2,
        "right_share": 0.4,
        "infeasible_called_feasible": 1,
        "feasible_called_infeasible": 1,
    }


def test_a_record_is_beaten_by_less_latency_and_by_more_throughput() -> None:
    assert records([prediction(100, 80), prediction(100, 95), prediction(100, 120)])["beaten"] == 1
    rates = [prediction(100, value, metric="images_s") for value in (80, 105, 120)]
    assert records(rates)["beaten"] == 1
    assert not less_is_better("tokens_s_total")


def test_predictions_never_look_at_the_measured_value() -> None:
    rows = [ENCODER, DECODER, {**ENCODER, "id": "R3", "accelerator": "L4"}]
    shuffled = [{**row, "value": value} for row, value in zip(rows, ("7", "", "1e6"), strict=True)]
    assert [row.predicted for row in predict_rows(rows, CATALOG)] == [
        row.predicted for row in predict_rows(shuffled, CATALOG)
    ]


def test_a_row_is_predicted_alike_whatever_stands_beside_it() -> None:
    alone = predict_rows([ENCODER], CATALOG)[0].predicted
    beside = predict_rows([{**ENCODER, "accelerator": "H100"}, DECODER, ENCODER], CATALOG)[2].predicted
    assert alone is not None
    assert beside == pytest.approx(alone)


#: Two sources of one publisher, and one of another.
TOGETHER = ("DLE-BERT-PT", "DLE-RN50")


def table_of(*sources: str, **cells: str) -> list[dict[str, str]]:
    """Return four rows of each source."""
    return [
        {**ENCODER, "id": f"{s}{b}", "source_id": s, "batch_size": str(b), "value": str(5 * b)} | cells
        for s in sources
        for b in (1, 2, 4, 8)
    ]


def slower(rows: list[dict[str, str]], *sources: str) -> list[dict[str, str]]:
    return [
        {**row, "value": str(9 * float(row["value"]))} if row["source_id"] in sources else row for row in rows
    ]


def test_left_out_predictions_see_neither_their_source_nor_others_of_its_publisher() -> None:
    rows = table_of(*TOGETHER, "B")
    changed = slower(rows, *TOGETHER)
    first, second = (predict_rows(table, CATALOG, fit_rows=table) for table in (rows, changed))
    assert [row.predicted for row in first[:8]] == pytest.approx([row.predicted for row in second[:8]])
    assert first[8].predicted != pytest.approx(second[8].predicted)
    by_source = predict_rows(changed, CATALOG, fit_rows=changed, together=str)
    assert by_source[0].predicted != pytest.approx(second[0].predicted)


def test_software_that_only_the_publisher_left_out_has_shown_is_neutral() -> None:
    own = [{**ENCODER, "framework": name} for name in ("TensorRT", "PyTorch", "torch.compile")]
    others = table_of("B", framework="ONNX Runtime")

    def predicted(*shown: dict[str, str]) -> list[float | None]:
        return [row.predicted for row in predict_rows(own, CATALOG, fit_rows=[*others, *shown, *own])]

    # Nobody who stays knows what a runtime gains over a framework, and no prior says it.
    first, *rest = predicted()
    assert rest == [first, first]
    optimized, eager, compiled = predicted(*table_of("C", framework="torch.compile"))
    assert optimized == eager != compiled


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"accelerator": "Frobnicator 9"}, "Frobnicator 9"),
        ({"model": "nobody-knows", "params": "", "architecture": "encoder"}, "no parameters"),
        ({"metric": "smiles_per_hour"}, "smiles_per_hour"),
        ({"batch_size": "-4"}, "batch_size -4"),
        ({"params": "1e30"}, "params 1e30"),
        ({"accelerator_count": "nan"}, "accelerator_count nan"),
        ({"input_len": "inf"}, "input_len inf"),
        ({"concurrency": "-1"}, "concurrency -1 is not between 0 and"),
    ],
)
def test_a_strange_row_has_a_reason_and_spoils_no_other(change: dict[str, str], reason: str) -> None:
    good, strange, last = predict_rows([ENCODER, ENCODER | change, DECODER], CATALOG)
    assert strange.predicted is None
    assert reason in strange.reason
    assert good.predicted is not None
    assert last.predicted is not None


def test_a_row_that_breaks_the_physics_is_found_among_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fragile(ForwardCases):
        def predict(self, k: Mapping[str, Array]) -> Array:
            if any(case.batch == 13 for case in self.cases):
                raise ZeroDivisionError("thirteen")
            return super().predict(k)

    monkeypatch.setitem(GROUPS, "forward", Fragile)
    rows = [{**ENCODER, "batch_size": str(batch)} for batch in (1, 2, 13, 4, 5)]
    found = predict_rows(rows, CATALOG)
    assert [row.predicted is None for row in found] == [False, False, True, False, False]
    assert found[2].reason == "the row makes no sense: thirteen"


@pytest.mark.parametrize(
    ("metric", "training", "group"),
    [
        ("latency_ms_p99", False, "latency"),
        ("ttft_ms", False, "first token"),
        ("itl_ms", False, "step"),
        ("requests_s", False, "throughput"),
        ("throughput_seq_s", True, "training"),
        ("peak_mem_mb", True, "memory"),
    ],
)
def test_metrics_are_grouped_by_what_they_say(metric: str, training: bool, group: str) -> None:
    assert class_of_metric(metric, training=training) == group


COLUMNS = [column for column in read_table(MEASUREMENTS)[0] if column not in ("id", "value")]
cells = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ("", "0", "-1", "1e300", "nan", "decoder", "cnn", "gbdt", "T4", "Inferentia2", "int8", "itl_ms")
    ),
)


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(COLUMNS), cells, max_size=6), st.sampled_from((ENCODER, DECODER)))
def test_no_row_crashes_and_each_has_a_number_or_a_reason(
    change: dict[str, str], base: dict[str, str]
) -> None:
    (found,) = predict_rows([{**base, **change}], CATALOG)
    assert (found.predicted is None) == bool(found.reason)
    assert found.predicted is None or math.isfinite(found.predicted)


def test_the_report_has_the_published_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write_table(
        tmp_path / "rows.csv", [ENCODER, DECODER, {**ENCODER, "id": "R3", "accelerator": "?"}]
    )
    code, out, _ = run(capsys, str(table), "--json")
    report = json.loads(out)
    jsonschema.validate(report, SCHEMA)
    assert code == 0
    assert (report["rows"], report["predicted"]) == (3, 2)
    assert report["not_predicted"] == [{"reason": REFUSED_CHIP, "rows": 1}]


def test_words_that_were_left_out_are_told_the_most_frequent_ones_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["zulu", *(f"word{'abcdefghijkl'[i]}" for i in range(12))]
    rows = [
        {**ENCODER, "framework": f"TensorRT {word}", "precision": "fp16 or so"} for word in ("zulu", *words)
    ]
    table = write_table(tmp_path / "rows.csv", rows)
    _, out, _ = run(capsys, str(table), "--json")
    found = json.loads(out)["read_in_part"]
    assert found[:2] == [
        {"words": "or-so", "column": "precision", "rows": 14},
        {"words": "zulu", "column": "framework", "rows": 2},
    ]
    assert len(found) == 14
    printed = run(capsys, str(table))[1].partition("Read in part")[2]
    assert ("or-so" in printed, "wordh" in printed, "wordi" in printed) == (True, True, False)


def test_left_out_sources_are_reported_with_progress(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write_table(tmp_path / "rows.csv", [ENCODER, {**ENCODER, "id": "R3", "source_id": "C"}])
    for what in ("source", "publisher"):
        code, out, err = run(capsys, str(table), "--json", f"--leave-one-{what}-out")
        assert code == 0
        assert json.loads(out)["left_out"] == what
        assert "forward: fit without C (2 of 2)" in err


def test_every_row_is_written_in_the_order_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{**DECODER, "value": ""}, {**ENCODER, "accelerator": "?"}, ENCODER, ENCODER]
    out = tmp_path / "predictions.csv"
    code, printed, _ = run(capsys, str(write_table(tmp_path / "rows.csv", rows)), "--out", str(out))
    with out.open(newline="") as file:
        written = list(csv.DictReader(file))
    assert code == 0
    assert [row["id"] for row in written] == ["R2", "R1", "R1", "R1"]
    assert list(written[0]) == ["id", "predicted", "low", "high", "reason"]
    assert written[1] == {
        "id": "R1", "predicted": "", "low": "", "high": "", "reason": REFUSED_CHIP
    }  # fmt: skip
    for row in (written[0], written[2]):
        assert float(row["low"]) < float(row["predicted"]) < float(row["high"])
    assert "By accelerator" in printed
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".new"] == []


def test_a_file_that_is_none_is_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, binary = tmp_path / "empty.csv", tmp_path / "binary.csv"
    empty.write_text("")
    binary.write_bytes(b"\xff\xfe\x00\x80" * 9)
    for path, message in (
        (tmp_path / "none.csv", "No such file"),
        (empty, "is empty"),
        (binary, "no comma-separated text"),
    ):
        code, out, err = run(capsys, str(path))
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1


def test_a_table_without_rows_or_values_is_no_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("id,model,metric\n")
    assert run(capsys, str(table))[0] == 0
    table.write_text("something,else\n1,2\n")
    code, out, _ = run(capsys, str(table), "--json", "--leave-one-publisher-out")
    assert code == 0
    assert json.loads(out)["predicted"] == 0


def test_a_place_that_cannot_be_written_is_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write_table(tmp_path / "rows.csv", [ENCODER])
    code, _, err = run(capsys, str(table), "--out", str(tmp_path / "none" / "p.csv"))
    assert code == 2
    assert "cannot be written" in err


def test_the_same_rows_give_the_same_report() -> None:
    first, second = (to_json(predict_rows([ENCODER, DECODER], CATALOG), left_out=None) for _ in range(2))
    assert json.dumps(first) == json.dumps(second)

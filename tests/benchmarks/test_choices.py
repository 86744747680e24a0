import csv
import json
from pathlib import Path
from typing import Any

import pytest

from sizewell.instance_selection import Precision, load_catalog
from tools.benchmarks.choice_names import REGION, SERVERLESS, matches
from tools.benchmarks.choice_needs import EVERY_IMAGE, endpoint_needs
from tools.benchmarks.choice_picks import Pick, Ranked, established, pick
from tools.benchmarks.choice_report import Outcome, judge, summary
from tools.benchmarks.choice_table import Question, Recommendation, read_recommendations
from tools.benchmarks.choice_verdicts import Answer, Verdict, verdicts
from tools.benchmarks.choices import CHOICES, compare, main
from tools.benchmarks.tables import TableError, read_table

CATALOG = load_catalog(REGION)
FIRST_ROW = next(iter(read_table(CHOICES)))
LLAMA = {"preset": "llama-2-70b", "precision": "fp16"}
ONE_CHAT = {"preset": "llama-2-7b", "precision": "fp16", "concurrent_requests": "1", "context_tokens": "2048"}


def question(**cells: str) -> Question:
    return Question.model_validate({"task": "inference", **cells})


def answer(name: str, **cells: str) -> Answer:
    return verdicts(question(**cells), CATALOG)[name].answer


def table(path: Path, **cells: str) -> Path:
    """Write the first row of the shipped table with other cells."""
    row = FIRST_ROW | cells
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow(row)
    return path


# The shipped table


def test_the_picks_agree_with_the_shipped_table() -> None:
    outcomes = compare(read_recommendations(CHOICES), CATALOG)
    assert len(outcomes) == len({outcome.id for outcome in outcomes}) == 127
    found = summary(outcomes)["all rows"]
    assert found["violations"] == 0
    assert found["agree_pct"] > 85
    assert found["agree_with_successors_pct"] > 90
    assert not any(set(outcome.feasible) & set(outcome.rejected) for outcome in outcomes)


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        ({"precision": "fp17"}, "precision 'fp17': Input should be 'fp32', 'tf32', 'fp16'"),
        ({"task": ""}, "task '': Field required"),
        ({"max_p95_latency_ms": "-5"}, "max_p95_latency_ms '-5': Input should be greater than 0"),
        ({"circumstances": "low-cost fast"}, "circumstances 'low-cost fast': Input should be 'large'"),
        ({"preset": "falcon-7c"}, "did you mean falcon-7b"),
        ({"preset": ""}, "must state either algorithm or preset"),
        ({"algorithm": "xgboost"}, "must state either algorithm or preset"),
        ({"preset": "", "algorithm": "xgbost"}, "algorithm xgbost: unknown; allowed: autogluon-tabular,"),
        ({"instance_types": "ml.g5.3xlarge"}, "ml.g5.3xlarge is unknown; allowed: ml.g5.12xlarge,"),
        ({"instance_types": "serverless"}, "a family such as ml.g5.*, cpu, gpu, single-gpu, multi-gpu, neuron"),
        ({"recommended_instances": "g5.xlarge"}, "g5.xlarge is unknown; allowed: ml.g5.12xlarge"),
    ],
)  # fmt: skip
def test_a_wrong_cell_is_refused(tmp_path: Path, cells: dict[str, str], fault: str) -> None:
    with pytest.raises(TableError) as refusal:
        read_recommendations(table(tmp_path / "choices.csv", **cells))
    assert f"{tmp_path / 'choices.csv'}: row 2, C0001: " in str(refusal.value)
    assert fault in str(refusal.value)


def test_an_unknown_column_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(table(tmp_path / "choices.csv", latency_hint="fast"))]) == 1
    assert "has an unknown column latency_hint; allowed: task, algorithm, version" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("ml.g5.xlarge", "ml.g5.xlarge", "ml.g5.2xlarge"),
        ("ml.p4d.*", "ml.p4d.24xlarge", "ml.p4de.24xlarge"),
        ("cpu", "ml.m5.large", "ml.g5.xlarge"),
        ("gpu", "ml.g5.12xlarge", "ml.inf2.xlarge"),
        ("single-gpu", "ml.g4dn.xlarge", "ml.g5.12xlarge"),
        ("multi-gpu", "ml.g5.12xlarge", "ml.g5.xlarge"),
        ("neuron", "ml.inf2.xlarge", "ml.dl1.24xlarge"),
    ],
)
def test_names(name: str, inside: str, outside: str) -> None:
    assert matches(name, CATALOG.get(inside))
    assert not matches(name, CATALOG.get(outside))


# Needs, picks and verdicts


def test_what_a_row_does_not_state_has_a_default() -> None:
    assert question(preset="bert-base").model.precision is Precision.FP32
    assert question(preset="bert-base", task="training").model.precision is Precision.FP16
    assert question(preset="mistral-7b", parameters_millions="14000").model.parameters == 14e9
    short = endpoint_needs(question(preset="mistral-7b"), EVERY_IMAGE)
    assert (short.input_tokens, short.output_tokens, short.peak_concurrent_users) == (161, 338, 8)
    long = endpoint_needs(question(preset="mistral-7b", context_tokens="2048"), EVERY_IMAGE)
    assert (long.input_tokens, long.output_tokens, long.peak_concurrent_users) == (1536 - 338, 338, 1)


@pytest.mark.parametrize(
    ("families", "cells"),
    [
        ({"m5"}, {"task": "training", "algorithm": "lightgbm"}),
        ({"c5"}, {"algorithm": "lightgbm"}),
        ({"g4dn"}, {"task": "training", "algorithm": "blazingtext supervised", "data_gb": "2.1"}),
        ({"c5"}, {"task": "training", "algorithm": "blazingtext supervised", "data_gb": "1.9"}),
        ({"g5"}, {"task": "training", "algorithm": "blazingtext word2vec", "objective": "least-latency"}),
        ({"g4dn"}, {"preset": "resnet-50", "precision": "fp16", "instance_types": "ml.g4dn.*"}),
        ({"g4dn"}, {"preset": "gpt-j-6b", "instance_types": "gpu", "max_usd_per_month": "550"}),
        ({"inf2"}, {"preset": "bert-base", "instance_types": "ml.inf2.*"}),
        ({"inf2"}, ONE_CHAT | {"circumstances": "low-cost"}),
        ({"g5"}, ONE_CHAT | {"instance_types": "ml.g5.12xlarge ml.p4d.24xlarge"}),
        ({"p4d"}, ONE_CHAT | {"instance_types": "ml.g5.12xlarge ml.p4d.24xlarge", "objective": "least-latency"}),
        ({"p4d"}, ONE_CHAT | {"instance_types": "ml.g5.12xlarge ml.p4d.24xlarge", "objective": "most-throughput"}),
        ({"p5", "p5en"}, {"preset": "llama-3.1-405b", "precision": "fp8", "instance_types": "ml.p5.* ml.p5en.*"}),
        ({"p4d"}, {"preset": "llama-2-7b", "instance_types": "ml.p4d.24xlarge ml.p5.48xlarge"}),
    ],
)  # fmt: skip
def test_picks(families: set[str], cells: dict[str, str]) -> None:
    name = pick(question(**cells), CATALOG).instance_type
    assert name is not None
    assert CATALOG.get(name).family in families


def test_a_language_model_is_served_by_an_accelerator_unless_a_cpu_is_named() -> None:
    small = {"preset": "tinyllama-1.1b", "precision": "bf16"}
    assert CATALOG.get(pick(question(**small), CATALOG).instance_type or "").accelerator_count
    named = pick(question(**small, instance_types="cpu"), CATALOG).instance_type
    assert not CATALOG.get(named or "").accelerator_count


def test_intermittent_traffic_needs_no_instance() -> None:
    asked = question(algorithm="small model", circumstances="intermittent")
    assert pick(asked, CATALOG).instance_type == SERVERLESS


def test_weights_get_eight_bits_where_nothing_else_helps() -> None:
    asked = question(preset="llama-3.1-405b", instance_types="ml.trn1.*")
    assert pick(asked, CATALOG).how == "selection with 8-bit weights"


def ranked(*entries: tuple[str, float, float]) -> list[Ranked]:
    return [Ranked(CATALOG.get(name), usd, work) for name, usd, work in entries]


@pytest.mark.parametrize(
    ("ranking", "wanted"),
    [
        ((("ml.g6.xlarge", 1.0, 1.0), ("ml.g5.xlarge", 1.25, 2.0)), "ml.g5.xlarge"),
        ((("ml.g6.xlarge", 1.0, 1.0), ("ml.g5.xlarge", 1.35, 2.0)), "ml.g6.xlarge"),
        ((("ml.g5.48xlarge", 1.0, 1.0), ("ml.p4d.24xlarge", 1.2, 9.0)), "ml.g5.48xlarge"),
        ((("ml.c6i.large", 1.0, 0.0), ("ml.c5.large", 1.04, 0.0)), "ml.c5.large"),
        ((("ml.c6i.large", 1.0, 0.0), ("ml.c5.large", 1.06, 0.0)), "ml.c6i.large"),
        ((("ml.g6e.xlarge", 1.0, 5.0), ("ml.g5.xlarge", 3.0, 1.0)), "ml.g5.xlarge"),
        ((("ml.p5.48xlarge", 1.0, 5.0), ("ml.p5en.48xlarge", 3.0, 1.0)), "ml.p5.48xlarge"),
    ],
    ids=["near and better", "too far", "another series", "equal: more regions", "not equal", "few regions", "nothing else"],
)  # fmt: skip
def test_near_costs_and_regions(ranking: tuple[tuple[str, float, float], ...], wanted: str) -> None:
    assert established(ranked(*ranking), question(preset="bert-base")) == wanted


def test_a_named_type_is_taken_however_few_regions_offer_it() -> None:
    ranking = ranked(("ml.trn1.2xlarge", 1.0, 1.0), ("ml.inf2.xlarge", 2.0, 1.0))
    asked = question(preset="bert-base", instance_types="ml.trn1.* ml.inf2.*")
    assert established(ranking, asked) == "ml.trn1.2xlarge"


def test_verdicts_of_memory() -> None:
    assert answer("ml.p4d.24xlarge", **LLAMA) is Answer.FEASIBLE
    assert answer("ml.g5.2xlarge", preset="llama-2-13b", precision="fp16") is Answer.CONDITIONAL
    assert answer("ml.g5.2xlarge", **LLAMA) is Answer.REJECTED
    assert answer("ml.inf1.24xlarge", **LLAMA) is Answer.REJECTED
    assert answer("ml.inf1.xlarge", preset="bert-base", precision="fp16") is Answer.CONDITIONAL
    assert answer("ml.p4de.24xlarge", preset="llama-3.1-405b", precision="fp8") is Answer.CONDITIONAL
    assert answer("ml.m5.large", algorithm="ip insights", parameters_millions="5000") is Answer.REJECTED


def test_verdicts_of_training() -> None:
    assert answer("ml.g5.48xlarge", task="training", **LLAMA) is Answer.FEASIBLE
    assert answer("ml.g5.xlarge", task="training", **LLAMA) is Answer.REJECTED
    scratch: dict[str, Any] = {"task": "training", "circumstances": "pre-training", **LLAMA}
    assert answer("ml.g4dn.12xlarge", **scratch) is Answer.REJECTED
    assert answer("ml.p4d.24xlarge", **scratch) is Answer.FEASIBLE


def test_verdicts_of_algorithms() -> None:
    assert answer("ml.g5.xlarge", algorithm="lightgbm") is Answer.REJECTED
    assert answer("ml.g5.12xlarge", task="training", algorithm="k-means") is Answer.CONDITIONAL
    assert answer("ml.g6.xlarge", task="training", algorithm="k-means") is Answer.CONDITIONAL


# Counting


def outcome(instance_type: str, verdict: Answer = Answer.FEASIBLE, **cells: str) -> Outcome:
    """Judge a pick where each type but ml.g5.xlarge has the verdict."""
    row = Recommendation.model_validate(
        {"id": "R1", "kind": "example", "source_id": "S", "task": "inference", "algorithm": "k-nn", **cells}
    )
    known = {t.name: Verdict(verdict, "too small") for t in CATALOG.instance_types}
    known["ml.g5.xlarge"] = Verdict(Answer.FEASIBLE)
    return judge(row, Pick(instance_type, "by hand"), known, CATALOG)


def test_a_size_of_the_family_agrees_and_a_successor_only_where_it_is_said() -> None:
    assert outcome("ml.g5.xlarge", recommended_instances="ml.g5.12xlarge").agrees
    later = outcome("ml.g6.xlarge", recommended_instances="ml.g5.12xlarge")
    assert not later.agrees
    assert later.agrees_with_successors
    assert outcome("ml.g6.xlarge", recommended_instances="ml.g5.*", also_acceptable="ml.g6.*").agrees
    assert outcome("ml.g5.xlarge", recommended_instances="ml.p3.2xlarge").agrees_with_successors
    assert not outcome("ml.g5.12xlarge", recommended_instances="ml.p3.2xlarge").agrees_with_successors
    assert not outcome("ml.g4dn.xlarge", recommended_instances="ml.g5.xlarge").agrees_with_successors
    assert outcome(SERVERLESS, recommended_instances=SERVERLESS).agrees


def test_a_recommended_type_that_is_called_infeasible_is_a_violation() -> None:
    found = outcome(
        "ml.g5.xlarge", Answer.REJECTED, recommended_instances="gpu cpu", also_acceptable="ml.g5.2xlarge"
    )
    assert found.violations == (
        "cpu is recommended or accepted, but called infeasible: too small",
        "ml.g5.2xlarge is recommended or accepted, but called infeasible: too small",
    )


def test_an_excluded_pick_is_a_violation() -> None:
    small: dict[str, Any] = {"recommended_instances": "cpu", "unacceptable_instances": "gpu ml.inf2.xlarge"}
    assert outcome("ml.g5.xlarge", **small).violations
    assert outcome("ml.inf2.xlarge", **small).violations
    assert not outcome("ml.inf2.8xlarge", **small).violations
    other: dict[str, Any] = {
        "recommended_instances": "ml.p4d.24xlarge",
        "unacceptable_instances": "any-other",
    }
    assert outcome("ml.g5.xlarge", **other).violations
    assert not outcome("ml.p4d.24xlarge", **other).violations


# The program


def test_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, predictions = table(tmp_path / "choices.csv"), tmp_path / "predictions.csv"
    assert main([str(path), "--json", "--out", str(predictions)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["summary"]["kind recommendation"]["agree"] == 1
    (written,) = read_table(predictions)
    assert written["id"] == "C0001"
    assert written["picked"] == document["rows"][0]["picked"]["instance_type"]
    assert "ml.g5.4xlarge" in written["feasible"].split()
    assert "ml.inf1.xlarge" in written["rejected"].split()


def test_the_program_names_what_does_not_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(table(tmp_path / "choices.csv", recommended_instances="ml.m5.large"))])
    printed = capsys.readouterr().out
    assert "Rows that do not agree" in printed
    assert "violation in C0001: ml.m5.large is recommended or accepted, but called infeasible" in printed


def test_a_file_that_is_no_table_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([str(tmp_path / "missing.csv")]) == 1
    assert "missing.csv: No such file or directory; give a comma-separated file" in capsys.readouterr().err

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.instance_selection import Architecture, Catalog, load_catalog
from sizewell.instance_selection.catalog import Accelerator
from tools.benchmarks.choice_cells import matches, parse_cell
from tools.benchmarks.choice_picks import SERVERLESS, Pick, Ranked, established, pick
from tools.benchmarks.choice_report import Outcome, judge
from tools.benchmarks.choice_requirements import (
    Workload,
    data_gb,
    identify,
    max_latency_ms,
    max_usd_per_month,
    min_batch,
    number,
    number_of_tokens,
    objective,
    precision_name,
    read_workload,
)
from tools.benchmarks.choice_verdicts import Answer, Verdict, verdicts
from tools.benchmarks.choices import REQUIRED_COLUMNS, compare, main
from tools.benchmarks.tables import TableError, read_table

CATALOG = load_catalog("us-east-1")
QUESTION = ["workload", "task", "model", "model_params", "precision", "dataset_or_batch", "context_len"]
ANSWERS = ["recommended_instances", "also_acceptable", "unacceptable_instances"]
COLUMNS = ["id", "kind", *QUESTION, "latency_hint", "budget_hint", *ANSWERS, "source_id", "evidence"]


def row(**cells: str) -> dict[str, str]:
    return {**dict.fromkeys(COLUMNS, ""), "id": "R1", "task": "inference", **cells}


def meant(text: str, *, explains: bool = False, by_family: bool = True) -> set[str]:
    """Return the families of the catalog that a cell names."""
    clauses = parse_cell(text, CATALOG, explains=explains).clauses
    types = CATALOG.instance_types
    return {
        instance_type.family
        for instance_type in types
        if any(matches(clause, instance_type, by_family=by_family) for clause in clauses)
    }


def picked(**cells: str) -> str | None:
    return pick(read_workload(row(**cells), CATALOG), CATALOG).instance_type


def answer(name: str, **cells: str) -> Answer:
    return verdicts(read_workload(row(**cells), CATALOG), CATALOG, [name])[name].answer


# Cells that name hardware


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("ml.g5.4xlarge ml.g6.4xlarge", {"ml.g5.4xlarge", "ml.g6.4xlarge"}),
        ("g5.2xlarge", {"ml.g5.2xlarge"}),
        ("4 x trn1.32xlarge", {"ml.trn1.32xlarge"}),
        ("trn1.32xlarge (multi-node)", {"ml.trn1.32xlarge"}),
        ("ml.c5.xl", {"ml.c5.xlarge"}),
        ("1x A10G (ml.g5.xlarge-class)", {"ml.g5.xlarge"}),
        ("ml.p6-b200.48xlarge", {"ml.p6-b200.48xlarge"}),
        ("ml.p3.xlarge", {"ml.p3.xlarge"}),
        ("CPU instances", set()),
        ("", set()),
    ],
)
def test_types(text: str, types: set[str]) -> None:
    assert set(parse_cell(text, CATALOG).types) == types


@pytest.mark.parametrize(
    ("text", "families"),
    [
        ("ml.c5.*", {"c5"}),
        ("ml.m4.* ml.c4.* ml.c5.*", {"m4", "c4", "c5"}),
        ("ml.m5.* with memory >= data", {"m5"}),
        ("c6i family", {"c6i"}),
        ("ml.p3 ml.p4", {"p3", "p4d", "p4de"}),
        ("(g5, p4 families or newer)", {"g5", "p4d", "p4de"}),
        ("GPU instances (P2,P3,G4dn,G5)", {"p2", "p3", "g4dn", "g5"}),
        ("single-GPU, ml.p3.* (or ml.g4dn/ml.g5 from 1.2-2)", {"p3", "g4dn", "g5"}),
        ("ml.c5.* ml.m5.* or ml.p3.* ml.g4dn.*", {"c5", "m5", "p3", "g4dn"}),
        ("1x A100", {"p4d", "p4de"}),
        ("4x A100, or 2x A100 with bitsandbytes", {"p4d", "p4de"}),
        ("H100 or A100 GPUs", {"p4d", "p4de", "p5"}),
        ("instances with a T4", {"g4dn"}),
        ("CPU instances (c5, m5)", {"c5", "m5"}),
        ("c99 family", set()),
    ],
)
def test_families(text: str, families: set[str]) -> None:
    assert meant(text) == families


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("CPU instances", "ml.m5.large", "ml.g5.xlarge"),
        ("GPU instances", "ml.g5.12xlarge", "ml.inf2.xlarge"),
        ("single-GPU, e.g. ml.p3.2xlarge", "ml.g4dn.xlarge", "ml.g5.12xlarge"),
        ("multi-GPU", "ml.g5.12xlarge", "ml.g5.xlarge"),
        ("single-GPU or CPU", "ml.c5.xlarge", "ml.p4d.24xlarge"),
        ("single-GPU instance (P2, P3, G4dn, G5)", "ml.g5.xlarge", "ml.g5.48xlarge"),
        ("Inferentia2", "ml.inf2.xlarge", "ml.inf1.xlarge"),
        ("larger GPU instance", "ml.p4d.24xlarge", "ml.m5.large"),
    ],
)
def test_words(text: str, inside: str, outside: str) -> None:
    clauses = parse_cell(text, CATALOG).clauses
    assert any(matches(clause, CATALOG.get(inside), by_family=True) for clause in clauses)
    assert not any(matches(clause, CATALOG.get(outside), by_family=True) for clause in clauses)


def test_parentheses_of_an_exclusion_are_reasons() -> None:
    assert meant("ml.c5.* (worse than M5: memory-bound)", explains=True) == {"c5"}
    assert meant('ml.g4dn.* (T series: "greater [on g5/p4] compared")', explains=True) == {"g4dn"}
    assert meant("multi-GPU (p3.8xlarge leaves three idle)", explains=True) >= {"g5", "p4d"}
    gpu = meant("GPU instances (only CPU supported)", explains=True)
    assert "g5" in gpu
    assert "m5" not in gpu


def test_a_precision_limits_a_clause() -> None:
    (clause,) = parse_cell("ml.p5.48xlarge at fp16/bf16 (810 GB needed)", CATALOG, explains=True).clauses
    assert clause.precisions == {"fp16", "bf16"}
    assert parse_cell("SageMaker Serverless (no instance)", CATALOG).clauses[0].hardware == {SERVERLESS}


# Cells that ask


def test_numbers_in_words() -> None:
    assert min_batch("est. max batch 32-64") == 32
    assert min_batch("batch 20 concurrently") == 20
    assert min_batch("batch ~20 concurrently") == 18
    assert min_batch("5 concurrent requests") == 5
    assert min_batch("<2 GB") is None
    assert data_gb("<2 GB") == pytest.approx(1.8)
    assert data_gb("data larger than 2 GB") == pytest.approx(2.2)
    assert data_gb("500 MB") == 0.5
    assert max_latency_ms("5-6 ms") == 6
    assert max_latency_ms("<5 ms") == 5
    assert max_latency_ms("sub-200 ms latency") == 200
    assert max_latency_ms("2 s") == 2000
    assert max_latency_ms("500 requests/s") is None
    assert max_latency_ms("seconds") is None
    assert max_usd_per_month("~500 USD/month") == pytest.approx(550)
    assert max_usd_per_month("$1.50 per hour") == pytest.approx(1095)
    assert max_usd_per_month("low cost") is None
    assert number_of_tokens("Llama2-13b fp16, 4096-token sequences") == 4096
    assert number_of_tokens("1-4 ms up to 64 tokens") == 64
    assert [number(text) for text in ("7000000000", "7e9", "7B", "~110M", "x", "-3", "0", "1e18")] == [
        7e9, 7e9, 7e9, 110e6, None, None, None, None,
    ]  # fmt: skip


def test_what_is_to_be_best() -> None:
    assert objective("best throughput, 20 concurrent", "") == "throughput"
    assert objective("lowest average latency", "") == "latency"
    assert objective("max performance and minimum cost", "minimised cost per hour") == "cost"
    assert objective("", "") == "cost"


def test_precisions() -> None:
    assert [precision_name(text, 7e9) for text in ("fp16/bf16", "int4 gptq", "4-bit", "amp", "", "zz9")] == [
        "fp16", "int4", "int4", "fp16", "fp16", "fp16",
    ]  # fmt: skip
    assert precision_name("", 1e8) == "fp32"


def test_a_model_is_found_among_several() -> None:
    model, algorithm = identify("Llama2-7b, Falcon-7b, GPT-J-6B", "", 7e9, "fp16", "inference")
    assert algorithm is None
    assert model is not None
    assert 6e9 < model.parameters < 7.1e9


def test_several_models_on_one_machine_add_up() -> None:
    model, _ = identify("Mistral-7B + Llama-2-7B", "Two LLMs", 14e9, "fp16", "inference")
    assert model is not None
    assert model.parameters == pytest.approx(14e9)


def test_an_unknown_model_works_from_its_parameters() -> None:
    model, _ = identify("nobody/nothing-3b", "", 3e9, "int8", "inference")
    assert model is not None
    assert model.architecture is Architecture.DECODER
    assert 12 * model.layers * model.hidden_size**2 == pytest.approx(3e9, rel=0.3)
    assert identify("nobody knows", "", None, "", "inference") == (None, None)


@pytest.mark.parametrize(
    "name", ["SmolVLM-500M", "nobody/seer-vl-7b", "a vision-language model", "LLaVA clone"]
)
def test_what_sees_and_writes_is_a_decoder(name: str) -> None:
    model, _ = identify(name, "captions of images", 5e8, "", "inference")
    assert model is not None
    assert model.architecture is Architecture.DECODER
    seen, _ = identify("nobody/detector", "vision of images", 5e8, "", "inference")
    assert seen is not None
    assert seen.architecture is Architecture.CNN


@pytest.mark.parametrize("column", ["workload", "container", "note"])
@pytest.mark.parametrize(
    "text", ["compiled for 8 NeuronCores", "pytorch-inference-neuronx", "a Neuron core each"]
)
def test_neuron_cores_are_those_of_neuron_chips(column: str, text: str) -> None:
    assert read_workload(row(model="bert-base") | {column: text}, CATALOG).series == {"neuron"}


def test_a_jumpstart_model_without_a_size_is_unknown_and_not_small() -> None:
    named = {"model": "huggingface-llm-nobody-knows", "workload": "JumpStart LLM"}
    assert picked(**named) is None
    assert picked(**named, model_params="13000000000") is not None


def test_software_counts_before_a_class_of_workload() -> None:
    assert identify("large DL model", "with smdistributed.dataparallel", None, "", "training")[
        1
    ].name.startswith("smd")  # type: ignore[union-attr]
    assert identify("ResNet / SSD (built-in)", "", None, "", "training")[0] is None


# Picks and verdicts


def test_the_answers_are_not_read() -> None:
    question = {"workload": "Host an LLM", "model": "Mistral-7B", "precision": "bf16"}
    assert picked(**question) == picked(
        **question, **dict.fromkeys([*ANSWERS, "evidence"], "ml.p4d.24xlarge")
    )


@pytest.mark.parametrize(
    ("families", "cells"),
    [
        ({"m5"}, {"task": "training", "model": "LightGBM"}),
        ({"c5"}, {"model": "LightGBM"}),
        ({"g4dn"}, {"task": "training", "model": "BlazingText supervised", "dataset_or_batch": ">2 GB"}),
        ({"c5"}, {"task": "training", "model": "BlazingText supervised", "dataset_or_batch": "<2 GB"}),
        ({"c7g"}, {"model": "XGBoost", "workload": "XGBoost endpoint on Graviton"}),
        ({"g4dn"}, {"model": "ResNet-50", "precision": "fp16", "workload": "images on T4 GPUs"}),
        ({"r5"}, {"model": "embeddings", "workload": "feature store"}),
        ({"inf2"}, {"model": "Llama-2-7b", "workload": "chat on Inferentia2", "precision": "bf16"}),
        ({"p5", "p5en"}, {"model": "Llama-3.1-405B", "precision": "fp8", "workload": "on one 8xH100 node"}),
        ({"p4d"}, {"model": "Llama-2-7b", "workload": "candidates p4d.24xlarge, p5.48xlarge", "precision": "fp16"}),
    ],
)  # fmt: skip
def test_picks(families: set[str], cells: dict[str, str]) -> None:
    name = picked(**cells)
    assert name is not None
    assert CATALOG.get(name).family in families


def ranked(*entries: tuple[str, float, float]) -> list[Ranked]:
    return [Ranked(CATALOG.get(name), usd, work) for name, usd, work in entries]


NO_WISHES = Workload(row_id="R1", task="inference")


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
        ((), None),
    ],
    ids=[
        "near and better", "too far", "another series", "equal: more regions", "not equal", "few regions",
        "nothing else", "nothing",
    ],
)  # fmt: skip
def test_near_costs_and_regions(ranking: tuple[tuple[str, float, float], ...], wanted: str | None) -> None:
    assert established(ranked(*ranking), NO_WISHES) == wanted


def test_a_named_type_is_taken_however_few_regions_offer_it() -> None:
    wishes = replace(NO_WISHES, series=frozenset({"trn1"}))
    ranking = ranked(("ml.trn1.2xlarge", 1.0, 1.0), ("ml.inf2.xlarge", 2.0, 1.0))
    assert established(ranking, wishes) == "ml.trn1.2xlarge"


def test_intermittent_traffic_needs_no_instance() -> None:
    assert (
        picked(workload="Intermittent traffic, tolerates cold start", model="small classifier") == SERVERLESS
    )


def test_verdicts_of_memory() -> None:
    llama = {"model": "Llama-2-70b", "model_params": "69000000000", "precision": "fp16"}
    assert answer("ml.p4d.24xlarge", **llama) is Answer.FEASIBLE
    assert answer("ml.g5.2xlarge", model="Llama-2-13b", precision="fp16") is Answer.CONDITIONAL
    assert answer("ml.g5.2xlarge", **llama) is Answer.REJECTED
    assert answer("ml.trn1.32xlarge", **llama) is Answer.FEASIBLE
    assert answer("ml.inf1.24xlarge", **llama) is Answer.REJECTED
    assert answer("ml.inf1.xlarge", model="bert-base", precision="fp16") is Answer.CONDITIONAL


def test_verdicts_of_training() -> None:
    llama = {"model": "Llama-2-70b", "task": "training"}
    assert answer("ml.g5.48xlarge", workload="Fine-tune a chat model", **llama) is Answer.FEASIBLE
    assert answer("ml.g5.xlarge", workload="Fine-tune a chat model", **llama) is Answer.REJECTED
    assert answer("ml.g4dn.12xlarge", workload="Pre-train from scratch", **llama) is Answer.REJECTED
    assert answer("ml.p4d.24xlarge", workload="Pre-train from scratch", **llama) is Answer.FEASIBLE


def test_what_is_not_known_of_a_chip_is_no_refusal() -> None:
    known = CATALOG.get("ml.g5.2xlarge")
    assert known.accelerator is not None
    rates: dict[str, Any] = {
        name: None for name in Accelerator.__dataclass_fields__ if name.endswith(("tflops", "tops"))
    }
    silent = Catalog("us-east-1", [replace(known, accelerator=replace(known.accelerator, **rates))])
    asked = read_workload(row(model="ResNet-50", precision="fp16"), silent)
    assert verdicts(asked, silent, [known.name])[known.name].answer is Answer.CONDITIONAL
    assert answer("ml.p4de.24xlarge", model="Llama-3.1-405B", precision="fp8") is Answer.CONDITIONAL
    assert answer("ml.g5.12xlarge", model="Llama-3.1-405B", precision="fp8") is Answer.REJECTED


def test_a_language_model_is_served_by_an_accelerator_unless_a_cpu_is_named() -> None:
    small = {"model": "TinyLlama-1.1B", "precision": "bf16"}
    assert CATALOG.get(picked(workload="chat", **small) or "").accelerator_count
    assert not CATALOG.get(picked(workload="chat on CPU", **small) or "").accelerator_count


def test_weights_get_eight_bits_where_nothing_else_helps() -> None:
    asked = read_workload(row(model="Llama-3.1-405B", workload="with vLLM on Trainium1"), CATALOG)
    found = pick(asked, CATALOG)
    assert found.instance_type == "ml.trn1.32xlarge"
    assert found.how == "selection with 8-bit weights"


def test_verdicts_of_algorithms() -> None:
    assert answer("ml.g5.xlarge", model="CatBoost", task="training") is Answer.REJECTED
    assert answer("ml.g5.12xlarge", model="k-means", task="training") is Answer.CONDITIONAL
    assert answer("ml.g6.xlarge", model="k-means", task="training") is Answer.CONDITIONAL
    assert answer("ml.m5.large", model="IP Insights", model_params="5000000000") is Answer.REJECTED


def test_a_type_without_an_offer_may_be_feasible() -> None:
    assert answer("ml.p3.8xlarge", model="GPT-J-6B", precision="fp16") is Answer.FEASIBLE


@settings(max_examples=15)
@given(st.floats(1e8, 5e11), st.floats(1.01, 3))
def test_a_larger_model_never_fits_where_a_smaller_one_does_not(parameters: float, factor: float) -> None:
    names = [
        instance_type.name for instance_type in CATALOG.instance_types if instance_type.size == "48xlarge"
    ]

    def feasible(size: float) -> set[str]:
        asked = read_workload(
            row(model="an LLM of nobody", model_params=str(size), precision="fp16"), CATALOG
        )
        found = verdicts(asked, CATALOG, names)
        return {name for name, verdict in found.items() if verdict.answer is Answer.FEASIBLE}

    assert feasible(parameters * factor) <= feasible(parameters)


WORDS = "batch x ms s USD/month fp8 int4 tokens seq k GB LLM A100 ml.g5. xlarge ml.c5.* or single-GPU e.g. Llama 7b on"
FRAGMENTS = st.sampled_from([*"(),;/+|<>~$.%-", *WORDS.split(), "9" * 400])
CELLS = st.lists(st.one_of(FRAGMENTS, st.text(max_size=4), st.integers(-9, 99).map(str)), max_size=8).map(
    " ".join
)


@settings(max_examples=25)
@given(st.dictionaries(st.sampled_from(COLUMNS), CELLS))
def test_no_text_is_too_odd(cells: dict[str, str]) -> None:
    (found,) = compare([{**row(), **cells}], CATALOG)
    assert not set(found.feasible) & set(found.rejected)


# Counting


def outcome(instance_type: str, verdict_of: dict[str, Verdict] | None = None, **cells: str) -> Outcome:
    asked = read_workload(row(**cells), CATALOG)
    known = verdict_of or verdicts(
        asked, CATALOG, [instance_type.name for instance_type in CATALOG.instance_types]
    )
    return judge(row(**cells), asked, Pick(instance_type, "by hand"), known, CATALOG)


def test_a_size_of_the_family_agrees_and_a_successor_only_where_it_is_said() -> None:
    assert outcome("ml.g5.xlarge", recommended_instances="ml.g5.12xlarge").agrees
    later = outcome("ml.g6.xlarge", recommended_instances="ml.g5.12xlarge")
    assert not later.agrees
    assert later.agrees_with_successors
    assert outcome("ml.g6.xlarge", recommended_instances="(g5, p4 families or newer)").agrees
    assert outcome("ml.g5.xlarge", recommended_instances="ml.p3.2xlarge").agrees_with_successors
    assert not outcome("ml.g5.12xlarge", recommended_instances="ml.p3.2xlarge").agrees_with_successors
    assert not outcome("ml.g4dn.xlarge", recommended_instances="ml.g5.xlarge").agrees_with_successors


def test_a_recommended_type_that_is_called_infeasible_is_a_violation() -> None:
    qualified: dict[str, Any] = {
        "model": "Llama-2-70b",
        "precision": "fp16",
        "also_acceptable": "ml.g5.2xlarge with int4 quantization",
    }
    assert not outcome("ml.p4d.24xlarge", **qualified).violations
    no = {
        instance_type.name: Verdict(Answer.REJECTED, "too small") for instance_type in CATALOG.instance_types
    }
    assert outcome("ml.g5.xlarge", no, also_acceptable="ml.m5.large").violations
    assert outcome("ml.g5.xlarge", no, recommended_instances="CPU instances").violations
    assert not outcome("ml.g5.xlarge", recommended_instances="ml.g5.xlarge").violations


def test_an_excluded_pick_is_a_violation() -> None:
    assert outcome("ml.g5.xlarge", unacceptable_instances="GPU (CPU only)").violations
    assert outcome("ml.g5.12xlarge", unacceptable_instances="ml.g5.12xlarge (only ~20)").violations
    assert not outcome("ml.g5.48xlarge", unacceptable_instances="ml.g5.12xlarge (only ~20)").violations
    other: dict[str, Any] = {
        "recommended_instances": "ml.p4d.24xlarge",
        "unacceptable_instances": "any other type",
    }
    assert outcome("ml.g5.xlarge", **other).violations
    assert not outcome("ml.p4d.24xlarge", **other).violations


def test_a_precision_that_the_row_does_not_ask_for_is_no_violation() -> None:
    cells: dict[str, Any] = {
        "model": "Llama-3.1-405B",
        "unacceptable_instances": "ml.p5.48xlarge at fp16/bf16 (810 GB needed)",
    }
    assert not outcome("ml.p5.48xlarge", precision="fp8", **cells).violations
    assert outcome("ml.p5.48xlarge", precision="fp16", **cells).violations


def test_a_row_that_recommends_nothing_readable_is_not_compared() -> None:
    assert outcome("ml.g5.xlarge", recommended_instances="???").agrees is None


# The program


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "choices.csv"
    rows = [
        row(
            id="A", task="training", model="LightGBM", recommended_instances="ml.m5.*", kind="recommendation"
        ),
        row(
            id="B",
            model="Mistral-7B",
            precision="bf16",
            recommended_instances="ml.g5.2xlarge",
            kind="example",
        ),
        row(id="C", model="no such model", recommended_instances="an abacus"),
        row(
            id="D",
            model="gpt-9",
            model_params="1e18",
            precision="fp3",
            dataset_or_batch="batch -1",
            context_len="?",
        ),
        row(id="E", task="", model="ESM-1nv", recommended_instances="ml.zz9.large"),
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_end_to_end(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    predictions = tmp_path / "predictions.csv"
    assert main([str(table), "--json", "--out", str(predictions)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["summary"]["all rows"]["rows"] == 5
    assert document["summary"]["kind recommendation"]["agree"] == 1
    with predictions.open(encoding="utf-8", newline="") as file:
        written = {line["id"]: line for line in csv.DictReader(file)}
    assert list(written) == ["A", "B", "C", "D", "E"]
    assert written["A"]["picked"].startswith("ml.m5.")
    assert "ml.g5.2xlarge" in written["B"]["feasible"].split()
    assert "ml.inf1.xlarge" in written["B"]["rejected"].split()
    assert not set(written["B"]["feasible"].split()) & set(written["B"]["rejected"].split())


def test_the_table_names_what_does_not_agree(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(table)])
    printed = capsys.readouterr().out
    assert "Rows that do not agree" in printed or "nothing to compare with in: C" in printed
    assert "kind recommendation" in printed


def test_two_runs_are_equal(table: Path) -> None:
    rows = read_table(table)
    assert compare(rows, CATALOG) == compare(rows, CATALOG)


def test_a_file_of_another_form_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(
        TableError, match="has no column id, task, recommended_instances; its columns are a, b"
    ):
        read_table(path, REQUIRED_COLUMNS)
    assert main([str(tmp_path / "missing.csv")]) == 1
    assert "missing.csv: No such file or directory; give a comma-separated file" in capsys.readouterr().err

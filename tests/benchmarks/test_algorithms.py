import csv
from collections import Counter

import pytest

from sizewell.instance_selection import load_catalog
from tools.benchmarks.algorithms import TABLE, Algorithm, find_algorithm, load_algorithms

ALGORITHMS = load_algorithms()
each_row = pytest.mark.parametrize(
    "row", ALGORITHMS, ids=lambda row: f"{row.name}, {row.task}, {row.since or ''}"
)


def find(name: str, task: str = "training") -> Algorithm:
    found = find_algorithm(name, task)  # type: ignore[arg-type]
    assert found is not None, name
    return found


def test_cells_are_plain() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.DictReader(file, strict=True) for cell in row.values()]
    assert all(cell is not None and cell == cell.strip() and cell.isascii() for cell in cells)


def test_an_algorithm_has_one_row_for_each_task_and_version() -> None:
    keys = Counter((row.name, row.task, row.since) for row in ALGORITHMS)
    assert [key for key, times in keys.items() if times > 1] == []


def test_a_spelling_belongs_to_one_algorithm_of_a_task() -> None:
    owners: dict[tuple[str, str], set[str]] = {}
    for row in ALGORITHMS:
        for spelling in (row.name, *row.aliases):
            owners.setdefault((row.task, spelling), set()).add(row.name)
    assert {key: names for key, names in owners.items() if len(names) > 1} == {}


@each_row
def test_a_row_has_a_source_and_prefers_what_it_can_use(row: Algorithm) -> None:
    assert len(row.source) > 20
    assert row.task in ("training", "inference", "any")
    assert row.kind in ("built-in", "library", "class")
    preferences = {row.preference, *(hardware for _, hardware in row.preference_when)}
    assert preferences <= {kind for kind in ("cpu", "gpu", "neuron") if getattr(row, kind)}
    assert row.cpu_series in "mcr"
    assert not (row.multi_gpu and not row.gpu)
    assert bool(row.families) <= (row.gpu or row.neuron)


@each_row
def test_families_are_in_the_catalog(row: Algorithm) -> None:
    assert set(row.families) <= {
        instance_type.family for instance_type in load_catalog("us-east-1").instance_types
    }


@each_row
def test_every_spelling_finds_its_algorithm(row: Algorithm) -> None:
    for spelling in (row.name, *row.aliases):
        for task in ("training", "inference") if row.task == "any" else (row.task,):
            assert find(spelling, task).name == row.name, spelling


@pytest.mark.parametrize(
    ("text", "gpu"),
    [
        ("XGBoost<=1.0-1", False),
        ("XGBoost 1.0-1 or earlier training", False),
        ("XGBoost 0.90", False),
        ("XGBoost < 1.2", False),
        ("XGBoost>=1.2", True),
        ("XGBoost 1.2 or later training", True),
        ("xgboost 1.7-1", True),
        ("XGBoost", True),
    ],
)
def test_a_version_chooses_the_row(text: str, gpu: bool) -> None:
    assert find(text).gpu is gpu


@pytest.mark.parametrize(
    ("text", "task", "name"),
    [
        ("LightGBM training", "training", "lightgbm"),
        ("Random Cut Forest", "inference", "random cut forest"),
        ("a random forest of 500 trees", "training", "random forest"),
        ("seq2seq RNN/attention", "training", "seq2seq"),
        ("BlazingText batch_skipgram", "training", "blazingtext batch_skipgram"),
        ("FCN/PSP/DeepLab (built-in)", "training", "semantic segmentation (built-in)"),
        ("K-Means clustering", "training", "k-means"),
        ("hosting of LLMs", "inference", "large language model"),
        ("embedding lookups", "inference", "embedding look-up"),
    ],
)
def test_the_longest_name_in_a_sentence_counts(text: str, task: str, name: str) -> None:
    assert find(text, task).name == name


def test_a_name_inside_another_word_is_none() -> None:
    assert find_algorithm("pcap files", "training") is None
    assert find_algorithm("", "inference") is None


def test_xgboost_used_one_gpu_at_first_and_dropped_the_oldest() -> None:
    assert not find("XGBoost 1.3").multi_gpu
    assert find("XGBoost 1.5").multi_gpu
    assert "p2" in find("XGBoost 1.5").families
    assert "p2" not in find("XGBoost").families


def test_circumstances_change_the_hardware() -> None:
    supervised = find("BlazingText supervised")
    assert supervised.preferred_hardware(data_gb=1.9) == "cpu"
    assert supervised.preferred_hardware(data_gb=2.1) == "gpu"
    assert find("XGBoost 1.5").preferred_hardware() == "cpu"
    assert find("XGBoost 1.5").preferred_hardware(frozenset({"large"})) == "gpu"
    assert find("XGBoost 0.90").preferred_hardware(frozenset({"large"})) == "cpu"


def test_trees_want_memory_to_train_and_arithmetic_to_answer() -> None:
    assert find("LightGBM", "training").cpu_series == "m"
    assert find("LightGBM", "inference").cpu_series == "c"
    assert find("feature store", "inference").cpu_series == "r"

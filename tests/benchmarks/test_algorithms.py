import csv
from collections import Counter
from typing import get_args

import pytest

from sizewell.instance_selection import load_catalog
from tools.benchmarks.algorithms import TABLE, Algorithm, Task, find_algorithm, load_algorithms
from tools.benchmarks.choice_table import Circumstance

ALGORITHMS = load_algorithms()
each_row = pytest.mark.parametrize(
    "row", ALGORITHMS, ids=lambda row: f"{row.name}, {row.task}, {row.since or ''}"
)


def find(name: str, task: Task = "training", version: float | None = None) -> Algorithm:
    found = find_algorithm(name, task, version)
    assert found is not None, name
    return found


def test_cells_are_plain() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.DictReader(file, strict=True) for cell in row.values()]
    assert all(cell is not None and cell == cell.strip() and cell.isascii() for cell in cells)


def test_an_algorithm_has_one_row_for_each_task_and_version() -> None:
    keys = Counter((row.name, row.task, row.since) for row in ALGORITHMS)
    assert [key for key, times in keys.items() if times > 1] == []


@each_row
def test_a_row_has_a_source_and_prefers_what_it_can_use(row: Algorithm) -> None:
    assert len(row.source) > 20
    assert row.task in ("training", "inference", "any")
    assert row.kind in ("built-in", "library", "class")
    preferences = {row.preference, *(hardware for _, hardware in row.preference_when)}
    assert {word for word, _ in row.preference_when} <= {*get_args(Circumstance), "speed", "over-2gb"}
    assert preferences <= {kind for kind in ("cpu", "gpu", "neuron") if getattr(row, kind)}
    assert row.cpu_series in "mcr"
    assert not (row.multi_gpu and not row.gpu)
    assert bool(row.families) <= (row.gpu or row.neuron)


@each_row
def test_families_are_in_the_catalog(row: Algorithm) -> None:
    assert set(row.families) <= {
        instance_type.family for instance_type in load_catalog("us-east-1").instance_types
    }


@pytest.mark.parametrize(
    ("version", "gpu", "multi_gpu", "p2"),
    [
        (0.9, False, False, False),
        (1.1, False, False, False),
        (1.2, True, False, True),
        (1.5, True, True, True),
        (1.7, True, True, False),
        (None, True, True, False),
    ],
)
def test_a_version_chooses_the_row(version: float | None, gpu: bool, multi_gpu: bool, p2: bool) -> None:
    row = find("xgboost", version=version)
    assert (row.gpu, row.multi_gpu, "p2" in row.families) == (gpu, multi_gpu, p2)


def test_only_the_name_and_the_task_of_the_table_find_a_row() -> None:
    assert find("lightgbm", "training").cpu_series == "m"
    assert find("lightgbm", "inference").cpu_series == "c"
    assert find("small model", "training") == find("small model", "inference")
    assert find_algorithm("LightGBM training", "training") is None
    assert find_algorithm("lda", "inference", 1.0) is not None


def test_circumstances_change_the_hardware() -> None:
    assert find("xgboost").preferred_hardware() == "cpu"
    assert find("xgboost").preferred_hardware({"large"}) == "gpu"
    assert find("xgboost", version=0.9).preferred_hardware({"large"}) == "cpu"

"""What the Neuron SDK runs and what must change: every row has a source, and the rows say what they should."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from sizewell.instance_selection import (
    Architecture,
    HardwareKind,
    ModelSpec,
    NoFeasibleInstanceError,
    Precision,
    select_endpoint_instance,
)
from sizewell.instance_selection.neuron import SupportStatus, neuron_changes, neuron_facts
from tests.instance_selection.builders import (
    BERT_BASE,
    LLAMA_3_8B,
    RESNET_50,
    catalog,
    endpoint,
    limits,
    neuron_instance,
)
from tests.synthesis import PROJECT_ROOT

FOLDER = PROJECT_ROOT / "sizewell" / "instance_selection" / "neuron"
TASKS = ("inference", "training")


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def status(model: ModelSpec, task: str, family: str) -> list[SupportStatus]:
    return [fact.status for fact in neuron_facts(model, task, family)]


@pytest.mark.parametrize("name", ["neuron_support.csv", "neuron_changes.csv"])
def test_every_row_has_a_source_and_a_date(name: str) -> None:
    assert rows(name)
    for row in rows(name):
        assert row["source"], row
        assert row["as_of"][:4].isdigit(), row


def test_rows_are_sorted_and_unique() -> None:
    keys = [(r["subject"], r["value"], r["task"], r["family"]) for r in rows("neuron_support.csv")]
    assert keys == sorted(set(keys))


def test_conditions_name_what_exists() -> None:
    known = {
        "task": {*TASKS},
        "architectures": {a.value for a in Architecture},
        "frameworks": {"pytorch", "jax", "tensorflow"},
        "precisions": {p.value for p in Precision},
        "families": {r["family"] for r in rows("neuron_support.csv")},
    }
    for row in rows("neuron_changes.csv"):
        for column, allowed in known.items():
            assert set(row[column].split(";")) <= allowed | {"*"}, row


@pytest.mark.parametrize("architecture", Architecture)
def test_every_architecture_is_spoken_of(architecture: Architecture) -> None:
    values = {r["value"] for r in rows("neuron_support.csv") if r["subject"] == "architecture"}
    assert architecture.value in values | {"recommender"}


@pytest.mark.parametrize("family", ["inf2", "trn1", "trn1n"])
def test_transformers_are_served_on_every_current_family(family: str) -> None:
    for model in (BERT_BASE, LLAMA_3_8B, RESNET_50):
        assert all(s.runs for s in status(model, "inference", family))


@pytest.mark.parametrize("model", [BERT_BASE, RESNET_50, LLAMA_3_8B])
def test_nothing_new_starts_on_the_first_inferentia(model: ModelSpec) -> None:
    assert not any(s.runs for s in status(model, "inference", "inf1"))


@pytest.mark.parametrize("framework", ["pytorch", "jax", "tensorflow"])
def test_what_the_selection_turns_down_is_not_called_supported(framework: str) -> None:
    model = replace(RESNET_50, framework=framework)
    runs = all(s.runs for s in status(model, "inference", "inf2"))
    needs = endpoint(model=model, limits=limits(images=frozenset({HardwareKind.NEURON})))
    try:
        select_endpoint_instance(needs, catalog(neuron_instance("ml.inf2.xlarge")))
    except NoFeasibleInstanceError:
        assert not runs
    else:
        assert runs


def test_static_shapes_and_compilation_always_change() -> None:
    for task in TASKS:
        for model in (BERT_BASE, LLAMA_3_8B, RESNET_50):
            topics = {c.topic for c in neuron_changes(model, task, "trn1")}
            assert {"container", "compilation", "static shapes", "code"} <= topics


@pytest.mark.parametrize(("family", "degrees"), [("inf2", "1, 2, 4, 8 or 24"), ("trn1", "1, 2, 8, 16 or 32")])
def test_degrees_of_tensor_parallelism(family: str, degrees: str) -> None:
    (change,) = (
        c for c in neuron_changes(LLAMA_3_8B, "inference", family) if c.topic == "tensor parallelism"
    )
    assert degrees in change.change
    assert not [c for c in neuron_changes(BERT_BASE, "inference", family) if c.topic == "tensor parallelism"]


def test_precision_changes_only_where_it_must() -> None:
    def precision_changes(precision: Precision) -> int:
        model = replace(LLAMA_3_8B, precision=precision)
        return sum(c.topic == "precision" for c in neuron_changes(model, "inference", "inf2"))

    assert precision_changes(Precision.BF16) == 0
    assert precision_changes(Precision.FP32) == 1
    assert precision_changes(Precision.INT8) == 1


def test_sources_name_no_machine_and_no_registry() -> None:
    for name in ("neuron_support.csv", "neuron_changes.csv"):
        text = Path(FOLDER / name).read_text("utf-8")
        assert "\r" not in text
        assert "://" not in text


GUIDE = (PROJECT_ROOT / "docs" / "guides" / "migration.md").read_text("utf-8")
WORDS = {"yes": "supported", "no": "unsupported", "beta": "beta", "ended": "ended", "never": "unsupported"}
ROWS = {
    "encoders": "encoder",
    "decoders": "decoder",
    "encoder-decoders": "encoder-decoder",
    "convolutional networks": "cnn",
    "diffusion": "diffusion",
    "PyTorch": "pytorch",
    "JAX": "jax",
    "TensorFlow": "tensorflow",
}


@pytest.mark.parametrize("title", ROWS)
def test_the_guide_says_what_the_table_says(title: str) -> None:
    (line,) = (line for line in GUIDE.splitlines() if line.startswith(f"| {title} |"))
    cells = [cell.strip().split()[0] for cell in line.strip("|").split("|")[1:]]
    known = {(r["value"], r["task"], r["family"]): r["status"] for r in rows("neuron_support.csv")}
    places = (("inference", "inf2"), ("training", "trn1"), ("inference", "inf1"))
    for cell, (task, family) in zip(cells, places, strict=True):
        found = known.get((ROWS[title], task, family))
        assert found in (WORDS[cell], None if cell == "never" else WORDS[cell]), (title, task, family)

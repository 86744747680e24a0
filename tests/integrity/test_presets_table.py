"""The table of public models keeps its own rules: names are unique and the figures of a row agree."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from sizewell.instance_selection.presets import TABLE, load_presets, normalised

CHIPS = Path(__file__).parents[2] / "tools" / "benchmarks" / "data"
PRESETS = load_presets()
ARCHITECTURES = {
    "encoder",
    "decoder",
    "encoder-decoder",
    "cnn",
    "diffusion",
    "recommender",
    "rnn",
    "time-series",
}


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def test_names_and_aliases_are_unique() -> None:
    spellings = Counter(normalised(name) for preset in PRESETS for name in (preset.name, *preset.aliases))
    assert [name for name, times in spellings.items() if times > 1] == []


def test_an_alias_without_its_organisation_is_of_one_model() -> None:
    owners: dict[str, set[str]] = {}
    for preset in PRESETS:
        for name in (preset.name, *preset.aliases):
            owners.setdefault(normalised(name.rpartition("/")[2]), set()).add(preset.name)
    assert {name: models for name, models in owners.items() if len(models) > 1} == {}


def test_cells_are_plain() -> None:
    cells = [cell for row in read(TABLE) for cell in row.values()]
    assert all(cell is not None and cell == cell.strip() and cell.isascii() for cell in cells)
    assert all(preset.name == preset.name.lower() for preset in PRESETS)


@pytest.mark.parametrize("architecture", sorted({preset.architecture for preset in PRESETS}))
def test_figures_are_positive_and_agree_and_have_a_source(architecture: str) -> None:
    assert architecture in ARCHITECTURES
    for preset in PRESETS:
        if preset.architecture != architecture:
            continue
        figures = (
            preset.layers,
            preset.hidden_size,
            preset.kv_hidden_size,
            preset.intermediate_size,
            preset.vocabulary_size,
            preset.max_context_tokens,
            preset.patch_length,
            preset.forward_gflops,
            preset.activations_millions,
            preset.active_parameters,
        )
        assert len(preset.source) > 5, preset.name
        assert all(figure > 0 for figure in figures if figure is not None), preset.name
        assert 0 <= (preset.embedding_parameters or 0) < preset.parameters, preset.name
        assert (preset.activations_millions is None) or preset.input_size, preset.name
        assert (preset.forward_gflops is None) or preset.input_size, preset.name
        # A forecaster without patches would be taken for a recurrent one.
        assert (preset.patch_length is not None) == (architecture == "time-series"), preset.name
        assert preset.max_context_tokens is None or preset.layers, preset.name


def test_a_decoder_has_the_weights_of_its_shape() -> None:
    """Attention, at least two matrices in the feed-forward part, and one table: no row can have less."""
    for preset in PRESETS:
        if preset.architecture != "decoder":
            continue
        assert preset.layers, preset.name
        assert preset.hidden_size, preset.name
        assert preset.intermediate_size, preset.name
        width = preset.hidden_size
        least = preset.layers * 2 * width * (width / 2 + preset.intermediate_size) + width * (
            preset.vocabulary_size or 0
        )
        if preset.active_parameters is None:
            assert least * 0.9 <= preset.parameters <= least * 4, preset.name
        else:
            assert preset.active_parameters < preset.parameters, preset.name


@pytest.mark.parametrize(("table", "name"), [("accelerators", "accelerator"), ("processors", "processor")])
def test_names_of_chips_are_unique(table: str, name: str) -> None:
    rows = read(CHIPS / f"{table}.csv")
    spellings = Counter(
        spelling
        for row in rows
        for spelling in {normalised(one) for one in (row[name], *row["aliases"].split(";")) if one}
    )
    assert [one for one, times in spellings.items() if times > 1] == []
    assert all(row["source"] for row in rows)
    text = {name, "aliases", "vendor", "kind", "generation", "interconnect", "same_as", "source"}
    assert all(float(cell) > 0 for row in rows for column, cell in row.items() if column not in text and cell)


def test_chips_of_the_catalog_stand_nowhere_else() -> None:
    catalog = TABLE.parents[1] / "catalog" / "data"
    assert not {row["accelerator"] for row in read(catalog / "accelerators.csv")} & {
        row["accelerator"] for row in read(CHIPS / "accelerators.csv")
    }
    figures = {
        family["family"]: [family[column] for column in family if "per_cycle" in column or "socket" in column]
        for family in read(catalog / "cpus.csv")
    }
    for row in read(CHIPS / "processors.csv"):
        stated = [cell for column, cell in row.items() if "per_cycle" in column or "socket" in column]
        assert any(stated) != bool(row["same_as"]), row["processor"]
        assert not row["same_as"] or all(figures[row["same_as"]][-2:]), row["processor"]


def test_every_nvidia_chip_since_ampere_has_a_tf32_rate() -> None:
    catalog = TABLE.parents[1] / "catalog" / "data" / "accelerators.csv"
    for row in (*read(catalog), *read(CHIPS / "accelerators.csv")):
        if row["kind"] == "cuda" and float(row["generation"]) >= 8 and row["bf16_dense_tflops"]:
            assert 0 < float(row["tf32_tflops"]) < float(row["bf16_dense_tflops"]), row["accelerator"]
        if row["fp4_dense_tflops"]:
            assert float(row["generation"]) >= 10, row["accelerator"]

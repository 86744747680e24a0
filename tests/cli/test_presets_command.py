import json

import pytest

from sizewell.instance_selection.presets import load_presets
from tests.cli.conftest import Sizewell


def test_all_presets_are_listed_with_their_dimensions(sizewell: Sizewell) -> None:
    result = sizewell("presets")
    assert result.exit_code == 0, result.stderr
    rows = {line.split()[0]: line.split() for line in result.stdout.splitlines() if line.strip()}
    names = {preset.name for preset in load_presets()}
    assert names <= rows.keys()
    assert rows["mixtral-8x7b"][1:6] == ["decoder", "46.7B", "12.9B", "32", "4096"]
    assert "GFLOP" in " ".join(rows["resnet50"])
    assert result.stdout.endswith(
        f"{len(names)} presets; fp16 unless model.precision says otherwise; --json has all dimensions and aliases\n"
    )
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Mixtral", ["mixtral-8x7b", "mixtral-8x22b"]),
        ("mistralai/mixtral 8x7b", ["mixtral-8x7b"]),
        ("llama-3.1-8b-instruct-awq", ["llama-3.1-8b"]),
    ],
)
def test_filter_knows_all_spellings(sizewell: Sizewell, text: str, names: list[str]) -> None:
    found = json.loads(sizewell("presets", text, "--json").stdout)
    assert [preset["name"] for preset in found] == names
    assert all(preset["source"] and preset["parameters"] > 0 for preset in found)


def test_filter_that_fits_nothing_names_similar_ones(sizewell: Sizewell) -> None:
    result = sizewell("presets", "mixtrel-8x7b")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(
        'no preset has "mixtrel-8x7b" in its name, its aliases or its architecture\ndid you mean mixtral-8x7b'
    )

"""Every section of the seeds has a test, and every contradiction is shown by one and explained to readers."""

import csv
import re
from pathlib import Path

import pytest

from tests.seeds.statements import contradictions
from tests.synthesis import PROJECT_ROOT

HERE = Path(__file__).parent
NOTE = PROJECT_ROOT / "docs" / "decisions" / "2026-11-21-contradictions-with-the-seeds.md"
TEXTS = {
    path.stem.removeprefix("test_").replace("_", "-"): path.read_text("utf-8")
    for path in sorted(HERE.glob("test_*.py"))
    if path.name != Path(__file__).name
}
with (HERE / "coverage.csv").open(encoding="utf-8", newline="") as file:
    SECTIONS = list(csv.DictReader(file))


SHOWN = set(re.findall(r'@contradicts\(SEED, "([\w-]+)"\)', "".join(TEXTS.values())))


@pytest.fixture(scope="module")
def every_test() -> set[str]:
    """Return the names of all tests: what a seed says may be proven elsewhere, of the part that it speaks of."""
    texts = (path.read_text("utf-8") for path in HERE.parent.rglob("test_*.py"))
    return {name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}


def test_every_seed_has_a_module() -> None:
    assert {row["seed"] for row in SECTIONS} == set(TEXTS)


@pytest.mark.parametrize("row", SECTIONS, ids=lambda row: f"{row['seed']}: {row['section']}")
def test_a_section_is_tested(row: dict[str, str], every_test: set[str]) -> None:
    assert set(row["tests"].split(";")) <= every_test
    assert row["outcome"] in {"agrees", "contradicts", "both"}


@pytest.mark.parametrize("seed", TEXTS)
def test_every_test_belongs_to_a_section(seed: str) -> None:
    listed = {name for row in SECTIONS for name in row["tests"].split(";")}
    assert [
        name for name in re.findall(r"^def (test_\w+)", TEXTS[seed], re.MULTILINE) if name not in listed
    ] == []


@pytest.mark.parametrize("key", contradictions())
def test_a_contradiction_is_shown(key: str) -> None:
    assert key in SHOWN
    found = contradictions()[key]
    assert all((found.statement, found.answer, found.reason))


@pytest.mark.parametrize("key", contradictions())
def test_a_contradiction_is_explained_to_readers(key: str) -> None:
    found = contradictions()[key]
    text = NOTE.read_text("utf-8")
    assert f"| `{key}` |" in text
    assert found.reason in text, "run: .venv/bin/python -m tests.seeds.write_note"

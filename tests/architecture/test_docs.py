"""The documents mention what exists, and nothing else."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sizewell.cli.main import app
from sizewell.cli.plan_notes import HELD_LEFT_OUT, HELD_NEVER_USED
from sizewell.instance_selection.endpoint_selection import endpoint_filter_names
from sizewell.instance_selection.stated_selection import processing_filter_names
from sizewell.instance_selection.training_selection import training_filter_names
from tests.synthesis import PROJECT_ROOT
from tools.rule_pages import pages
from tools.site_pages import GENERATED

README = (PROJECT_ROOT / "README.md").read_text("utf-8")
CONTRIBUTING = (PROJECT_ROOT / "CONTRIBUTING.md").read_text("utf-8")
MADE_FOR_THE_SITE = {PROJECT_ROOT / "docs" / page for page in GENERATED}
DOCUMENTS = [
    *sorted(PROJECT_ROOT.glob("*.md")),
    *sorted((PROJECT_ROOT / "docs").rglob("*.md")),
]


def test_every_command_is_in_the_readme() -> None:
    names = {
        command.name or command.callback.__name__ for command in app.registered_commands if command.callback
    }
    assert names
    assert [name for name in sorted(names) if f"sizewell {name}" not in README] == []


def test_every_make_target_is_documented() -> None:
    targets = re.findall(r"^([a-z-]+):.*## ", (PROJECT_ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert "synth" in targets
    text = README + CONTRIBUTING
    assert [target for target in targets if f"make {target}" not in text] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.relative_to(PROJECT_ROOT).as_posix())
def test_links_to_files_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text("utf-8")):
        if "://" not in target:
            place = Path(os.path.normpath(path.parent / target))
            assert place.exists() or place in MADE_FOR_THE_SITE, target


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.relative_to(PROJECT_ROOT).as_posix())
def test_named_source_files_exist(path: Path) -> None:
    folders = "config|constructs_lib|docs|sizewell|stacks|tests|tools"
    for name in re.findall(rf"`((?:{folders})/[\w./-]+\.\w+)`", path.read_text("utf-8")):
        assert (PROJECT_ROOT / name).exists(), name


def test_the_command_line_describes_itself() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "sizewell.cli.main", "--help"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "plan" in result.stdout
    assert "explain" in result.stdout


def test_the_pages_of_rules_are_of_today() -> None:
    for path, text in pages().items():
        assert path.read_text("utf-8") == text, "run: make docs"


def test_the_filters_are_asked_in_the_order_of_the_guide() -> None:
    # The first miss of a type is the reason that people read: another order is another explanation.
    page = (PROJECT_ROOT / "docs" / "guides" / "flow.md").read_text("utf-8")
    table = page.partition("| filter | rejects a type that |\n|---|---|\n")[2].partition("\n\n")[0]
    told = [name for row in table.splitlines() for name in row.split("|")[1].strip().split(", ")]
    asked = (endpoint_filter_names(), training_filter_names(), processing_filter_names())
    for names in asked:
        assert [name for name in told if name in names] == list(names)
    assert set(told) == {name for names in asked for name in names}


def test_how_often_ranges_held_is_the_same_everywhere() -> None:
    guide = (PROJECT_ROOT / "docs" / "guides" / "estimates.md").read_text("utf-8")
    (total, *_) = (line.split("|")[1:-1] for line in guide.splitlines() if line.startswith("| **all** |"))
    told = [
        row.split("|")[-2].strip()
        for row in README.splitlines()
        if "of the fit |" in row or "never used |" in row
    ]
    assert [total[4].strip(), total[-1].strip()] == told == [HELD_LEFT_OUT, HELD_NEVER_USED]


def test_the_picture_of_the_readme_is_of_today() -> None:
    drawer = runpy.run_path(str(PROJECT_ROOT / "docs" / "images" / "draw_plan.py"))
    assert drawer["PICTURE"].read_text("utf-8") == drawer["draw"](), "run: make pictures"


def test_the_explanation_in_the_readme_is_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT_ROOT)
    result = CliRunner().invoke(app, ["explain", "support-bert", "--env", "prod"])
    printed = "\n".join(line.rstrip() for line in result.stdout.splitlines())
    block = README.split("$ sizewell explain support-bert --env prod\n")[1].split("```")[0]
    for part in block.split("\n\n"):
        assert part.strip("\n") in printed, part

"""The documentation site has every page that people write, and leads nowhere else than it says. ``make site`` builds it."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sizewell.cli.main import app
from tests.synthesis import PROJECT_ROOT
from tools.site_commands import commands_page
from tools.site_gallery import about, needs
from tools.site_links import faults
from tools.site_pages import GENERATED, all_pages, site_markdown, written_pages

DOCS = PROJECT_ROOT / "docs"
HOW_TOS = sorted(path.name for path in (DOCS / "howto").glob("*.md") if path.name != "index.md")
#: The longest how-to.
MAX_WORDS = 300


def _pages_of(navigation: Any) -> list[str]:
    if isinstance(navigation, str):
        return [navigation]
    values = navigation.values() if isinstance(navigation, dict) else navigation
    return [page for value in values for page in _pages_of(value)]


def _navigation() -> list[str]:
    document = yaml.safe_load((PROJECT_ROOT / "mkdocs.yml").read_text("utf-8"))
    return _pages_of(document["nav"])


def test_the_navigation_has_every_page_once_but_the_decisions_which_have_a_list() -> None:
    written = {page for page in written_pages() if not page.startswith("decisions/")}
    made = {page for page in GENERATED if page.endswith(".md")}
    assert sorted(_navigation()) == sorted(written | made)


def test_every_how_to_is_in_the_list_of_how_tos() -> None:
    listed = re.findall(
        r"^\* \[.+\]\((.+)\)$", (DOCS / "howto" / "index.md").read_text("utf-8"), re.MULTILINE
    )
    assert sorted(listed) == HOW_TOS


@pytest.mark.parametrize("name", HOW_TOS)
def test_a_how_to_is_short_and_leads_to_a_guide(name: str) -> None:
    text = (DOCS / "howto" / name).read_text("utf-8")
    # What the table of messages says of each is as long as the table.
    assert len(text.split()) < MAX_WORDS or name == "troubleshooting.md"
    assert "](../guides/" in text


def test_the_messages_of_the_troubleshooting_are_in_the_code() -> None:
    page = (DOCS / "howto" / "troubleshooting.md").read_text("utf-8")
    code = (PROJECT_ROOT / "Makefile").read_text("utf-8") + "".join(
        path.read_text("utf-8") for path in sorted((PROJECT_ROOT / "sizewell").rglob("*.py"))
    )
    # These are printed by cdk-nag, for which tests/checks/test_plugin.py looks, and by botocore.
    messages = [
        message
        for row in re.findall(r"^\| (`.+?) \|", page, re.MULTILINE)
        for message in re.findall(r"`([^`]+)`", row)
        if not message.startswith(("Acknowledge with", "Could not connect"))
    ]
    assert len(messages) > 10
    parts = [part.strip() for message in messages for part in message.split("...") if part.strip()]
    assert [part for part in parts if part not in code] == []


def test_a_link_leads_to_a_page_and_code_stays_as_it_is() -> None:
    text = "a [b](c.md#d), `[x](y.md)`\n\n```yaml\nkey: [a](b.md)\n```\n| `a\\|b` | [c](d.md) |\n* e\n\n  | f |\n"
    assert site_markdown(text, lambda target: f"<{target}>") == (
        "a [b](<c.md#d>), `[x](y.md)`\n\n```yaml\nkey: [a](b.md)\n```\n| `a|b` | [c](<d.md>) |\n* e\n\n    | f |\n"
    )


def test_a_link_to_a_file_of_the_repository_leads_to_a_page_that_shows_it() -> None:
    pages = all_pages()
    assert "](../files/examples/training-job/code/train.py.md)" in pages["guides/training.md"]
    shown = pages["files/examples/training-job/code/train.py.md"]
    assert (PROJECT_ROOT / "examples" / "training-job" / "code" / "train.py").read_text("utf-8") in shown


def test_the_page_of_commands_has_every_command_with_its_options() -> None:
    page = commands_page()
    groups = [("", app), *((f"{group.name} ", group.typer_instance) for group in app.registered_groups)]
    names = {
        f"{prefix}{command.name or command.callback.__name__}"
        for prefix, group in groups
        if group is not None
        for command in group.registered_commands
        if command.callback
    }
    assert re.findall(r"^## `sizewell (.+)`$", page, re.MULTILINE) == sorted(names)
    assert "| `--fail-on CONDITIONS` | What must not happen, separated by commas; may be repeated. |" in page
    assert "\b" not in page


def test_a_card_of_the_gallery_has_the_lines_of_its_workload() -> None:
    base = "# $schema=x\n#\n# What it is,\n# in two lines.\n\nworkloads:\n  a:\n    kind: x\n\n  # Of b.\n  b:\n    kind: y\n"
    assert about(base) == "What it is, in two lines."
    assert needs("a", base) == "a:\n  kind: x\n"
    assert needs("b", base) == "# Of b.\nb:\n  kind: y\n"
    assert needs("c", base) == ""


def test_the_check_of_the_built_site_finds_what_leads_nowhere_and_what_is_loaded_from_elsewhere(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="top">a</h1><a href="b.html#there">b</a><a href="#top">a</a><a href="https://example.com/">c</a>',
        "utf-8",
    )
    (tmp_path / "b.html").write_text('<h1 id="there">b</h1><img src="a.html">', "utf-8")
    assert faults(tmp_path) == []

    (tmp_path / "c.html").write_text(
        '<a href="b.html#gone">b</a><a href="gone.html">c</a><script src="https://example.com/x.js"></script>',
        "utf-8",
    )
    assert faults(tmp_path) == [
        "c.html loads https://example.com/x.js from elsewhere",
        "c.html: b.html#gone: there is no such anchor",
        "c.html: gone.html: there is no such file",
    ]

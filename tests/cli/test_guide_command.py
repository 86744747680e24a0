"""``sizewell guide``: the guides that messages name, wherever the package is installed."""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

from sizewell.cli.guide_command import EXAMPLES, GUIDES
from tests.cli.conftest import Sizewell
from tests.synthesis import PROJECT_ROOT

SOURCES = sorted(
    path
    for folder in ("sizewell", "stacks", "constructs_lib")
    for path in (PROJECT_ROOT / folder).rglob("*.py")
)


def texts(path: Path) -> Iterator[str]:
    """Yield the texts of a module, without its docstrings: an expression that is nothing but a text."""
    tree = ast.parse(path.read_text("utf-8"))
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.value


def test_every_guide_is_listed_with_its_title(sizewell: Sizewell) -> None:
    result = sizewell("guide")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == sorted(
        path.stem for path in (PROJECT_ROOT / "docs" / "guides").glob("*.md")
    )
    assert re.search("^training  +The contract with a training script$", result.stdout, re.MULTILINE)
    assert result.stderr == f"The examples are in {EXAMPLES}.\n"


def test_a_guide_is_printed_as_it_is(sizewell: Sizewell) -> None:
    result = sizewell("guide", "training")
    assert result.exit_code == 0
    assert result.stdout == (PROJECT_ROOT / "docs" / "guides" / "training.md").read_text("utf-8")
    assert f"This is {GUIDES / 'training.md'}" in result.stderr


def test_an_unknown_guide_is_refused_with_a_similar_name(sizewell: Sizewell) -> None:
    result = sizewell("guide", "traning")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == 'there is no guide "traning"\ndid you mean training?\n'


def test_messages_name_guides_that_are_there_and_no_file_of_a_checkout() -> None:
    found = [(path, text) for path in SOURCES for text in texts(path)]
    assert [(path.name, text) for path, text in found if re.search(r"docs/guides|examples/", text)] == []
    named = {name for _, text in found for name in re.findall(r"sizewell guide ([a-z-]+)", text)}
    assert {"configuration", "measurements"} <= named
    assert {name for name in named if not (GUIDES / f"{name}.md").is_file()} <= {"lists"}


def test_links_of_guides_to_examples_lead_somewhere_in_the_package() -> None:
    links = [
        GUIDES / target
        for guide in GUIDES.glob("*.md")
        for target in re.findall(r"\]\((\.\./\.\./examples/[^)#]+)", guide.read_text("utf-8"))
    ]
    assert len(links) > 10
    # As text: the guides of a checkout are a link, and the way back from there is another one.
    assert [link for link in links if not Path(os.path.normpath(link)).is_file()] == []

"""Every command of sizewell in the documents is one that the command line takes: its name and its options."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from sizewell.cli.main import app
from tests.synthesis import PROJECT_ROOT

DOCUMENTS = sorted(
    [
        PROJECT_ROOT / "README.md",
        *(PROJECT_ROOT / "docs").glob("[!d]*/*.md"),
        *(PROJECT_ROOT / "docs").glob("*.md"),
    ]
)
_COMMAND = re.compile(r"(?:^|`|&& |\$ |run: )sizewell ([a-z][^`\n|>#;&]*)")


def _commands(text: str) -> Iterator[list[str]]:
    for found in _COMMAND.finditer(text.replace("\\\n", " ")):
        try:
            words = shlex.split(found[1])
        except ValueError:  # a quotation mark of a sentence
            continue
        yield words


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_it_has_the_options_that_are_named(document: Path) -> None:
    group = get_command(app)
    for words in _commands(document.read_text("utf-8")):
        command, rest = group, words
        while hasattr(command, "commands") and rest and rest[0] in command.commands:
            command, rest = command.commands[rest[0]], rest[1:]
        if command is group:
            continue  # a word of a sentence
        known = {name for parameter in command.params for name in parameter.opts}
        options = {word.partition("=")[0] for word in rest if word.startswith("--")}
        # What follows goes to cdk deploy.
        passed_on = (
            {"--exclusively", "--require-approval", "--import-existing-resources"}
            if words[0] == "deploy"
            else set()
        )
        assert options <= known | passed_on | {"--help"}, words
        assert not {"--env", "--app"} <= options, f"{words}: --app deploys what is there"

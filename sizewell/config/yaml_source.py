"""Reading one YAML file into nodes, or into faults that say what to mend."""

from collections.abc import Iterator
from pathlib import Path

import yaml
from yaml.events import Event

from sizewell.config.faults import ConfigError, Fault
from sizewell.config.files import read_text
from sizewell.config.tree import Node
from sizewell.config.yaml_builder import UNPRINTABLE, NodeBuilder, unprintable_name

#: What to do about a syntax error, by a part of the parser's message.
_SYNTAX_HINTS = {
    "mapping values are not allowed": "check the indentation; a text that holds ': ' needs quotes",
    "cannot start any token": "write the value in quotes",
    "unexpected end of stream": "a quote is opened and never closed",
    "expected ',' or": "a bracket or brace is opened and never closed, or a comma is missing",
    "expected <block end>": "the line is indented differently from the lines that it belongs to",
    "expected '-' indicator": "the line is indented differently from the lines that it belongs to",
    "expected key": "the line is indented differently from the lines that it belongs to",
    "expected ':'": "a key needs ': ' after it",
    "Unicode character escape": "a text holds characters up to U+10FFFF, and no halves of one",
}


def read_yaml(
    path: Path, shown_as: str, *, example: str = "platform: demo"
) -> tuple[Node | None, list[Fault]]:
    """Return the root of a file, which is a map, and all that is wrong with the text.

    ``shown_as`` is the name of the file in positions and messages, ``example`` what an empty file could hold. Without
    a root the file cannot be used at all, and the faults say why.
    """
    try:
        text = read_text(path, shown_as)
    except ConfigError as error:
        return None, list(error.faults)
    return parse_yaml(text, shown_as, example=example)


def parse_yaml(
    text: str, shown_as: str, *, example: str = "platform: demo"
) -> tuple[Node | None, list[Fault]]:
    """Return the same as :func:`read_yaml` for a text."""
    if unprintable := UNPRINTABLE.search(text):
        before = text[: unprintable.start()]
        message = f"the character {unprintable_name(unprintable)} is not allowed"
        return None, [
            Fault(
                shown_as,
                before.count("\n") + 1,
                len(before) - before.rfind("\n"),
                (),
                None,
                message,
                hint="remove it",
            )
        ]
    builder = NodeBuilder(_events(text), shown_as)
    try:
        root = builder.build()
    except yaml.MarkedYAMLError as error:
        return None, [*builder.faults, _syntax_fault(error, text, shown_as)]
    except ConfigError as error:
        return None, [*builder.faults, *error.faults]
    if root is None or root.value is None:
        hint = f"write the keys of the configuration, for example {example}"
        return None, [Fault(shown_as, 1, None, (), None, "the file is empty", hint=hint)]
    if not isinstance(root.value, dict):
        message = "the file must hold a map of keys, not a list or a single value"
        return None, [*builder.faults, Fault(shown_as, 1, None, (), None, message)]
    return root, builder.faults


def _events(text: str) -> Iterator[Event]:
    # Events, not composed nodes: the composer reads scalars by the rules of YAML 1.1, where `no` and `12:30` are no texts.
    # libyaml is thirty times as fast as a parser in Python, and refuses escapes of characters that do not exist.
    return iter(yaml.parse(text, Loader=yaml.CSafeLoader))


def _syntax_fault(error: yaml.MarkedYAMLError, text: str, file: str) -> Fault:
    mark = error.problem_mark or error.context_mark
    problem = " ".join(str(error.problem or error).split())
    message = f"not valid YAML: {problem}"
    if error.context:
        opened = error.context_mark.line + 1 if error.context_mark else None
        message += (
            f" ({error.context}{f' from line {opened}' if opened and mark and opened <= mark.line else ''})"
        )
    hint = next((hint for part, hint in _SYNTAX_HINTS.items() if part in problem), None)
    line_text = text.splitlines()[mark.line : mark.line + 1] if mark else []
    if mark and line_text and line_text[0][mark.column : mark.column + 1] == "\t":
        hint = "YAML indents with spaces: replace the tab"
    line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
    return Fault(
        file, line, column, (), None, message, hint=hint or "check the indentation and the quotes here"
    )

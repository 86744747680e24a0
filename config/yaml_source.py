"""Reading one YAML file into nodes, or into faults that say what to mend."""

from collections.abc import Iterator
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import Event
from ruamel.yaml.reader import ReaderError

from config.faults import ConfigError, Fault
from config.tree import Node
from config.yaml_builder import NodeBuilder

#: What to do about a syntax error, by a part of the parser's message.
_SYNTAX_HINTS = {
    "'\\t'": "YAML indents with spaces: replace the tab",
    "mapping values are not allowed": "check the indentation; a text that holds ': ' needs quotes",
    "cannot start any token": "write the value in quotes",
    "unexpected end of stream": "a quote is opened and never closed",
    "expected ',' or": "a bracket or brace is opened and never closed, or a comma is missing",
    "expected <block end>": "the line is indented differently from the lines that it belongs to",
    "expected ':'": "a key needs ': ' after it",
}


def read_yaml(
    path: Path, shown_as: str, *, example: str = "platform: demo"
) -> tuple[Node | None, list[Fault]]:
    """Return the root of a file, which is a map, and all that is wrong with the text.

    ``shown_as`` is the name of the file in positions and messages, ``example`` what an empty file could hold. Without
    a root the file cannot be used at all, and the faults say why.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = bytes(error.object).count(b"\n", 0, error.start) + 1
        message = f"the byte at offset {error.start} is not UTF-8"
        return None, [Fault(shown_as, line, None, (), None, message, hint="save the file as UTF-8")]
    except OSError as error:
        return None, [Fault(shown_as, None, None, (), None, f"the file cannot be read: {error.strerror}")]
    return parse_yaml(text, shown_as, example=example)


def parse_yaml(
    text: str, shown_as: str, *, example: str = "platform: demo"
) -> tuple[Node | None, list[Fault]]:
    """Return the same as :func:`read_yaml` for a text."""
    builder = NodeBuilder(_events(text), shown_as)
    try:
        root = builder.build()
    except MarkedYAMLError as error:
        return None, [*builder.faults, _syntax_fault(error, shown_as)]
    except ReaderError as error:
        before = text[: error.position]
        column = len(before) - before.rfind("\n")
        message = f"the character U+{ord(text[error.position]):04X} is not allowed in YAML"
        hint = "remove it, or write it as an escape inside double quotes"
        return None, [Fault(shown_as, before.count("\n") + 1, column, (), None, message, hint=hint)]
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
    # Events, not composed nodes: the composer resolves every scalar again, by the rules of any YAML version,
    # and takes a third of the time. pure=True gives the same events whether or not the C parser is installed.
    return iter(YAML(typ="safe", pure=True).parse(text))


def _syntax_fault(error: MarkedYAMLError, file: str) -> Fault:
    mark = error.problem_mark or error.context_mark
    problem = " ".join(str(error.problem or error).split())
    message = f"not valid YAML: {problem}" + (f" ({error.context})" if error.context else "")
    hint = next((hint for part, hint in _SYNTAX_HINTS.items() if part in problem), None)
    line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
    return Fault(
        file, line, column, (), None, message, hint=hint or "check the indentation and the quotes here"
    )

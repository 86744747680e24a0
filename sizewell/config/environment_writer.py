"""Changing values in the text of an environment file; the user's comments and order stay."""

import re
from collections.abc import Mapping
from io import StringIO
from typing import Any

from sizewell.config.tree import KeyPath
from sizewell.config.yaml_source import parse_yaml

#: The first map below a key, and the first list, as far as what stands first in it: how the file is indented.
_FIRST_MAP = re.compile(r"^[\w-]+:[^\S\n]*(?:#.*)?\n(?:\s*(?:#.*)?\n)*( +)[^\s#-]", re.MULTILINE)
_FIRST_LIST = re.compile(r"^( *)[\w-]+:[^\S\n]*(?:#.*)?\n(?:\s*(?:#.*)?\n)*( *)(- +)\S", re.MULTILINE)
#: Wider than any line, so that none is wrapped.
_WIDTH = 4096


class UnchangeableError(Exception):
    """A value cannot be changed without changing others: it belongs to an anchor."""


def set_values(text: str, values: Mapping[KeyPath, float]) -> str:
    """Return the text of a valid file with other values; maps on the way are added where the file does not have them.

    Raises ``UnchangeableError``.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    text = text.replace("\r\n", "\n")
    yaml = _round_trip(text)
    document = yaml.load(text)
    for path, value in values.items():
        _set(document, path, value)
    output = StringIO()
    yaml.dump(document, output)
    changed = output.getvalue()
    if _parsed(changed) != _changed(_parsed(text), values):
        raise UnchangeableError
    return changed.replace("\n", newline)


def _round_trip(text: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.representer import RoundTripRepresenter

    class Representer(RoundTripRepresenter):
        """Writes null, which removes a key, as a word."""

    Representer.add_representer(
        type(None), lambda self, _: self.represent_scalar("tag:yaml.org,2002:null", "null")
    )
    yaml = YAML()
    yaml.Representer = Representer
    yaml.preserve_quotes = True
    yaml.width = _WIDTH
    if found := _FIRST_MAP.search(text):
        yaml.map_indent = len(found[1])
    if found := _FIRST_LIST.search(text):
        yaml.sequence_dash_offset = len(found[2]) - len(found[1])
        yaml.sequence_indent = yaml.sequence_dash_offset + len(found[3])
    return yaml


def _set(document: Any, path: KeyPath, value: float) -> None:
    from ruamel.yaml.comments import CommentedMap

    *parents, key = path
    for parent in parents:
        if document.get(parent) is None:
            if not document:
                document.fa.set_block_style()
            document[parent] = CommentedMap()
        document = document[parent]
    document[key] = value


def _changed(plain: Any, values: Mapping[KeyPath, float]) -> Any:
    """Return the plain values of the file as they should be."""
    for path, value in values.items():
        *parents, key = path
        below = plain
        for parent in parents:
            if below.get(parent) is None:
                below[parent] = {}
            below = below[parent]
        below[key] = value
    return plain


def _parsed(text: str) -> Any:
    root, _ = parse_yaml(text, "")
    return root and root.plain()

"""From YAML parser events to nodes: every key, value and alias with its position."""

import re
from collections.abc import Iterator
from typing import Any

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from sizewell.config.faults import ConfigError, Fault
from sizewell.config.printable import printable_word
from sizewell.config.tree import KeyPath, Node, Position, Scalar
from sizewell.config.yaml_scalars import core_scalar

#: Characters that no configuration needs: control characters, which steer terminals and end texts; what turns the direction of
#: writing, so that a text reads otherwise than it is; line separators that only some programs know. Tabs and line ends stay.
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufff9-\uffff]"
)

_NodeEvent = AliasEvent | ScalarEvent | SequenceStartEvent | MappingStartEvent

#: A configuration is a handful of levels deep; the limit keeps the recursion away from the interpreter's.
_MAX_DEPTH = 50

#: Twice what a file of the largest size can mean. Aliases may repeat what is written, but not multiply it: ten lines of
#: nested aliases can stand for billions of values ("billion laughs").
_MAX_NODES = 100_000

#: Characters of the longest text.
_MAX_CHARACTERS = 10_000


def unprintable_name(found: re.Match[str]) -> str:
    """Return the name of a character that is not allowed, such as U+0000."""
    return f"U+{ord(found[0]):04X}"


class NodeBuilder:
    """Builds the node of one document. ``faults`` collects what does not stop the reading."""

    def __init__(self, events: Iterator[Any], file: str) -> None:
        self.faults: list[Fault] = []
        self._events = events
        self._file = file
        self._path: list[str] = []
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._nodes = 0

    def build(self) -> Node | None:
        """Return the root of the document; None when the file holds no document.

        Raises:
            ConfigError: An alias names nothing or multiplies too often, or there is a second document.
        """
        root: Node | None = None
        for event in self._events:
            if not isinstance(event, DocumentStartEvent):
                continue
            if root is not None:
                raise ConfigError(
                    [self._fault(event, "a second document begins here", "remove the line ---")]
                )
            root = self._node(next(self._events), Position(self._file, 1, 1))
        return root

    def _node(self, event: _NodeEvent, position: Position) -> Node:
        self._count(event, 1)
        if isinstance(event, AliasEvent):
            return self._alias(event, position)
        before = self._nodes
        if event.tag is not None:
            self._report(
                event,
                f"the tag {printable_word(event.tag)} is not used here",
                "remove it; quotes make a text",
            )
        if isinstance(event, ScalarEvent):
            node = Node(self._scalar(event), position)
        elif len(self._path) >= _MAX_DEPTH:
            raise ConfigError([self._fault(event, f"nested more than {_MAX_DEPTH} levels deep", None)])
        elif isinstance(event, SequenceStartEvent):
            node = Node(self._list(), position)
        else:
            node = Node(self._map(), position)
        if event.anchor is not None:
            self._anchors[event.anchor] = node, self._nodes - before + 1
        return node

    def _scalar(self, event: ScalarEvent) -> Scalar:
        if found := UNPRINTABLE.search(event.value):
            # The parser has resolved the escapes of a text in quotes.
            self._report(event, f"the character {unprintable_name(found)} is not allowed", "remove it")
            return UNPRINTABLE.sub("?", event.value)
        if len(event.value) > _MAX_CHARACTERS:
            message = f"a text of {len(event.value):,} characters; no value has more than {_MAX_CHARACTERS:,}"
            self._report(event, message, "a long text belongs into a file of your code")
            return str(event.value[:_MAX_CHARACTERS])
        if event.style:
            return str(event.value)
        try:
            return core_scalar(event.value)
        except ValueError as error:
            self._report(event, str(error), "write it in quotes if it is a text")
            return str(event.value)

    def _list(self) -> list[Node]:
        nodes: list[Node] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            self._path.append(str(len(nodes)))
            nodes.append(self._node(event, self._position(event)))
            self._path.pop()
        return nodes

    def _map(self) -> dict[str, Node]:
        nodes: dict[str, Node] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            position, key = self._position(event), self._key(event)
            self._path.append(key or "?")
            node = self._node(next(self._events), position)
            if key is not None and key in nodes:
                first = nodes[key].position.line
                self._report(
                    event, f"the key stands twice; the first is on line {first}", "keep one of the two"
                )
            elif key is not None:
                nodes[key] = node
            self._path.pop()
        return nodes

    def _key(self, event: _NodeEvent) -> str | None:
        if isinstance(event, ScalarEvent):
            key = self._scalar(event)
            if key == "<<" and not event.style:
                hint = "write the keys out, or move what environments share to base.yaml"
                self._report(event, "merge keys (<<) do not belong to YAML 1.2", hint)
                return None
            if isinstance(key, str) and "\n" in key:
                self._report(event, "a key must be one line", "write it without a line break")
                return None
            if isinstance(key, str):
                return key
        elif isinstance(event, MappingStartEvent | SequenceStartEvent):
            self._node(event, self._position(event))
        self._report(
            event, "a key must be a text", "write it in quotes; a value that begins with { or [, too"
        )
        return None

    def _alias(self, event: AliasEvent, position: Position) -> Node:
        if event.anchor is None or event.anchor not in self._anchors:
            anchor = printable_word(event.anchor or "")
            hint = f"write &{anchor} before the value that it stands for, above this line"
            raise ConfigError([self._fault(event, f"the alias *{anchor} has no anchor", hint)])
        node, size = self._anchors[event.anchor]
        self._count(event, size)
        return Node(node.value, position)

    def _count(self, event: Event, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > _MAX_NODES:
            message = f"with its aliases written out, the file has more than {_MAX_NODES:,} values"
            raise ConfigError([self._fault(event, message, "no configuration has as many")])

    def _report(self, event: Event, message: str, hint: str) -> None:
        self.faults.append(self._fault(event, message, hint))

    def _fault(self, event: Event, message: str, hint: str | None) -> Fault:
        at, path = self._position(event), KeyPath(self._path)
        return Fault(at.file, at.line, at.column, path, None, message, hint=hint)

    def _position(self, event: Event) -> Position:
        mark = event.start_mark
        return Position(self._file, mark.line + 1, mark.column + 1) if mark else Position(self._file, 1, 1)

"""Configuration as it was read: plain values that remember where they were written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

#: The keys from the root to a value; an index of a list is written as a text.
KeyPath = tuple[str, ...]

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file; ``line`` and ``column`` count from 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Node:
    """A value and the position of its key (of the item itself in a list)."""

    value: "Scalar | list[Node] | dict[str, Node]"
    position: Position

    def plain(self) -> Any:
        """Return the value without positions: dicts, lists and scalars."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def child(self, key: str) -> "Node | None":
        """Return the value of a key, or of an index of a list; None when there is none."""
        if isinstance(self.value, dict):
            return self.value.get(key)
        if isinstance(self.value, list) and key.isdecimal() and int(key) < len(self.value):
            return self.value[int(key)]
        return None

    def nearest(self, path: Sequence[str]) -> "Node":
        """Return the node at ``path``, or its nearest ancestor that was written."""
        node = self
        for key in path:
            child = node.child(key)
            if child is None:
                return node
            node = child
        return node

    def positions(self, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Position]]:
        """Yield the path and the position of everything that is written below."""
        if isinstance(self.value, dict):
            children = self.value.items()
        elif isinstance(self.value, list):
            children = {str(index): node for index, node in enumerate(self.value)}.items()
        else:
            return
        for key, node in children:
            yield (*path, key), node.position
            yield from node.positions((*path, key))

    def leaves(self, path: KeyPath = ()) -> Iterator[tuple[KeyPath, "Node"]]:
        """Yield every scalar below with its path, in the order of the file."""
        if isinstance(self.value, dict):
            for key, node in self.value.items():
                yield from node.leaves((*path, key))
        elif isinstance(self.value, list):
            for index, node in enumerate(self.value):
                yield from node.leaves((*path, str(index)))
        else:
            yield path, self

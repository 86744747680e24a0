"""What is wrong with a configuration, said so that a user can mend it in one round."""

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sizewell.config.printable import MAX_WORD_CHARACTERS, printable_line, printable_word
from sizewell.config.tree import KeyPath, Position

#: Faults that are shown at a time; a longer list hides what matters.
MAX_SHOWN_FAULTS = 50

#: Allowed words that are listed.
_MAX_ALLOWED = 60


@dataclass(frozen=True)
class Fault:
    """One thing to mend.

    ``line`` and ``column`` count from 1 and are None where they say nothing: a missing file has no line, and a
    fault of a value is found by its key. ``value`` is what came in, ready to print; ``allowed`` lists what
    ``message`` announces; ``details`` are lines of their own below it. What came in may stand in any of them: it is made
    fit to print when the fault is.
    """

    file: str
    line: int | None
    column: int | None
    key_path: KeyPath
    value: str | None
    message: str
    allowed: tuple[str, ...] = ()
    hint: str | None = None
    details: tuple[str, ...] = ()

    def render(self) -> str:
        """Return the fault as plain text: the place, what is wrong, and what to do."""
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        path = ".".join(printable_word(key) for key in self.key_path)
        lines = [f"{printable_line(place)}  {printable_line(path)}".rstrip()]
        message = self.message if self.value is None else f"got {self.value}; {self.message}"
        lines.append(f"  {printable_line(message)}{self._allowed_words()}")
        lines += [f"  {printable_line(line)}" for line in (*self.details, self.hint) if line]
        return "\n".join(lines)

    def _allowed_words(self) -> str:
        words = [printable_word(word) for word in self.allowed[:_MAX_ALLOWED]]
        if len(self.allowed) > _MAX_ALLOWED:
            words.append(f"and {len(self.allowed) - _MAX_ALLOWED} more")
        return f": {', '.join(words)}" if words else ""


class ConfigError(Exception):
    """The configuration cannot be used; ``faults`` holds everything that is wrong, by file and line."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        """Keep the faults in order, each once."""
        self.faults = tuple(sorted(dict.fromkeys(faults), key=_order))
        super().__init__(self.faults)

    def __str__(self) -> str:
        return self.render()

    def render(self, limit: int = MAX_SHOWN_FAULTS) -> str:
        """Return the first ``limit`` faults as plain text, and say how many are left out."""
        shown = [fault.render() for fault in self.faults[:limit]]
        if len(self.faults) > limit:
            shown.append(f"... and {len(self.faults) - limit} more; mend these first")
        return "\n".join(shown)


def _order(fault: Fault) -> tuple[str, int, int, KeyPath, str]:
    return fault.file, fault.line or 0, fault.column or 0, fault.key_path, fault.message


def value_fault(
    position: Position,
    path: KeyPath,
    message: str,
    *,
    value: str | None = None,
    allowed: tuple[str, ...] = (),
    hint: str | None = None,
    details: tuple[str, ...] = (),
) -> Fault:
    """Return a fault of a key or value, which is found by its line and key."""
    return Fault(position.file, position.line, None, path, value, message, allowed, hint, details)


def show_value(value: Any) -> str:
    """Return a value as it may stand in a message: quoted, cut, and without the contents of maps and lists."""
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    if not isinstance(value, str):
        return json.dumps(value)
    # One character more than is shown, for printable_word to mark the cut.
    quoted = json.dumps(value[: MAX_WORD_CHARACTERS + 1], ensure_ascii=False)[1:-1]
    return f'"{printable_word(quoted)}" (text)'


def near_match(word: str, allowed: Iterable[str]) -> str | None:
    """Return the allowed word that was probably meant; case and the kind of dash do not count."""
    return next(iter(near_matches(word, allowed, max_count=1)), None)


def near_matches(word: str, allowed: Iterable[str], *, max_count: int = 3) -> tuple[str, ...]:
    """Return up to ``max_count`` allowed words that were perhaps meant, best first."""
    plain = {_plain(candidate): candidate for candidate in allowed}
    return tuple(
        plain[found] for found in difflib.get_close_matches(_plain(word), plain, n=max_count, cutoff=0.6)
    )


def _plain(word: str) -> str:
    return word.lower().replace("_", "").replace("-", "")

"""The cells of a row by their columns: what they say in words that are known, and a list of the words that are not."""

import math
import re
from collections.abc import Collection, Iterable, Mapping

#: The largest number that a cell may hold: beyond it a row is a mistake, not a workload.
LARGEST = {"params": 1e15, "accelerator_count": 1e6, "input_len": 1e12}
LARGEST_OF_OTHERS = 1e9
_SCALES = {"m": 1e6, "b": 1e9}
_NUMBER = re.compile(
    r"(?<![\w.])(?P<number>-?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?(?![a-z.]?\d)|(?:nan|inf)\b)"
    r"(?: ?(?P<scale>[mb])(?![a-z0-9])| users\b)?"
)
#: What stands in parentheses is a comment.
COMMENT = re.compile(r"\([^()]*\)")


class UnreadableRowError(ValueError):
    """Why a row cannot be predicted."""


def refused(column: str, cell: str, allowed: str) -> UnreadableRowError:
    """Return the error that says what came in and what is allowed."""
    return UnreadableRowError(f"{column} {cell or '(empty)'} is not read: write {allowed}")


def without(text: str, parts: Iterable[re.Match[str]]) -> str:
    """Return a text without the parts of it that were understood."""
    for part in reversed(list(parts)):
        text = f"{text[: part.start()]} {text[part.end() :]}"
    return text


class Cells:
    """The cells of one row without blanks around them; a column that a file does not have is empty."""

    def __init__(self, row: Mapping[str, str]) -> None:
        self._cells = {column: (cell or "").strip() for column, cell in row.items()}
        self.unread: dict[str, str] = {}
        """The words that nothing was made of, by their columns."""

    def __getitem__(self, column: str) -> str:
        return self._cells.get(column, "")

    def ignore(self, column: str, words: str) -> None:
        """Note what is left of a cell without the words that are known; comments and single letters say nothing."""
        left = re.sub(r"[\s,;:+/&=\[\]()\"]+", " ", COMMENT.sub(" ", words)).split()
        said = [
            word for word in (word.strip("-.") for word in left) if word and not re.fullmatch("[a-z]", word)
        ]
        self.unread.pop(column, None)
        if said:
            self.unread[column] = " ".join(said)

    def find(self, column: str, pattern: str | re.Pattern[str]) -> re.Match[str] | None:
        """Return the first part of a cell, in small letters, that a pattern finds; the rest is noted."""
        cell = self[column].lower()
        found = re.search(pattern, cell)
        self.ignore(column, without(cell, [found] if found else []))
        return found

    def number(self, column: str) -> float | None:
        """Return the first number, None of a cell without one; ``params`` may have a unit, as in ``7B``."""
        if not (found := self.find(column, _NUMBER)):
            return None
        value = float(found["number"].replace(",", ""))
        if column == "params" and found["scale"]:
            value *= _SCALES[found["scale"]]
        largest = LARGEST.get(column, LARGEST_OF_OTHERS)
        if not (math.isfinite(value) and 0 <= value <= largest):
            raise UnreadableRowError(f"{column} {self[column]} is not between 0 and {largest:.0e}")
        return value

    def flag(self, column: str) -> bool | None:
        """Return whether the cell says ``yes`` or ``no``, None where it says neither."""
        word = self.word(column, ("yes", "no"))
        return word == "yes" if word else None

    def word(self, column: str, known: Collection[str]) -> str:
        """Return the first of the words that are known, the longest that stands there, or an empty text."""
        words = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
        found = self.find(column, rf"(?<!\w)(?:{words})(?!\w)")
        return found[0] if found else ""


def plain_name(text: str) -> str:
    """Return a name in small letters, its words joined by hyphens."""
    return re.sub(r"[\s_-]+", "-", text.strip().lower())

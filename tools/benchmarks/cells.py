"""The cells of a row by their columns; one that does not follow the grammar of its column is refused with what is allowed."""

import math
import re
from collections.abc import Collection, Mapping

#: The largest number that a cell may hold: beyond it a row is a mistake, not a workload.
LARGEST = {"params": 1e15, "accelerator_count": 1e6, "input_len": 1e12}
LARGEST_OF_OTHERS = 1e9
_SCALES = {"m": 1e6, "b": 1e9}


class UnreadableRowError(ValueError):
    """Why a row cannot be predicted."""


def refused(column: str, cell: str, allowed: str) -> UnreadableRowError:
    """Return the error that says what came in and what is allowed."""
    return UnreadableRowError(f"{column} {cell or '(empty)'} is not read: write {allowed}")


class Cells:
    """The cells of one row without blanks around them; a column that a file does not have is empty."""

    def __init__(self, row: Mapping[str, str]) -> None:
        self._cells = {column: (cell or "").strip() for column, cell in row.items()}

    def __getitem__(self, column: str) -> str:
        return self._cells.get(column, "")

    def number(self, column: str) -> float | None:
        """Return a number, None of an empty cell; ``params`` may have a unit, as in ``7B``."""
        cell = self[column]
        if not cell:
            return None
        text, scale = cell.replace(",", "").lower(), 1.0
        if column == "params" and text[-1:] in _SCALES:
            text, scale = text[:-1], _SCALES[text[-1]]
        try:
            value = float(text) * scale
        except ValueError:
            raise refused(column, cell, "a number such as 16") from None
        largest = LARGEST.get(column, LARGEST_OF_OTHERS)
        if not (math.isfinite(value) and 0 <= value <= largest):
            raise UnreadableRowError(f"{column} {cell} is not between 0 and {largest:.0e}")
        return value

    def flag(self, column: str) -> bool | None:
        """Return whether the cell says ``yes`` or ``no``, None of an empty cell."""
        word = self.word(column, ("yes", "no"))
        return word == "yes" if word else None

    def word(self, column: str, allowed: Collection[str]) -> str:
        """Return one of the words that are allowed, in small letters, or an empty text."""
        word = self[column].lower()
        if word and word not in allowed:
            raise refused(column, self[column], f"one of {', '.join(sorted(allowed))}")
        return word


def plain_name(text: str) -> str:
    """Return a name in small letters, its words joined by hyphens."""
    return re.sub(r"[\s_-]+", "-", text.strip().lower())

"""Read a JSON file of hundreds of megabytes member by member."""

from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, TextIO

_CHUNK = 1 << 20
_decode = JSONDecoder().raw_decode
_BLANKS = " \t\r\n"
_AFTER_A_VALUE = frozenset(",:]}" + _BLANKS)


class BrokenJsonError(ValueError):
    """The file is no JSON, or ends before its end."""


class JsonStream:
    """Walks an object: each value below it is walked or read, once and in the order of the file."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        self._at = 0

    def members(self) -> Iterator[str]:
        """Yield the names of the object that begins here. Read the value of each before the next: ``value`` or ``members``."""
        self._expect("{")
        if self._peek() == "}":
            self._at += 1
            return
        while True:
            name = self.value()
            self._expect(":")
            yield name
            end = self._peek()
            self._at += 1
            if end == "}":
                return
            if end != ",":
                raise BrokenJsonError(f"{end!r} stands where a comma or the end of an object does")

    def value(self) -> Any:
        """Return the whole value that begins here."""
        self._peek()
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except JSONDecodeError as error:
                if not self._more():
                    raise BrokenJsonError(str(error)) from None
                continue
            # A number goes on until something else follows: 1 may be the beginning of 1.5.
            if self._text[end : end + 1] in _AFTER_A_VALUE or not self._more():
                self._at = end
                return value

    def _expect(self, character: str) -> None:
        if (found := self._peek()) != character:
            raise BrokenJsonError(f"{found!r} stands where {character!r} does")
        self._at += 1

    def _peek(self) -> str:
        """Return the next character that is no blank; raises where there is none."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _BLANKS:
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                raise BrokenJsonError("it ends before its end")

    def _more(self) -> bool:
        chunk = self._file.read(_CHUNK)
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return bool(chunk)

"""Text as a reader must see it: what is invisible, or changes the direction of reading, becomes a visible mark."""

from functools import cache
from unicodedata import category

#: Control, format, surrogate, private and unassigned characters, separators of lines and paragraphs, odd spaces:
#: the general categories of the Unicode Standard, chapter 4.5.
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
#: Letters, symbols and marks that are drawn as nothing: combining grapheme joiner, Hangul, Khmer and Mongolian fillers,
#: an empty Braille pattern.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
#: Variation selectors, which choose a drawing and carry hidden data as well.
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_KNOWN = {" ": " ", "\n": "⏎", "\t": "⇥"}


def visible(value: str) -> str:
    """Return the text in one line without any character that hides; such a one is shown as ``⟨U+202E⟩``."""
    if value.isascii() and value.isprintable():
        return value
    return "".join(map(_shown, value))


@cache
def _shown(character: str) -> str:
    if character in _KNOWN:
        return _KNOWN[character]
    code_point = ord(character)
    hidden = (
        category(character) in _HIDDEN_CATEGORIES
        or character in _BLANK
        or any(code_point in selectors for selectors in _VARIATION_SELECTORS)
    )
    return f"⟨U+{code_point:04X}⟩" if hidden else character

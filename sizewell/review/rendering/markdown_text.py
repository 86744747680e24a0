"""Values in Markdown: whatever they hold, they stay text.

Two places are safe in every renderer: a code span, and words of letters. So a value is a code span, and in a sentence
each word that is more than letters, figures and common punctuation becomes one. In code, nobody is mentioned, no issue
is linked, no address is clickable, and neither HTML nor Markdown is read.
"""

import re

from markupsafe import Markup

from sizewell.review.rendering.visible import visible
from sizewell.review.words import shorten

#: Longest value, and longest sentence, in characters: nobody reads further in a comment.
VALUE_LIMIT = 160
SENTENCE_LIMIT = 600
#: Longest line, and most lines, of a fence.
LINE_LIMIT = 200
FENCE_LINES = 80
NOTHING = Markup("—")

#: What a word may hold beside letters and figures without meaning anything to a renderer.
_PLAIN = frozenset(".,;:()-/+%?=\"'’“”→−·–—…×≤≥≈±⟨⟩⏎⇥")  # noqa: RUF001
#: Words of plain characters that renderers link or replace all the same: addresses, issues and commits of GitHub,
#: milestones of GitLab, emoji. https://docs.github.com/en/get-started/writing-on-github
_LINKED = re.compile(
    r"(?i)://|www\.|\bgh-\d|^\W*%|:[\w+-]+(?=:|$)|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,}\b"
)
#: What a code span between single backticks cannot hold in a table cell of every renderer.
_NEEDS_ENTITIES = re.compile(r"[`|\\]|^ | $")
_ENTITY = re.compile(r"[^A-Za-z0-9 ]")
#: What begins a list, an underline or a command to a forge at the beginning of a line.
_STARTS_A_BLOCK = re.compile(r"^(\d*)(?=[-+=.)](?:[-=\s]|$)|/)")


def code(value: object) -> Markup:
    """Return a value as a code span; a dash where there is nothing."""
    text = shorten(visible(str(value)), VALUE_LIMIT)
    if not text:
        return NOTHING
    return html_code(text) if _NEEDS_ENTITIES.search(text) else Markup(f"`{text}`")


def html_code(value: object) -> Markup:
    """Return a value as a code element with every sign spelt as a number: for HTML blocks, and where backticks end."""
    text = shorten(visible(str(value)), VALUE_LIMIT)
    return Markup(f"<code>{_ENTITY.sub(lambda sign: f'&#{ord(sign[0])};', text)}</code>")


def sentence(value: object, limit: int = SENTENCE_LIMIT) -> Markup:
    """Return a sentence in which every word that a renderer could understand is code; a dash where there is none."""
    words = shorten(visible(str(value)), limit).split()
    text = " ".join(_word(word) for word in words) or NOTHING
    return Markup(_STARTS_A_BLOCK.sub(r"\1\\", text))


def fence(text: str, language: str = "") -> Markup:
    """Return lines in a code fence that nothing in them closes; of many, the first ones."""
    lines = [shorten(visible(line), LINE_LIMIT) for line in text.split("\n")]
    if left_out := len(lines) - FENCE_LINES:
        lines = [*lines[:FENCE_LINES], f"… {left_out} more lines"] if left_out > 0 else lines
    body = "\n".join(lines)
    longest = max((len(run) for run in re.findall("`+", body)), default=0)
    ticks = "`" * max(3, longest + 1)
    return Markup(f"{ticks}{language}\n{body}\n{ticks}")


def _word(word: str) -> str:
    plain = all(sign in _PLAIN or sign.isalnum() for sign in word) and not _LINKED.search(word)
    return word if plain else _code_without_punctuation(word)


def _code_without_punctuation(word: str) -> str:
    """Return a word as code, and the punctuation of the sentence around it as it is."""
    opening, inner, closing = re.fullmatch(r"([(\"']*)(.*?)([.,;:?)\"']*)", word, re.DOTALL).groups()  # type: ignore[union-attr]
    return f"{opening}{code(inner)}{closing}"

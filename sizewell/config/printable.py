"""Text from outside, made fit for a terminal and a log: one line of limited length, without control sequences and secrets."""

from sizewell.config.secret_shapes import without_secrets

#: Characters of a name or of a value that are shown.
MAX_WORD_CHARACTERS = 60
#: Characters of a sentence that are shown: it may repeat what came in.
MAX_LINE_CHARACTERS = 2000


def printable_line(text: str) -> str:
    """Return a line of a message: as :func:`printable_word`, but a whole sentence long."""
    return _printable(text, MAX_LINE_CHARACTERS)


def printable_word(text: str) -> str:
    """Return a name or a value: escaped where a character would steer a terminal or begin a line of its own, and cut."""
    return _printable(text, MAX_WORD_CHARACTERS)


def _printable(text: str, max_characters: int) -> str:
    # Secrets first: a secret that is cut is not recognized, and its beginning would be shown.
    shown = without_secrets(text[: 4 * max_characters + 2000])
    escaped = "".join(
        character if character.isprintable() else _escaped(character)
        for character in shown[: max_characters + 1]
    )
    return escaped if len(escaped) <= max_characters else escaped[: max_characters - 1] + "…"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")

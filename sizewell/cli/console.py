"""Where tables are printed: a terminal of any width, or a pipe."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from sizewell.cli.output import echo, printing

#: Wide enough for every column where the output is piped and has no width.
PIPED_WIDTH = 140
#: A narrower terminal breaks the lines itself: an instance type or a price is never cut.
MIN_WIDTH = 80
#: Below this, tables leave out the columns that matter least.
FULL_WIDTH = 100
#: From this on, tables say how sure each prediction is.
RANGE_WIDTH = 110


@contextmanager
def open_console() -> Iterator[Console]:
    """Yield a console that colours on a terminal, and prints plain text without trailing blanks into a pipe."""
    console = Console(highlight=False, emoji=False)
    with printing():
        if console.is_terminal:
            yield Console(highlight=False, emoji=False, width=max(console.width, MIN_WIDTH))
            return
        console = Console(highlight=False, emoji=False, width=PIPED_WIDTH)
        with console.capture() as captured:
            yield console
        echo(re.sub(r" +$", "", captured.get(), flags=re.MULTILINE), newline=False)


def print_lines(console: Console, lines: Iterable[str | Text], title: str = "") -> None:
    """Print sentences below a title, if there are any; a terminal breaks them below their own beginning, a pipe does not."""
    shown = [Text.assemble(line) for line in lines]
    if title and shown:
        console.print(title, style="bold")
    for line in shown:
        if console.is_terminal:
            console.print(Padding(line, (0, 0, 0, 2), expand=False))
        else:
            console.print(Text.assemble("  ", line), soft_wrap=True)


def is_narrow(console: Console) -> bool:
    """Return whether a table must leave columns out."""
    return console.width < FULL_WIDTH


def has_room_for_ranges(console: Console) -> bool:
    """Return whether a table has room for the range of each prediction."""
    return console.width >= RANGE_WIDTH

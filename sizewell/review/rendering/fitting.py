"""A text that may not be longer than a limit: what matters least goes first, and the text says what went."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Block:
    """A list or table, which can lose items from its end; without any item it is left out with its head and foot."""

    items: tuple[str, ...]
    noun: str
    """Of several items, for the sentence that says how many are left out."""
    rank: int
    """Blocks of the lowest rank are shortened first."""
    head: str = ""
    foot: str = ""

    def text(self, kept: int, limit: int) -> str:
        """Return the first items, and how many others there are."""
        body = f"{self.head}{''.join(self.items[:kept])}{self.foot}" if kept else ""
        return body + self._omission(kept, limit)

    def most_that_fit(self, room: int, limit: int) -> int:
        """Return how many items a text of at most ``room`` characters can hold; zero where not even one fits."""
        around = len(self.head) + len(self.foot) + len(self._omission(0, limit))
        lengths = list(accumulate(map(len, self.items)))
        return bisect_right(lengths, room - around)

    def _omission(self, kept: int, limit: int) -> str:
        left_out = len(self.items) - kept
        if not left_out:
            return ""
        return (
            f"\n**{left_out:,} of {len(self.items):,} {self.noun} left out here**: "
            f"a comment holds {limit:,} characters.\n"
        )


def fit(parts: Sequence[str | Block], limit: int) -> str:
    """Return the parts one after the other; plain texts are kept whole, blocks are shortened as far as they must."""
    texts = [part if isinstance(part, str) else part.text(len(part.items), limit) for part in parts]
    excess = sum(map(len, texts)) - limit
    blocks = [(part, at) for at, part in enumerate(parts) if isinstance(part, Block)]
    for block, at in sorted(blocks, key=lambda found: (found[0].rank, -found[1])):
        if excess <= 0:
            break
        whole = texts[at]
        shortened = block.text(block.most_that_fit(len(whole) - excess, limit), limit)
        texts[at] = min(whole, shortened, key=len)
        excess += len(texts[at]) - len(whole)
    return "".join(texts)

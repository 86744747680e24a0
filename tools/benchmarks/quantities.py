"""The number that a cell states, whatever words stand around it."""

import re

#: What a letter or a word after a number multiplies it by; ``k`` of tokens is 1,024, of anything else 1,000.
_SCALES = {"k": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "billion": 1e9}
_NUMBER = r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:\s*(k|m(?:illion)?|b(?:illion)?)(?![a-z]))?"
_ONE = re.compile(_NUMBER)
_RANGE = re.compile(rf"{_NUMBER}\s*(?:-|\N{{EN DASH}}|to)\s*{_NUMBER}")


def quantity(text: str, *, kilo: float = 1e3) -> float | None:
    """Return the first number of a text, the middle of a range, None when it holds none: ``seq 1,024`` is 1024."""
    try:
        return float(text)
    except ValueError:
        plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text.lower())
    scales = _SCALES | {"k": kilo, None: 1.0}
    if found := _RANGE.search(plain):
        low, low_scale, high, high_scale = found.groups()
        return (float(low) * scales[low_scale or high_scale] + float(high) * scales[high_scale]) / 2
    found = _ONE.search(plain)
    return float(found[1]) * scales[found[2]] if found else None

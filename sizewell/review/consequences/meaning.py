"""Expressions that are written in another way and mean the same."""

import re
from collections.abc import Iterable

#: The last names of properties that hold expressions: metric math, rules of composite alarms, conditions of state machines.
EXPRESSIONS = frozenset({"AlarmRule", "Condition", "Expression"})
_QUOTED = re.compile(r"""('[^']*'|"[^"]*"|`[^`]*`)""")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_TERM = r"[\w.]+"
_PRODUCT = re.compile(rf"{_TERM}(?: [*/] {_TERM})+")
_ALARM = r"(?:NOT )?\w+\([^()]*\)"
_ALARMS = re.compile(rf"{_ALARM}(?:(?: AND {_ALARM})+|(?: OR {_ALARM})+)")


def normal_form(expression: str) -> str:
    """Return one spelling for expressions that mean the same: of numbers, spaces, and the order of factors and alarms.

    What it does not understand stays as it is written, so that another order counts as another meaning.
    """
    parts = _QUOTED.split(expression)
    plain = "".join(part if at % 2 else _plain(part) for at, part in enumerate(parts)).strip()
    if _PRODUCT.fullmatch(plain):
        return _sorted_factors(plain)
    if _ALARMS.fullmatch(plain):
        operator = " OR " if " OR " in plain else " AND "
        return operator.join(_sorted(plain.split(operator)))
    return plain


def _plain(text: str) -> str:
    spaced = re.sub(r"\s+", " ", re.sub(r"(?<=[\w)])\s*([*/])\s*(?=[\w(])", r" \1 ", text))
    return _NUMBER.sub(lambda number: f"{float(number[0]):.17g}", spaced)


def _sorted_factors(product: str) -> str:
    """Return ``a * c / b / d``: multiplication and division go from left to right, so only the operator before counts."""
    first, *others = product.split(" ")
    above = [first, *(others[at + 1] for at in range(0, len(others), 2) if others[at] == "*")]
    below = [others[at + 1] for at in range(0, len(others), 2) if others[at] == "/"]
    return " / ".join((" * ".join(_sorted(above)), *_sorted(below)))


def _sorted(terms: Iterable[str]) -> list[str]:
    return sorted(term.strip() for term in terms)

"""Patterns of IAM: ``*`` is any text, ``?`` one character, and a reference like ``${Role.Arn}`` a text that nobody knows.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
"""

import re
from functools import lru_cache

_SYMBOL = re.compile(r"\$\{[^}]*\}|.", re.DOTALL)
_WILDCARDS = re.compile(r"[*?]*\*[*?]*")
#: ``arn:partition:service:region:account:resource``.
_ARN_PARTS = 6

Symbols = tuple[str, ...]


@lru_cache(maxsize=65_536)
def covers(wide: str, narrow: str) -> bool:
    """Tell whether every text that matches the one matches the other for certain."""
    if wide in ("*", narrow):
        return True
    if "*" not in wide and "?" not in wide:
        return False
    return _matches(_symbols(wide), _symbols(narrow))


def arn_covers(wide: str, narrow: str) -> bool:
    """Tell whether one value of ``ArnLike`` covers another: a wildcard does not reach beyond its part of the ARN."""
    if wide in ("*", narrow):
        return True
    wide_parts, narrow_parts = _arn_parts(_symbols(wide)), _arn_parts(_symbols(narrow))
    return len(wide_parts) == len(narrow_parts) == _ARN_PARTS and all(
        _matches(w, n) for w, n in zip(wide_parts, narrow_parts, strict=True)
    )


def disjoint(first: str, second: str) -> bool:
    """Tell whether no text matches both for certain: they begin differently."""
    one, other = _beginning(first), _beginning(second)
    return any(a != b for a, b in zip(one, other, strict=False))


def is_fixed(pattern: str) -> bool:
    """Tell whether it stands for one text only."""
    return "*" not in pattern and "?" not in pattern


def names_an_account(pattern: str) -> bool:
    """Tell whether an ARN is that of a known account or, where it has none as in S3, of a known resource."""
    symbols = _symbols(pattern)
    parts = _arn_parts(symbols)
    if len(parts) < _ARN_PARTS:
        return bool(symbols) and len(symbols[0]) > 1
    account, resource = parts[4:]
    return not {"*", "?"} & {*account} if account else resource[:1] not in ((), ("*",), ("?",))


@lru_cache(maxsize=65_536)
def _symbols(pattern: str) -> Symbols:
    """Return characters and references, with runs of wildcards in one spelling: ``?`` before ``*``."""
    text = _WILDCARDS.sub(lambda run: "?" * run[0].count("?") + "*", pattern)
    return tuple(_SYMBOL.findall(text))


def _matches(wide: Symbols, narrow: Symbols) -> bool:
    """Match like a glob; a ``*`` of the narrow one can only fall under a ``*`` of the wide one."""
    position = at = 0
    star, resume = -1, 0
    while at < len(narrow):
        symbol = wide[position] if position < len(wide) else ""
        if symbol == "*":
            star, resume = position, at
            position += 1
        elif symbol and (symbol == narrow[at] or (symbol == "?" and _is_one_character(narrow[at]))):
            position += 1
            at += 1
        elif star >= 0:
            resume += 1
            position, at = star + 1, resume
        else:
            return False
    return all(symbol == "*" for symbol in wide[position:])


def _is_one_character(symbol: str) -> bool:
    return len(symbol) == 1 and symbol != "*"


def _arn_parts(symbols: Symbols) -> list[Symbols]:
    parts: list[list[str]] = [[]]
    for symbol in symbols:
        if symbol == ":" and len(parts) < _ARN_PARTS:
            parts.append([])
        else:
            parts[-1].append(symbol)
    return [tuple(part) for part in parts]


def _beginning(pattern: str) -> Symbols:
    """Return what every match begins with."""
    symbols = _symbols(pattern)
    for index, symbol in enumerate(symbols):
        if symbol in ("*", "?") or len(symbol) > 1:
            return symbols[:index]
    return (*symbols, "")

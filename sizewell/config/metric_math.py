"""Reading an expression of CloudWatch's metric math: its syntax, the ids that it names, and what comes of it."""

import re
from dataclasses import dataclass

from sizewell.config.faults import near_match
from sizewell.facts.metric_math import FUNCTIONS, OPERATORS, WORDS, MathFunction, Returns

#: Deeper than anybody writes, and far from the end of Python's stack.
MAX_DEPTH = 50
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![A-Za-z_])
        | (?P<word>[A-Za-z_][A-Za-z0-9_]*) | (?P<text>"[^"]*"|'[^']*')
        | (?P<sign>==|!=|<=|>=|&&|\|\||[-+*/^<>()\[\],])
    )""",
    re.VERBOSE,
)


class ExpressionError(ValueError):
    """What is wrong with an expression, and where."""


@dataclass(frozen=True, slots=True)
class Expression:
    """What an expression reads, and what comes of it."""

    ids: frozenset[str]
    reads_all: bool
    """Whether METRICS() reads every metric beside those that are named."""
    returns: Returns


def read_expression(text: str) -> Expression:
    """Return what an expression reads; raises ``ExpressionError`` where CloudWatch could not read it."""
    reader = _Reader(text)
    returns = reader.expression()
    if reader.kind:
        raise reader.unexpected()
    return Expression(frozenset(reader.ids), reader.reads_all, returns)


class _Reader:
    """Reads from left to right. Which operator binds closer does not matter here: it changes neither syntax nor kind."""

    def __init__(self, text: str) -> None:
        self._text, self._end, self._depth = text.rstrip(), 0, 0
        self.ids: set[str] = set()
        self.reads_all = False
        self._next()

    def expression(self) -> Returns:
        found = [self._operand()]
        while self.token in OPERATORS:
            self._next()
            found.append(self._operand())
        order = (Returns.SEVERAL, Returns.SERIES, Returns.NUMBER)
        return next(kind for kind in order if kind in found)

    def unexpected(self) -> ExpressionError:
        if not self.kind:
            return ExpressionError("ends where a metric, a number or a parenthesis is missing")
        return ExpressionError(f"has an unexpected {self.token} at character {self._start + 1}")

    def _operand(self) -> Returns:
        while self.token == "-":
            self._next()
        kind, token = self.kind, self.token
        if token not in ("(", "[") and kind not in ("number", "word", "text"):
            raise self.unexpected()
        self._next()
        if kind in ("number", "text"):
            return Returns.NUMBER
        if token == "(":
            (found,) = self._list(")", 1)
            return found
        if token == "[":
            self._list("]")
            return Returns.SEVERAL
        return self._call(token) if self.token == "(" else self._name(token)

    def _name(self, word: str) -> Returns:
        if word in WORDS:
            return Returns.NUMBER
        if not word[0].islower():
            raise ExpressionError(
                f"names {word}: a function has parentheses, and an id begins with a lower-case letter"
            )
        self.ids.add(word)
        return Returns.SERIES

    def _call(self, name: str) -> Returns:
        if (function := FUNCTIONS.get(name)) is None:
            match = near_match(name, FUNCTIONS)
            hint = f"; did you mean {match}?" if match else ""
            raise ExpressionError(f"calls {name}, which is no function of metric math{hint}")
        if name == "SEARCH":
            raise ExpressionError(
                "calls SEARCH, which CloudWatch takes in graphs and not in alarms, by which instances are scaled"
            )
        self._next()
        arguments = self._list(")")
        if not function.least <= len(arguments) <= function.most:
            raise ExpressionError(
                f"gives {name} {len(arguments)} argument(s), and it takes {_counts(function)}"
            )
        self.reads_all = self.reads_all or name == "METRICS"
        first = arguments[0] if arguments else Returns.SEVERAL
        if function.returns is Returns.LESS:
            return Returns.SERIES if first is Returns.SEVERAL else Returns.NUMBER
        return first if function.returns is Returns.AS_ITS_ARGUMENT else function.returns

    def _list(self, closing: str, most: int | None = None) -> list[Returns]:
        """Read expressions with commas between them, and the sign that closes them."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(f"has more than {MAX_DEPTH} parentheses within each other")
        found: list[Returns] = []
        if self.token != closing or most:
            found.append(self.expression())
            while self.token == "," and most != 1:
                self._next()
                found.append(self.expression())
        if self.token != closing:
            if not self.kind:
                raise ExpressionError(f"has a parenthesis that is not closed: {closing} is missing")
            raise self.unexpected()
        self._depth -= 1
        self._next()
        return found

    def _next(self) -> None:
        match = _TOKEN.match(self._text, self._end)
        if match is None and self._end < len(self._text):
            rest = self._text[self._end :].lstrip()
            raise ExpressionError(
                f"has {rest[0]} at character {len(self._text) - len(rest) + 1}, which metric math does not know"
            )
        self.kind = match.lastgroup if match else None
        self.token = match[self.kind] if match and self.kind else ""
        self._start = match.start(self.kind) if match and self.kind else len(self._text)
        self._end = match.end() if match else len(self._text)


def _counts(function: MathFunction) -> str:
    return f"{function.least}" if function.least == function.most else f"{function.least} to {function.most}"

"""Metric math, as far as alarms of templates use it: numbers and series, operators, IF and FILL.

"Metric math syntax and functions", https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
"""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tools.benchmarks.alarm_replay.series import MISSING, Floats

_Operator = Callable[[Any, Any], Any]
_ARITHMETIC: Mapping[type[ast.AST], _Operator] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: Mapping[type[ast.AST], _Operator] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_SPELLINGS = {" AND ": " and ", "&&": " and ", " OR ": " or ", "||": " or "}


def value_of(expression: str, series: Mapping[str, Floats]) -> Floats:
    """Return the series that an expression makes of others by their ids; raises ValueError for what it does not know."""
    python = expression
    for theirs, ours in _SPELLINGS.items():
        python = python.replace(theirs, ours)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = _evaluate(ast.parse(python.strip(), mode="eval").body, series)
    return np.asarray(found, dtype=np.float64)


def _evaluate(node: ast.expr, series: Mapping[str, Floats]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name) if name in series:
            return series[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand, series)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _ARITHMETIC:
            found = _ARITHMETIC[type(sign)](_evaluate(left, series), _evaluate(right, series))
            # A division by zero leaves no data point.
            return np.where(np.isfinite(found), found, MISSING)
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            return _known(_COMPARISONS[type(sign)], _evaluate(left, series), _evaluate(right, series))
        case ast.BoolOp(op=sign, values=values):
            both = np.minimum if isinstance(sign, ast.And) else np.maximum
            return both.reduce([_evaluate(value, series) for value in values])
        case ast.Call(func=ast.Name(id="IF"), args=[condition, *branches]):
            truth = _evaluate(condition, series)
            either: list[Any] = [*(_evaluate(branch, series) for branch in branches), MISSING]
            return np.where(np.isnan(truth), MISSING, np.where(truth != 0, either[0], either[1]))
        case ast.Call(func=ast.Name(id="FILL"), args=[filled, ast.Constant(value=int() | float() as number)]):
            return np.nan_to_num(_evaluate(filled, series), nan=number)
    raise ValueError(f"the replay does not know this part of metric math: {ast.unparse(node)}")


def _known(compare: _Operator, left: Any, right: Any) -> Floats:
    missing = np.isnan(left) | np.isnan(right)
    return np.where(missing, MISSING, compare(left, right))

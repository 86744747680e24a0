"""The functions of CloudWatch's metric math, by what they return.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html ("Metric math syntax and functions");
LAMBDA: .../CloudWatch_MultiDataSources-Custom-Use.html; DB_PERF_INSIGHTS:
https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PerfInsights.Cloudwatch.html. Read 2026-11-24.
"""

from dataclasses import dataclass
from enum import StrEnum


class Returns(StrEnum):
    """What comes of a function, or of a whole expression."""

    NUMBER = "one number"
    SERIES = "a time series"
    SEVERAL = "several time series"
    AS_ITS_ARGUMENT = "as many series as its first argument"
    LESS = "a number of one series, and one series of several"


@dataclass(frozen=True, slots=True)
class MathFunction:
    """How many arguments a function takes, and what it returns."""

    least: int
    most: int
    returns: Returns


_ONE = (1, 1)
_OF_SERIES = ("ABS", "CEIL", "DIFF", "DIFF_TIME", "FLOOR", "LOG", "LOG10", "RATE", "RUNNING_SUM")
_OF_TIME = ("MINUTE", "HOUR", "DAY", "DATE", "MONTH", "YEAR", "EPOCH")
FUNCTIONS = {
    **{name: MathFunction(*_ONE, Returns.AS_ITS_ARGUMENT) for name in _OF_SERIES},
    **{
        name: MathFunction(*_ONE, Returns.LESS)
        for name in ("AVG", "DATAPOINT_COUNT", "MAX", "MIN", "STDDEV", "SUM")
    },
    **{name: MathFunction(*_ONE, Returns.SERIES) for name in (*_OF_TIME, "FIRST", "LAST", "TIME_SERIES")},
    "ANOMALY_DETECTION_BAND": MathFunction(1, 2, Returns.SEVERAL),
    "DB_PERF_INSIGHTS": MathFunction(3, 3, Returns.SERIES),
    "FILL": MathFunction(2, 2, Returns.AS_ITS_ARGUMENT),
    "IF": MathFunction(2, 3, Returns.SERIES),
    "INSIGHT_RULE_METRIC": MathFunction(2, 2, Returns.SERIES),
    "LAMBDA": MathFunction(1, 21, Returns.SERIES),
    "METRICS": MathFunction(0, 1, Returns.SEVERAL),
    "METRIC_COUNT": MathFunction(*_ONE, Returns.NUMBER),
    "PERIOD": MathFunction(*_ONE, Returns.NUMBER),
    "REMOVE_EMPTY": MathFunction(*_ONE, Returns.SEVERAL),
    "SEARCH": MathFunction(2, 3, Returns.SEVERAL),
    "SERVICE_QUOTA": MathFunction(*_ONE, Returns.SERIES),
    # With one number it may leave one series, or several.
    "SLICE": MathFunction(2, 3, Returns.SERIES),
    "SORT": MathFunction(3, 4, Returns.SEVERAL),
}
#: Words that stand for themselves as an argument, as of FILL, SORT and LAMBDA.
WORDS = frozenset({"REPEAT", "LINEAR", "ASC", "DESC", "AVG", "MIN", "MAX", "SUM", "true", "false"})
OPERATORS = frozenset({"+", "-", "*", "/", "^", "==", "!=", "<=", ">=", "<", ">", "AND", "&&", "OR", "||"})

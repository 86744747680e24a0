"""Metric math: what CloudWatch could not read, or a policy could not follow, is refused; the examples of its guide are read."""

from collections.abc import Callable

import pytest

from sizewell.config.metric_math import MAX_DEPTH, ExpressionError, read_expression
from sizewell.facts.metric_math import Returns


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a / / b", "has an unexpected / at character 5"),
        ("a b", "has an unexpected b at character 3"),
        ("a +", "ends where a metric, a number or a parenthesis is missing"),
        ("", "ends where"),
        ("SUM([a, b)", "has an unexpected ) at character 10"),
        ("(a + b", "has a parenthesis that is not closed: ) is missing"),
        ("a)", "has an unexpected ) at character 2"),
        ("()", "has an unexpected ) at character 2"),
        ("(a, b)", "has an unexpected , at character 3"),
        ("SUM([a, b],)", "has an unexpected ) at character 12"),
        ("a % b", "has % at character 3, which metric math does not know"),
        ('METRICS("a)', 'has " at character 9, which'),
        ("2a", "has 2 at character 1, which"),
        ("sum([a, b])", "calls sum, which is no function of metric math; did you mean SUM?"),
        ("MEAN([a, b])", "calls MEAN, which is no function of metric math"),
        ("IF(a)", "gives IF 1 argument(s), and it takes 2 to 3"),
        ("AVG(a, b)", "gives AVG 2 argument(s), and it takes 1"),
        ("A / b", "names A: a function has parentheses"),
        ("SEARCH('{AWS/EC2,InstanceId} x', 'Average')", "calls SEARCH, which CloudWatch takes in graphs"),
        ("(" * (MAX_DEPTH + 1) + "a" + ")" * (MAX_DEPTH + 1), "parentheses within each other"),
    ],
)
def test_what_cloudwatch_could_not_read(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        read_expression(text)
    assert reason in str(raised.value)


#: Of the guide, most of them: ``sizewell.facts.metric_math``.
@pytest.mark.parametrize(
    ("text", "returns"),
    [
        ("PERIOD(m1)/60", Returns.NUMBER),
        ("5 * m1", Returns.SERIES),
        ("-5*m1", Returns.SERIES),
        ("SUM(-[m1, m2])", Returns.SERIES),
        ("AVG([m1,m2]/m3)", Returns.SERIES),
        ("METRICS()*100", Returns.SEVERAL),
        ("(metric1 > 15 AND metric2 >= 15) || m1 != 3", Returns.SERIES),
        ("MIN(ABS([m1, m2]))", Returns.SERIES),
        ("ANOMALY_DETECTION_BAND(m1,4)", Returns.SEVERAL),
        ("AVG(m1)", Returns.NUMBER),
        ("SUM([m1,m2])/AVG(m2)", Returns.SERIES),
        ("DIFF_TIME(METRICS())", Returns.SEVERAL),
        ("FILL(m1, REPEAT)", Returns.SERIES),
        ("FILL(METRICS(), LINEAR)", Returns.SEVERAL),
        ("IF(FIRST(SORT(METRICS(), AVG, DESC))>100, 1, 0)", Returns.SERIES),
        ("m1/METRIC_COUNT(METRICS())", Returns.SERIES),
        ('SUM(METRICS("errors"))/SUM(METRICS("requests"))*100', Returns.SERIES),
        ("IF(MONTH(m1) == 4,m1)", Returns.SERIES),
        ("SLICE(SORT(METRICS(), SUM, DESC), 0, 10)", Returns.SERIES),
        ("TIME_SERIES(5*AVG(m1))", Returns.SERIES),
        ("MAX(m1)/m1 ", Returns.SERIES),
        ('LAMBDA("MyCustomDataSource", true, "fuzzy", 99.9)', Returns.SERIES),
        ("DB_PERF_INSIGHTS('RDS', 'db-1', 'os.cpuUtilization.user.avg')", Returns.SERIES),
        ("1e3 * m1 ^ .5", Returns.SERIES),
    ],
)
def test_what_the_guide_of_cloudwatch_shows(text: str, returns: Returns) -> None:
    assert read_expression(text).returns is returns


def test_ids_are_those_outside_of_quotes() -> None:
    read = read_expression('SUM(METRICS("errors")) / requests + FILL(queue, REPEAT)')
    assert read.ids == {"requests", "queue"}
    assert read.reads_all


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("a / / b", "has an unexpected / at character 5"),
        ("AVG(a) / AVG(b)", "comes to one number, and instances follow one time series"),
        ("[a, b]", "comes to several time series"),
    ],
)
def test_a_policy_follows_one_time_series(
    message_for: Callable[[str], str], expression: str, reason: str
) -> None:
    metrics = "metrics: {a: {namespace: Ours, name: Open}, b: {namespace: Ours, name: Busy}}"
    message = message_for(
        "workloads:\n  support-bert:\n    scaling:\n      track:\n        ours:\n          target: 2\n"
        f"          {metrics}\n          expression: '{expression}'\n"
    )
    assert "config/dev.yaml:8  workloads.support-bert.scaling.track.ours.expression\n" in message
    assert reason in message

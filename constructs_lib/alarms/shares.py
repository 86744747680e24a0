"""What an alarm reads that watches a share of the requests, as metric math: few requests are chance, and set none off.

"Metric math syntax and functions", https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from aws_cdk import aws_cloudwatch as cloudwatch

#: A fifth more slow requests than are allowed, and five, are chance. A deployment looks at several periods in a row instead.
SLOW_BY_CHANCE = 5
MARGIN = 1.2
MISSES_BY_CHANCE = 20


@dataclass(frozen=True)
class Share:
    """An expression, and the metric and statistic of each id in it."""

    expression: str
    queries: Mapping[str, tuple[str, str]]


def slow_share(metric_name: str, threshold: float, allowed_percent: float, *, in_rollout: bool) -> Share:
    """Return the percentage of the requests that take longer than ``threshold``, which is in the unit of the metric.

    ``PR(0:x)`` is the percentage of the values above 0 and not above x ("CloudWatch statistics definitions"); alarms take it
    (API reference: PutMetricAlarm, ExtendedStatistic).
    """
    fast = {"fast": (metric_name, f"PR(0:{threshold:.15g})")}
    if in_rollout:
        return Share("100 - fast", fast)
    chance = f"{MARGIN * allowed_percent:g} * requests + {100 * SLOW_BY_CHANCE}"
    return Share(
        f"IF((100 - fast) * requests > {chance}, 100 - fast, 0)",
        {**fast, "requests": (metric_name, "SampleCount")},
    )


def error_share(
    metric_name: str,
    *,
    least: int,
    less: str | None = None,
    others: str | None = None,
    requests: str = "Invocations",
) -> Share:
    """Return the percentage of the requests that a metric counts, 0 for fewer than ``least`` of them.

    ``less`` counts some of the same requests, and is taken away. ``others`` counts the requests that ``metric_name`` does not,
    in place of ``requests``, which counts all: it has no data where there is none.
    """
    queries = {"errors": (metric_name, "Sum")}
    errors, all_requests = "errors", "requests"
    if less is not None:
        queries["less"] = (less, "Sum")
        errors = "(errors - less)"
    queries["requests"] = (others or requests, "Sum")
    if others is not None:
        all_requests = f"(FILL(requests, 0) + {errors})"
    return Share(f"IF({errors} >= {least}, 100 * {errors} / {all_requests}, 0)", queries)


def error_share_of_new_fleet(metric_name: str, *, less: str | None = None) -> Share:
    """Return the percentage of the requests that a metric counts, by averages: no page shows Invocations of a new fleet."""
    queries = {"errors": (metric_name, "Average")}
    if less is None:
        return Share("100 * errors", queries)
    return Share("100 * (errors - less)", {**queries, "less": (less, "Average")})


def hit_share(metric_name: str) -> Share:
    """Return the percentage of the requests that a metric of ones and zeros counts, 100 where fewer than 20 are not."""
    return Share(
        f"IF((1 - hits) * requests >= {MISSES_BY_CHANCE}, 100 * hits, 100)",
        {"hits": (metric_name, "Average"), "requests": (metric_name, "SampleCount")},
    )


def metric_queries(
    share: Share,
    *,
    label: str,
    namespace: str,
    dimensions: Sequence[cloudwatch.CfnAlarm.DimensionProperty],
    period_s: int,
    other_dimensions: Mapping[str, Sequence[cloudwatch.CfnAlarm.DimensionProperty]] = MappingProxyType({}),
) -> list[cloudwatch.CfnAlarm.MetricDataQueryProperty]:
    """Return the queries of an alarm on a share; ``other_dimensions`` are of the ids that have others."""
    return [
        cloudwatch.CfnAlarm.MetricDataQueryProperty(
            id="share", expression=share.expression, label=label, return_data=True
        ),
        *(
            cloudwatch.CfnAlarm.MetricDataQueryProperty(
                id=query_id,
                metric_stat=cloudwatch.CfnAlarm.MetricStatProperty(
                    metric=cloudwatch.CfnAlarm.MetricProperty(
                        namespace=namespace,
                        metric_name=metric_name,
                        dimensions=list(other_dimensions.get(query_id, dimensions)),
                    ),
                    period=period_s,
                    stat=statistic,
                ),
                return_data=False,
            )
            for query_id, (metric_name, statistic) in share.queries.items()
        ),
    ]

"""What people see of a Lambda function: its alias, whatever version is behind it."""

from collections.abc import Iterator

from sizewell.dashboards.graph import Graph, Limit, Reading, Section, Series
from sizewell.dashboards.kind import DashboardKind
from sizewell.dashboards.lines import (
    USUAL_LATENCY,
    alarm_limits,
    line,
    provisioned_concurrency_graph,
    reading,
    requests_graph,
)
from sizewell.facts.billing import SECONDS_PER_MONTH
from sizewell.facts.lambda_functions import NAMESPACE, alias_dimensions
from sizewell.kinds.lambda_function.plan_model import LambdaFunctionPlan
from sizewell.planning.foundation_plan_model import FoundationPlan


def _section(plan: LambdaFunctionPlan, _: FoundationPlan) -> Section:
    return Section(
        title=plan.name,
        text=f"Lambda function {plan.function_name} with {plan.memory_mb:,} MB.",
        graphs=tuple(_graphs(plan)),
    )


def _graphs(plan: LambdaFunctionPlan) -> Iterator[Graph]:
    dimensions = alias_dimensions(plan.function_name)
    average = plan.requests_per_month / SECONDS_PER_MONTH

    def of_alias(name: str, statistic: str) -> Reading:
        return reading(NAMESPACE, name, statistic, dimensions)

    invocations = of_alias("Invocations", "Sum")
    yield requests_graph("requests", [("", invocations, average)])
    yield Graph(
        title="Errors",
        unit="% of requests",
        series=(
            Series(
                label="errors",
                expression="100 * errors / invocations",
                readings={"errors": of_alias("Errors", "Sum"), "invocations": invocations},
                usual=0.1,
            ),
        ),
        limits=alarm_limits(plan.alarms, {"error_rate": "errors"}),
    )
    yield Graph(
        title="Duration",
        unit="ms",
        series=tuple(
            line(percentile, of_alias("Duration", percentile), plan.p95_latency_ms * share)
            for percentile, share in USUAL_LATENCY.items()
        ),
        limits=alarm_limits(plan.alarms, {"duration_p95": "p95", "duration_p99": "p99"}),
    )
    yield Graph(
        title="Concurrency",
        unit="requests at once",
        series=(
            line("at once", of_alias("ConcurrentExecutions", "Maximum"), plan.max_concurrency / 4, swing=0.6),
        ),
        limits=(
            Limit("reserved" if plan.reserves_concurrency else "expected at most", plan.max_concurrency),
        ),
    )
    yield Graph(
        title="Throttled requests",
        unit="in a minute",
        series=(line("throttled", of_alias("Throttles", "Sum"), 0, expression="m * 60 / PERIOD(m)"),),
        limits=alarm_limits(plan.alarms, {"throttles": "throttled"}),
    )
    if plan.provisioned_concurrency is not None:
        busy = of_alias("ProvisionedConcurrencyUtilization", "Maximum")
        yield provisioned_concurrency_graph(busy, plan.scaling)


FACET = DashboardKind(section=_section)

"""What people see of a serverless endpoint: how long workers take to start, and how many are busy."""

from collections.abc import Iterator

from sizewell.dashboards.endpoints import ERRORS, Answering, errors, latency, traffic
from sizewell.dashboards.graph import Graph, Section
from sizewell.dashboards.kind import DashboardKind
from sizewell.dashboards.lines import alarm_limits, line, provisioned_concurrency_graph
from sizewell.facts.billing import SECONDS_PER_MONTH
from sizewell.facts.endpoint_metrics import OF_SERVERLESS, variant_dimensions
from sizewell.kinds.serverless_endpoint.plan_model import ServerlessEndpointPlan
from sizewell.planning.foundation_plan_model import FoundationPlan


def _section(plan: ServerlessEndpointPlan, _: FoundationPlan) -> Section:
    own = Answering(
        label="",
        dimensions=variant_dimensions(plan.endpoint_name, plan.variant_name),
        requests_per_second=plan.requests_per_month / SECONDS_PER_MONTH,
        p95_latency_ms=plan.p95_latency_ms,
        alarms=plan.alarms,
    )
    published = {name: kind for name, kind in ERRORS.items() if kind[1] in OF_SERVERLESS}
    return Section(
        title=plan.name,
        text=f"Serverless endpoint {plan.endpoint_name} with {plan.memory_mb:,} MB.",
        graphs=(traffic((own,)), errors((own,), published), latency((own,)), *_workers(plan, own)),
    )


def _workers(plan: ServerlessEndpointPlan, own: Answering) -> Iterator[Graph]:
    yield Graph(
        title="Start of a worker",
        unit="ms",
        series=(
            line(
                "average",
                own.reading("ModelSetupTime", "Average"),
                1000 * plan.cold_start_s,
                expression="m / 1000",
            ),
        ),
        limits=alarm_limits(plan.alarms, {"model_setup_time": "start"}),
    )
    yield Graph(
        title="Concurrency",
        unit=f"% of {plan.max_concurrency}",
        series=(
            line(
                "busy",
                own.reading("ServerlessConcurrentExecutionsUtilization", "Maximum"),
                30,
                expression="100 * m",
                swing=0.6,
            ),
        ),
        limits=alarm_limits(plan.alarms, {"concurrency_utilization": "concurrency"}),
    )
    yield Graph(
        title="Memory",
        unit="%",
        series=(line("fullest", own.reading("MemoryUtilization", "Maximum"), 50),),
        limits=alarm_limits(plan.alarms, {"memory_utilization": "memory"}),
    )
    if plan.provisioned_concurrency is not None:
        busy = own.reading("ServerlessProvisionedConcurrencyUtilization", "Maximum")
        yield provisioned_concurrency_graph(busy, plan.scaling)


FACET = DashboardKind(section=_section)

"""What people see of a multi-model endpoint: how often a model is loaded first, and how long that takes."""

from sizewell.dashboards.endpoints import answering_variants, endpoint_graphs, endpoint_text
from sizewell.dashboards.graph import Graph, Limit, Section
from sizewell.dashboards.kind import DashboardKind
from sizewell.dashboards.lines import alarm_limits, line
from sizewell.planning.endpoint_plan_model import EndpointPlan, MultiModelPlan
from sizewell.planning.foundation_plan_model import FoundationPlan


def _section(plan: EndpointPlan, _: FoundationPlan) -> Section:
    assert plan.multi_model is not None, "the plan of a multi-model endpoint has its models"
    return Section(
        title=plan.name,
        text=endpoint_text("Multi-model endpoint", plan),
        graphs=(*endpoint_graphs(plan), *_loading(plan, plan.multi_model)),
    )


def _loading(plan: EndpointPlan, models: MultiModelPlan) -> tuple[Graph, Graph, Graph]:
    (own, *_) = answering_variants(plan)
    loaded = models.loaded
    return (
        Graph(
            title="Requests whose model was in memory",
            unit="%",
            series=(
                line(
                    "in memory",
                    own.reading("ModelCacheHit", "Average"),
                    100 * (1 - loaded.miss_share),
                    expression="100 * m",
                    swing=0.02,
                ),
            ),
            limits=alarm_limits(plan.alarms, {"model_cache_hit": "in memory"}),
        ),
        Graph(
            title="Wait for a model",
            unit="ms",
            series=(
                line(
                    "longest",
                    own.reading("ModelLoadingWaitTime", "Maximum"),
                    1000 * loaded.load_s,
                    expression="m / 1000",
                ),
            ),
            limits=alarm_limits(plan.alarms, {"model_loading_wait_time": "wait"}),
        ),
        Graph(
            title="Models in memory",
            unit="of an instance",
            series=(
                line(
                    "models",
                    own.reading("LoadedModelCount", "Average"),
                    min(models.count, loaded.per_instance),
                    swing=0.02,
                ),
            ),
            limits=(Limit("fit in memory", loaded.per_instance),),
        ),
    )


FACET = DashboardKind(section=_section)

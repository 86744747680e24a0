"""The decisions for one serverless endpoint that others do not have: the artifact, the data in and out, the alarms."""

from collections.abc import Iterator

from sizewell.facts.serving_features import Feature, ServedAs
from sizewell.facts.serving_modes import Mode
from sizewell.kinds.serverless_endpoint.config import ServerlessEndpoint
from sizewell.kinds.serverless_endpoint.plan_model import ServerlessEndpointPlan
from sizewell.planning.access import plan_access
from sizewell.planning.alarm_thresholds import (
    CLIENT_ERRORS,
    CONCURRENCY_PERCENT,
    MEMORY_PERCENT,
    error_percent,
    evaluation_faults,
    latency_thresholds_ms,
    percentile_faults,
    stated_alarms,
)
from sizewell.planning.api_gateway import api_gateway_faults
from sizewell.planning.errors import PlanFault
from sizewell.planning.features import ON_DEMAND_FEATURES, Asked
from sizewell.planning.interface_endpoints import services_of_endpoint
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.legality import legality_faults
from sizewell.planning.model_containers import Calls, plan_model_container
from sizewell.planning.name_limits import ENDPOINT_NAME
from sizewell.planning.on_demand_choice import OnDemandChoice, choose, on_demand_needs
from sizewell.planning.on_demand_plan import decided, on_demand_faults

VARIANT_NAME = "primary"
#: A cold start may take this many times what is predicted.
SETUP_OVER_PREDICTED = 2.0


def plan_serverless_endpoint(stated: Stated) -> ServerlessEndpointPlan:
    """Return the plan of a serverless endpoint; raises ``PlanError`` with every need that no memory meets."""
    endpoint: ServerlessEndpoint = stated.workload
    name, policy, catalog, names = stated.name, stated.policy, stated.catalog, stated.names
    needs = on_demand_needs(endpoint, policy, stated.measurements)
    choice = choose(name, endpoint, Mode.SERVERLESS, needs, catalog)
    alarms, alarms_off = stated_alarms(
        endpoint.alarms,
        _default_thresholds(endpoint, choice),
        choice.load.average_requests_per_second,
        instances_report=False,
    )
    return ServerlessEndpointPlan(
        **decided(stated, choice),
        **plan_model_container(endpoint.container, choice.cpu.hardware, names, Calls.of(endpoint.request)),
        access=plan_access(endpoint.access, names.account, needs.endpoint, answer_s=choice.chosen.service_s),
        endpoint_name=names.workload(name),
        variant_name=VARIANT_NAME,
        data_gb_per_request=needs.data_gb_per_request,
        alarms=alarms,
        alarms_off=alarms_off,
    )


def serverless_faults(endpoint: ServerlessEndpoint, plan: ServerlessEndpointPlan) -> Iterator[PlanFault]:
    """Yield what a plan does not allow, or leaves without effect."""
    yield from on_demand_faults(endpoint, endpoint.alarms.provisioned_concurrency_spillover, plan)
    path = ("workloads", plan.name, "alarms")
    yield from evaluation_faults(path, plan.alarms)
    yield from percentile_faults(path, endpoint.alarms, plan.alarms, plan.p95_latency_ms)


def _default_thresholds(endpoint: ServerlessEndpoint, choice: OnDemandChoice) -> dict[str, float | str]:
    chosen = choice.chosen
    provisioned = choice.provisioned(chosen)
    setup_ms = chosen.cold_start_s * 1000 * SETUP_OVER_PREDICTED
    return {
        "server_error_rate": error_percent(endpoint),
        "client_error_rate": CLIENT_ERRORS,
        **latency_thresholds_ms(endpoint.latency),
        "model_setup_time": setup_ms,
        "memory_utilization": MEMORY_PERCENT,
        "concurrency_utilization": CONCURRENCY_PERCENT,
        **({"provisioned_concurrency_spillover": 0.0} if provisioned else {}),
    }


def _plan(stated: Stated) -> Planned:
    plan = plan_serverless_endpoint(stated)
    return plan, (
        *legality_faults(plan, stated.catalog),
        *serverless_faults(stated.workload, plan),
        *api_gateway_faults(stated.name, stated.workload, plan),
    )


FEATURES: tuple[Asked[ServerlessEndpointPlan], ...] = (
    *ON_DEMAND_FEATURES,
    (
        Feature.UNCOMPRESSED_ARTIFACT,
        ("container", "artifact", "compression"),
        lambda plan: plan.artifact_compression == "none",
    ),
    (Feature.MODEL_PACKAGE, ("container", "model_package"), lambda plan: plan.model_package is not None),
)


FACET = PlanKind(
    plan=_plan,
    name=ENDPOINT_NAME,
    served_as=lambda _: ServedAs.SERVERLESS,
    features=FEATURES,
    services=services_of_endpoint,
)

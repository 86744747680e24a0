"""The decisions for one real-time endpoint."""

from sizewell.facts.serving_features import ServedAs
from sizewell.kinds.real_time_endpoint.config import RealTimeEndpoint
from sizewell.kinds.real_time_endpoint.needs import endpoint_requirements
from sizewell.kinds.real_time_endpoint.variants import join_variants
from sizewell.planning.alarm_thresholds import alarm_faults, plan_alarms
from sizewell.planning.api_gateway import api_gateway_faults
from sizewell.planning.endpoint_plan import average_requests_per_second_of, plan_fleet, plan_hosted
from sizewell.planning.endpoint_plan_model import DataCapturePlan, EndpointPlan
from sizewell.planning.features import ENDPOINT_FEATURES
from sizewell.planning.instance_pools import pool_faults
from sizewell.planning.interface_endpoints import services_of_endpoint
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.legality import legality_faults
from sizewell.planning.model_containers import Calls, plan_pipeline
from sizewell.planning.modes import payload_faults
from sizewell.planning.name_limits import ENDPOINT_NAME
from sizewell.planning.remedies import ENDPOINT_REMEDIES
from sizewell.planning.rollout import rollout_faults
from sizewell.planning.workload_plan import INFERENCE_PREFIX


def plan_endpoint(stated: Stated) -> EndpointPlan:
    """Return the plan of an endpoint, on its locked type while that is feasible.

    Raises ``NoFeasibleInstanceError``, ``UnknownInstanceTypeError`` and, of its scaling, ``PlanError``.
    """
    endpoint: RealTimeEndpoint = stated.workload
    name, policy, names = stated.name, stated.policy, stated.names
    needs = endpoint_requirements(endpoint, policy, stated.measurements)
    hosted = plan_hosted(
        stated,
        needs,
        routing=endpoint.routing,
        pools=endpoint.instance_pools,
    )
    average = average_requests_per_second_of(needs, hosted.estimate)
    alarms, alarms_off = plan_alarms(endpoint, endpoint.alarms, hosted.gpu_count, average)
    fleet = plan_fleet(name, endpoint.scaling, endpoint.rollout, hosted, policy, names, alarms)
    return EndpointPlan(
        **hosted.fields,
        **fleet,
        capacity_reservation_arn=endpoint.capacity_reservation_arn,
        alarms=alarms,
        alarms_off=alarms_off,
        data_capture=_plan_data_capture(name, endpoint),
        pipeline=plan_pipeline(endpoint.pipeline, hosted.instance_type, names, Calls.of(endpoint.request)),
    )


def _plan_data_capture(name: str, endpoint: RealTimeEndpoint) -> DataCapturePlan | None:
    stated = endpoint.data_capture
    if stated is None:
        return None
    return DataCapturePlan(
        prefix=f"{INFERENCE_PREFIX}{name}/captured/",
        sampling_percent=stated.sampling_percent,
        capture=tuple(what for what in ("input", "output") if what in stated.capture),
        json_content_types=stated.json_content_types or (),
        csv_content_types=stated.csv_content_types or (),
    )


def _plan(stated: Stated) -> Planned:
    plan = plan_endpoint(stated)
    return plan, (
        *payload_faults(stated.name, stated.workload, stated.policy),
        *legality_faults(plan, stated.catalog),
        *pool_faults(stated.name, plan.provisioned_pools),
        *rollout_faults(stated.name, stated.workload.rollout, plan),
        *alarm_faults(stated.workload.alarms, plan),
        *api_gateway_faults(stated.name, stated.workload, plan),
    )


FACET = PlanKind(
    plan=_plan,
    name=ENDPOINT_NAME,
    remedies=lambda _: ENDPOINT_REMEDIES,
    served_as=lambda plan: ServedAs.PIPELINE if plan.pipeline else ServedAs.REAL_TIME,
    features=ENDPOINT_FEATURES,
    services=services_of_endpoint,
    join=join_variants,
    needs=endpoint_requirements,
)

"""How a real-time endpoint is planned."""

from sizewell.planning.alarm_thresholds import alarm_faults
from sizewell.planning.api_gateway import api_gateway_faults
from sizewell.planning.endpoint_plan import plan_endpoint
from sizewell.planning.instance_pools import pool_faults
from sizewell.planning.kind import PlanKind, Planned, Stated
from sizewell.planning.legality import legality_faults
from sizewell.planning.modes import payload_faults
from sizewell.planning.name_limits import ENDPOINT_NAME
from sizewell.planning.remedies import ENDPOINT_REMEDIES
from sizewell.planning.rollout import rollout_faults


def _plan(stated: Stated) -> Planned:
    plan = plan_endpoint(*stated.planning_inputs, stated.locked, stated.measurements)
    return plan, (
        *payload_faults(stated.name, stated.workload, stated.policy),
        *legality_faults(plan, stated.catalog),
        *pool_faults(stated.name, plan.provisioned_pools),
        *rollout_faults(stated.name, stated.workload.rollout, plan),
        *alarm_faults(stated.workload, plan),
        *api_gateway_faults(stated.name, stated.workload, plan),
    )


FACET = PlanKind(rank=1, plan=_plan, name=ENDPOINT_NAME, remedies=lambda _: ENDPOINT_REMEDIES)

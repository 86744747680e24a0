"""How an endpoint in any mode is planned: as the kind that builds the mode which is taken for it."""

from dataclasses import replace

from sizewell.planning.errors import PlanError
from sizewell.planning.kind import PlanKind, Planned, Stated, plan_workload
from sizewell.planning.mode_kinds import stated_in_mode
from sizewell.planning.modes import compare_endpoint_modes, no_mode_faults, under_lock
from sizewell.planning.name_limits import ENDPOINT_NAME
from sizewell.planning.remedies import ENDPOINT_REMEDIES


def _plan(stated: Stated) -> Planned:
    endpoint = stated.workload
    modes = compare_endpoint_modes(
        endpoint, stated.policy, stated.catalog, stated.measurements, stated.locked
    )
    if modes.chosen is None:
        raise PlanError(tuple(no_mode_faults(stated.name, endpoint, modes)))
    modes = under_lock(endpoint, modes, stated.locked)
    plan, faults = plan_workload(replace(stated, workload=stated_in_mode(endpoint, modes)))
    return plan.model_copy(update={"modes": modes}), faults


FACET = PlanKind(rank=13, plan=_plan, name=ENDPOINT_NAME, remedies=lambda _: ENDPOINT_REMEDIES)

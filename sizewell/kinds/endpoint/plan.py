"""How an endpoint in any mode is planned: as the kind that builds the mode which is taken for it."""

from collections.abc import Iterator
from dataclasses import replace

from sizewell.facts.interface_endpoints import FUNCTIONS
from sizewell.kinds.endpoint.config import KIND_OF_MODE, ModeEndpoint
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.interface_endpoints import services_of_endpoint
from sizewell.planning.kind import PlanKind, Planned, Stated, plan_workload
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.mode_kinds import stated_in_mode
from sizewell.planning.modes import AUTO, compare_endpoint_modes, mode_fault
from sizewell.planning.name_limits import ENDPOINT_NAME
from sizewell.planning.remedies import ENDPOINT_REMEDIES
from sizewell.serving_modes import Mode, ModeComparison

#: What a kind states beyond an endpoint, where a mode is no less than a kind of its own.
_MORE = {
    "batch": "data says what one run transforms, and deadline_hours by when",
    "multi-model": "models says how many there are, and container.artifact.key is the prefix that all of them lie below",
}


def under_lock(
    endpoint: ModeEndpoint, comparison: ModeComparison, locked: LockedWorkload | None
) -> ModeComparison:
    """Return the comparison with the mode of the lock as its choice, where the plan may choose and that mode will do.

    Another mode is another endpoint: a price that moved must not exchange one for the other.
    """
    if endpoint.mode != AUTO or locked is None or comparison.chosen is None:
        return comparison
    kept = comparison.option(Mode.ASYNCHRONOUS if locked.kind else Mode.REAL_TIME)
    free = comparison.chosen
    if not kept.eligible or kept.mode is free.mode:
        return comparison
    why = f"lock: {kept.mode} is kept; without the lock it would be {free.mode}"
    return comparison.model_copy(update={"chosen": kept, "why": why})


def no_mode_faults(name: str, endpoint: ModeEndpoint, comparison: ModeComparison) -> Iterator[PlanFault]:
    """Yield why no mode can serve an endpoint, or not the one that it asks for."""
    path = ("workloads", name, "mode")
    if endpoint.mode == AUTO:
        reasons = [
            f"{o.mode}: {o.misses[0].requirement}: {o.misses[0].reason}"
            for o in comparison.options
            if o.misses
        ]
        yield PlanFault(path, "\n".join([comparison.why, *reasons]), "change one of these needs")
        return
    mode = Mode(endpoint.mode)
    misses = comparison.option(mode).misses
    yield from (mode_fault(name, mode, miss) for miss in misses)
    if not misses and mode is Mode.LAMBDA:
        yield PlanFault(
            path,
            "lambda meets every need, but an image starts there only with the Lambda runtime interface, and nothing says that "
            "container.images.cpu_x86_64 has it",
            "write lambda_runtime: true where it has; the images of AWS do not have it",
        )
    elif not misses and endpoint.mode in KIND_OF_MODE:
        kind = KIND_OF_MODE[endpoint.mode]
        yield PlanFault(
            path,
            f"{mode} meets every need, but is built from more than an endpoint states",
            f"write kind: {kind}; {_MORE[endpoint.mode]}",
        )
    elif not misses:
        yield PlanFault(path, f"{mode} is compared, but not built yet", "write mode: auto")


def _plan(stated: Stated) -> Planned:
    endpoint = stated.workload
    modes = compare_endpoint_modes(
        endpoint, stated.policy, stated.catalog, stated.measurements, stated.locked
    )
    if modes.chosen is None:
        raise PlanError(tuple(no_mode_faults(stated.name, endpoint, modes)))
    modes = under_lock(endpoint, modes, stated.locked)
    assert modes.chosen is not None
    plan, faults = plan_workload(replace(stated, workload=stated_in_mode(endpoint, modes.chosen.mode, modes)))
    return plan.model_copy(update={"modes": modes}), faults


def _services(endpoint: ModeEndpoint) -> Iterator[str]:
    if endpoint.lambda_runtime:
        yield FUNCTIONS
    yield from services_of_endpoint(endpoint)


FACET = PlanKind(plan=_plan, name=ENDPOINT_NAME, remedies=lambda _: ENDPOINT_REMEDIES, services=_services)

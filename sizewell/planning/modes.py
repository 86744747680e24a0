"""The comparison of serving modes in the plan of an endpoint."""

from collections.abc import Iterator

from sizewell.config.endpoint import KIND_OF_MODE, RealTimeEndpoint
from sizewell.config.policy import Policy
from sizewell.instance_selection import (
    Catalog,
    EndpointEstimate,
    Measurement,
    NoFeasibleInstanceError,
    Selection,
    select_endpoint_instance,
)
from sizewell.instance_selection.latency_bounds import BOUNDS as LATENCY_BOUNDS
from sizewell.instance_selection.modes import Mode, ModeComparison, ModeMiss, ModeNeeds
from sizewell.instance_selection.modes.misses import payload_misses
from sizewell.planning.digests import needs_digest
from sizewell.planning.errors import PlanFault
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.locked_selection import select_under_lock
from sizewell.planning.plan import DeploymentPlan
from sizewell.planning.translate import endpoint_requirements

AUTO = "auto"
#: The key that answers for a requirement, relative to the workload; the others answer with the mode itself.
_KEYS = {
    "payload": ("request", "payload_mb"),
    "response": ("request", "response_mb"),
}
#: What to write when a requirement stands in the way, where there is something to write.
REMEDIES = {
    "answer": "latency.max_wait_minutes says how much later it may come",
    "engine": "write another engine",
    "image": "add an image under container.images.cpu_x86_64",
    "isolation": "container.network_isolation: false lets the container make outgoing calls",
    **{bound.filter: f"raise latency.{bound.key}" for bound in LATENCY_BOUNDS},
    "models": "similar_models says how many could share it",
    "payload": "batch takes 100 MB, asynchronous 1 GB, where latency.max_wait_minutes allows them",
    "response": "batch takes 100 MB, asynchronous 1 GB, where latency.max_wait_minutes allows them",
    "wait": "raise latency.max_wait_minutes",
}


def mode_needs(
    endpoint: RealTimeEndpoint, policy: Policy, measurements: tuple[Measurement, ...] = ()
) -> ModeNeeds:
    """Return what decides between modes."""
    return ModeNeeds(
        endpoint=endpoint_requirements(endpoint, policy, measurements),
        payload_mb=endpoint.request.payload_mb,
        response_mb=endpoint.request.response_mb,
        active_hours_per_day=endpoint.traffic.active_hours_per_day,
        max_wait_minutes=endpoint.latency.max_wait_minutes,
        similar_models=endpoint.similar_models,
        network_isolation=endpoint.container.network_isolation,
    )


def compare_endpoint_modes(
    endpoint: RealTimeEndpoint,
    policy: Policy,
    catalog: Catalog,
    measurements: tuple[Measurement, ...] = (),
    locked: LockedWorkload | None = None,
) -> ModeComparison:
    """Return all modes for an endpoint, beside its real-time pick under the lock.

    Raises ``UnknownInstanceTypeError`` when the configuration names a type that does not exist.
    """
    if endpoint.instances.instance_type is not None:
        catalog.get(endpoint.instances.instance_type)
    needs = endpoint_requirements(endpoint, policy, measurements)
    digest = needs_digest(needs, region=policy.region)
    try:
        selection, _ = select_under_lock(select_endpoint_instance, needs, catalog, locked, digest)
    except NoFeasibleInstanceError:
        return _compare(endpoint, policy, catalog, measurements, None)
    return _compare(endpoint, policy, catalog, measurements, selection)


def plan_modes(
    endpoint: RealTimeEndpoint,
    policy: Policy,
    catalog: Catalog,
    selection: Selection[EndpointEstimate],
    measurements: tuple[Measurement, ...] = (),
) -> ModeComparison | None:
    """Return the comparison for the plan; None where the configuration leaves the mode at real-time."""
    if endpoint.mode == Mode.REAL_TIME.value:
        return None
    return _compare(endpoint, policy, catalog, measurements, selection)


def mode_faults(
    name: str, endpoint: RealTimeEndpoint, policy: Policy, comparison: ModeComparison | None
) -> Iterator[PlanFault]:
    """Yield why the mode that the configuration asks for cannot serve the endpoint."""
    if comparison is None:
        for miss in payload_misses(Mode.REAL_TIME, mode_needs(endpoint, policy)):
            yield _fault(name, Mode.REAL_TIME, miss)
    elif comparison.chosen is None and endpoint.mode != AUTO:
        option = comparison.option(Mode(endpoint.mode))
        yield from (_fault(name, option.mode, miss) for miss in option.misses)
    elif comparison.chosen is None:
        misses = [f"{o.mode}: {o.misses[0].requirement}: {o.misses[0].reason}" for o in comparison.options]
        yield PlanFault(
            ("workloads", name, "mode"), "\n".join([comparison.why, *misses]), "change one of these needs"
        )


def synth_faults(plan: DeploymentPlan) -> Iterator[PlanFault]:
    """Yield every endpoint whose mode is not built: of this kind, only real-time endpoints are."""
    for endpoint in plan.endpoints:
        modes = endpoint.modes
        if modes is None or modes.chosen is None or modes.chosen.mode is Mode.REAL_TIME:
            continue
        kind = KIND_OF_MODE.get(modes.chosen.mode.value)
        hint = f"write kind: {kind}" if kind else "write mode: real-time, which is built"
        cost, real_time = modes.chosen.usd_per_month, modes.option(Mode.REAL_TIME).usd_per_month
        if cost is not None and real_time is not None and cost < real_time:
            share = f", as {modes.chosen.share}" if modes.chosen.share else ""
            hint += f"; {modes.chosen.mode} would save {real_time - cost:,.2f} USD of {real_time:,.2f} a month{share}"
        yield PlanFault(
            ("workloads", endpoint.name, "mode"),
            f"{modes.why}, but "
            + ("is a kind of its own" if kind else "synth builds real-time endpoints only"),
            f"{hint}; all modes: sizewell modes {endpoint.name} --env {plan.environment}",
        )


def _compare(
    endpoint: RealTimeEndpoint,
    policy: Policy,
    catalog: Catalog,
    measurements: tuple[Measurement, ...],
    selection: Selection[EndpointEstimate] | None,
) -> ModeComparison:
    from sizewell.instance_selection.modes import compare_modes  # only here: most plans compare nothing

    asked = None if endpoint.mode == AUTO else Mode(endpoint.mode)
    needs = mode_needs(endpoint, policy, measurements)
    return compare_modes(needs, catalog, asked=asked, selection=selection)


def _fault(name: str, mode: Mode, miss: ModeMiss) -> PlanFault:
    key = _KEYS.get(miss.requirement, ("mode",))
    remedy = REMEDIES.get(miss.requirement, "write mode: auto, or another mode")
    return PlanFault(
        ("workloads", name, *key),
        f"{mode} does not meet {miss.requirement}: {miss.reason}",
        f"{remedy}; what each mode can do: sizewell modes {name}",
    )

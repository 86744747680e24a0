"""The comparison of serving modes in the plan of an endpoint."""

from collections.abc import Iterator
from contextlib import suppress

from sizewell.config.endpoint import EndpointNeeds, RealTimeEndpoint
from sizewell.config.mode_endpoint import KIND_OF_MODE, ModeEndpoint
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
from sizewell.planning.mode_kinds import built_modes, real_time
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
    "artifact": "pack the artifact as model.tar.gz, with container.artifact.compression: gzip",
    "engine": "write another engine",
    "image": "add an image under container.images.cpu_x86_64",
    "isolation": "container.network_isolation: false lets the container make outgoing calls",
    **{bound.filter: f"raise latency.{bound.key}" for bound in LATENCY_BOUNDS},
    "model-package": "write image and artifact in place of container.model_package",
    "models": "similar_models says how many could share it",
    "payload": "batch takes 100 MB, asynchronous 1 GB, where latency.max_wait_minutes allows them",
    "response": "batch takes 100 MB, asynchronous 1 GB, where latency.max_wait_minutes allows them",
    "serial-pipeline": "put the steps into the image of the model",
    "wait": "raise latency.max_wait_minutes",
}
#: What a kind states beyond an endpoint, where a mode is no less than a kind of its own.
_MORE = {
    "batch": "data says what one run transforms, and deadline_hours by when",
    "multi-model": "models says how many there are, and container.artifact.key is the prefix that all of them lie below",
}


def mode_needs(
    endpoint: RealTimeEndpoint,
    policy: Policy,
    measurements: tuple[Measurement, ...] = (),
    *,
    similar_models: int = 1,
) -> ModeNeeds:
    """Return what decides between modes."""
    return ModeNeeds(
        endpoint=endpoint_requirements(endpoint, policy, measurements),
        payload_mb=endpoint.request.payload_mb,
        response_mb=endpoint.request.response_mb,
        active_hours_per_day=endpoint.traffic.active_hours_per_day,
        max_wait_minutes=endpoint.latency.max_wait_minutes,
        similar_models=similar_models,
        network_isolation=endpoint.container.network_isolation,
        packed_artifact=endpoint.container.artifact is None or endpoint.container.artifact.is_archive,
        artifact_gib=endpoint.container.artifact_gib,
        model_package=endpoint.container.model_package is not None,
    )


def compare_endpoint_modes(
    endpoint: EndpointNeeds,
    policy: Policy,
    catalog: Catalog,
    measurements: tuple[Measurement, ...] = (),
    locked: LockedWorkload | None = None,
) -> ModeComparison:
    """Return all modes for an endpoint, beside its real-time pick under the lock.

    Raises ``UnknownInstanceTypeError`` when the configuration names a type that does not exist.
    """
    from sizewell.instance_selection.modes import compare_modes  # only here: most plans compare nothing

    if endpoint.instances.instance_type is not None:
        catalog.get(endpoint.instances.instance_type)
    similar_models = endpoint.similar_models if isinstance(endpoint, ModeEndpoint) else 1
    stated = endpoint.mode if isinstance(endpoint, ModeEndpoint) else Mode.REAL_TIME.value
    needs = mode_needs(real_time(endpoint), policy, measurements, similar_models=similar_models)
    digest = needs_digest(needs.endpoint, region=policy.region)
    selection: Selection[EndpointEstimate] | None = None
    with suppress(NoFeasibleInstanceError):
        selection, _ = select_under_lock(select_endpoint_instance, needs.endpoint, catalog, locked, digest)
    asked = None if stated == AUTO else Mode(stated)
    comparison = compare_modes(needs, catalog, asked=asked, among=built_modes(endpoint), selection=selection)
    if not isinstance(endpoint, RealTimeEndpoint) or not endpoint.beside():
        return comparison
    alone = "the endpoint's own model answers every request: its variants and its shadow are left out"
    return comparison.model_copy(update={"assumptions": (*comparison.assumptions, alone)})


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


def payload_faults(name: str, endpoint: RealTimeEndpoint, policy: Policy) -> Iterator[PlanFault]:
    """Yield what of a request or an answer a real-time endpoint does not take."""
    for miss in payload_misses(Mode.REAL_TIME, mode_needs(endpoint, policy)):
        yield _fault(name, Mode.REAL_TIME, miss)


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
    yield from (_fault(name, mode, miss) for miss in misses)
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


def _fault(name: str, mode: Mode, miss: ModeMiss) -> PlanFault:
    key = _KEYS.get(miss.requirement, ("mode",))
    remedy = REMEDIES.get(miss.requirement, "write mode: auto, or another mode")
    return PlanFault(
        ("workloads", name, *key),
        f"{mode} does not meet {miss.requirement}: {miss.reason}",
        f"{remedy}; what each mode can do: sizewell modes {name}",
    )

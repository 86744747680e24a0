"""The comparison of serving modes in the plan of an endpoint."""

from collections.abc import Iterator
from contextlib import suppress

from sizewell.config.endpoint import EndpointNeeds
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
from sizewell.planning.digests import needs_digest
from sizewell.planning.errors import PlanFault
from sizewell.planning.kind import needs_of
from sizewell.planning.lock import LockedWorkload
from sizewell.planning.locked_selection import select_under_lock
from sizewell.planning.mode_kinds import built_modes, stated_in_mode
from sizewell.serving_modes import Mode, ModeComparison, ModeMiss, ModeNeeds
from sizewell.serving_modes.misses import payload_misses

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


def mode_needs(
    endpoint: EndpointNeeds, policy: Policy, measurements: tuple[Measurement, ...] = ()
) -> ModeNeeds:
    """Return what decides between modes."""
    real_time = stated_in_mode(endpoint, Mode.REAL_TIME)
    return ModeNeeds(
        endpoint=needs_of(real_time, policy, measurements),
        payload_mb=endpoint.request.payload_mb,
        response_mb=endpoint.request.response_mb,
        active_hours_per_day=endpoint.traffic.active_hours_per_day,
        max_wait_minutes=endpoint.latency.max_wait_minutes,
        similar_models=endpoint.models_alike,
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
    from sizewell.serving_modes import compare_modes  # only here: most plans compare nothing

    if endpoint.instances.instance_type is not None:
        catalog.get(endpoint.instances.instance_type)
    needs = mode_needs(endpoint, policy, measurements)
    digest = needs_digest(needs.endpoint, region=policy.region)
    selection: Selection[EndpointEstimate] | None = None
    with suppress(NoFeasibleInstanceError):
        selection, _ = select_under_lock(select_endpoint_instance, needs.endpoint, catalog, locked, digest)
    asked = None if endpoint.asked_mode == AUTO else Mode(endpoint.asked_mode)
    comparison = compare_modes(needs, catalog, asked=asked, among=built_modes(endpoint), selection=selection)
    if len(endpoint.apart("")) == 1:
        return comparison
    alone = "the endpoint's own model answers every request: its variants and its shadow are left out"
    return comparison.model_copy(update={"assumptions": (*comparison.assumptions, alone)})


def payload_faults(name: str, endpoint: EndpointNeeds, policy: Policy) -> Iterator[PlanFault]:
    """Yield what of a request or an answer a real-time endpoint does not take."""
    for miss in payload_misses(Mode.REAL_TIME, mode_needs(endpoint, policy)):
        yield mode_fault(name, Mode.REAL_TIME, miss)


def mode_fault(name: str, mode: Mode, miss: ModeMiss) -> PlanFault:
    """Return the fault of a need that a mode does not meet."""
    key = _KEYS.get(miss.requirement, ("mode",))
    remedy = REMEDIES.get(miss.requirement, "write mode: auto, or another mode")
    return PlanFault(
        ("workloads", name, *key),
        f"{mode} does not meet {miss.requirement}: {miss.reason}",
        f"{remedy}; what each mode can do: sizewell modes {name}",
    )

"""What is decided alike for a model on instances of EC2, whatever places its containers there: one container on each instance.

A container asks for what the least of the types leaves that take each other's place, and scales by what the slowest carries.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sizewell.config.policy import Policy
from sizewell.instance_selection import (
    Catalog,
    EndpointRequirements,
    HardwareKind,
    Measurement,
    select_endpoint_instance,
)
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.planning.digests import needs_digest
from sizewell.planning.endpoint_plan import (
    Hosted,
    artifact_size_gib,
    average_requests_per_second_of,
    batching_variables_of,
    startup_timeout_s,
)
from sizewell.planning.engines import engine_assumptions
from sizewell.planning.errors import PlanError, PlanFault
from sizewell.planning.kind import Stated, needs_of
from sizewell.planning.locked_selection import locked_pools, select_under_lock
from sizewell.planning.model_containers import Calls, container_assumptions, plan_model_container
from sizewell.planning.model_spec import model_assumptions
from sizewell.planning.names import stated_keys
from sizewell.planning.workload_plan import AlarmPlan
from sizewell.targets.ec2_types import alike, check_pinned, on_ec2
from sizewell.targets.serving.plan_model import ReplicaScalingPlan


@dataclass(frozen=True)
class ServedOnEc2:
    """The decisions."""

    hosted: Hosted
    types: tuple[InstanceType, ...]
    """Of the catalog that they were chosen from, the chosen one first."""
    kind: HardwareKind
    artifact_gib: float
    timeout_s: int
    """How long an answer may take."""
    average_requests_per_second: float
    fields: Mapping[str, Any]
    """Of the plan, whatever runs it, and whoever waits for the answers."""


@dataclass(frozen=True, kw_only=True)
class Replicas:
    """How many containers there are, how long each may work on an answer, and what tells people of them."""

    average_count: int
    """At average load."""
    scaling: ReplicaScalingPlan | None
    """None where the number is fixed."""
    alarms: Mapping[str, AlarmPlan]
    max_concurrent_requests: int
    longest_answer_s: int

    @property
    def initial_count(self) -> int:
        """Containers at average load, within their bounds."""
        return (
            min(self.average_count, self.scaling.max_instance_count) if self.scaling else self.average_count
        )

    @property
    def most(self) -> int:
        """The largest number of containers, but for updates."""
        return self.scaling.max_instance_count if self.scaling else self.initial_count

    @property
    def fields(self) -> dict[str, Any]:
        """Of the plan."""
        return {
            "initial_instance_count": self.initial_count,
            "max_concurrent_requests": self.max_concurrent_requests,
            "scaling": self.scaling,
            "alarms": dict(self.alarms),
        }


def ec2_requirements(
    endpoint: Any, policy: Policy, measurements: tuple[Measurement, ...] = ()
) -> EndpointRequirements:
    """Return the needs of an endpoint on instances of EC2."""
    needs: EndpointRequirements = needs_of(endpoint, policy, measurements)
    return on_ec2(needs)


def serve_on_ec2(
    stated: Stated,
    needs: EndpointRequirements,
    catalog: Catalog,
    *assumptions: str,
    watched: Sequence[str],
) -> ServedOnEc2:
    """Return the decisions for a workload in ``stated.cluster``, whose instances are those of a catalog.

    ``watched`` are the alarms whose metrics are there.

    Raises ``NoFeasibleInstanceError`` and, of its type and alarms, ``PlanError``.
    """
    endpoint, policy, names = stated.workload, stated.policy, stated.names
    check_pinned(stated.name, needs.limits.instance_type, catalog)
    if found := tuple(_unwatched(stated, watched)):
        raise PlanError(found)
    digest = needs_digest(needs, region=policy.region, target=stated.cluster.type)
    selection, lock = select_under_lock(select_endpoint_instance, needs, catalog, stated.locked, digest)
    candidates = alike(selection, catalog, locked_pools(stated.locked, lock))
    types = tuple(catalog.get(candidate.instance_type) for candidate in candidates)
    chosen = types[0]
    kind = hardware_kind(chosen)
    assert kind is not None, "the selection has an image for it"
    calls = Calls.of(endpoint.request, needs.queue)
    container = plan_model_container(endpoint.container, kind, names, calls)
    artifact_gib = artifact_size_gib(endpoint.container, needs.model)
    hosted = Hosted(
        needs,
        selection,
        tuple(candidate.estimate for candidate in candidates),
        chosen,
        min(instance_type.vcpus for instance_type in types),
        chosen.accelerator_count if kind is HardwareKind.CUDA else 0,
        startup_timeout_s(artifact_gib),
        {},
    )
    batching, batching_assumptions = batching_variables_of(
        endpoint, kind, selection.chosen.estimate.replicas_per_instance, calls.timeout_s
    )
    average = average_requests_per_second_of(needs, hosted.estimate)
    told = (
        *selection.assumptions,
        *batching_assumptions,
        *model_assumptions(endpoint.model),
        *engine_assumptions(endpoint),
        *container_assumptions(endpoint.container, kind, calls),
        *assumptions,
    )
    fields = {
        **stated_keys(stated.name, endpoint, names),
        "instance_type": chosen.name,
        "image": container["image"],
        "artifact_key": container["artifact_key"],
        "artifact_compression": container["artifact_compression"],
        "environment": dict(sorted((batching | container["environment"]).items())),
        "network_isolation": container["network_isolation"],
        "average_requests_per_second": average,
        "instance_pools": tuple(instance_type.name for instance_type in types),
        "selection": selection.model_copy(update={"assumptions": told}),
        "needs_digest": digest,
        "lock": lock,
    }
    return ServedOnEc2(hosted, types, kind, artifact_gib, calls.timeout_s, average, fields)


def _unwatched(stated: Stated, watched: Sequence[str]) -> Iterator[PlanFault]:
    """Yield the alarms that are asked for, and that nothing counts in a cluster."""
    alarms = stated.workload.alarms
    for name in type(alarms).model_fields:
        if name not in watched and getattr(alarms, name).stated - {"off_because"}:
            yield PlanFault(
                ("workloads", stated.name, "alarms", name),
                "has no effect in a cluster: no metric of it is there",
                f"remove it; there are: {', '.join(watched)}",
            )

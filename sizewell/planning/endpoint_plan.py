"""The decisions that every endpoint on instances shares."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sizewell.config.container import ServingContainer
from sizewell.config.instance_pools import InstancePools
from sizewell.config.policy import Policy
from sizewell.config.rollout import Rollout
from sizewell.config.scaling import Scaling
from sizewell.config.served_model import EndpointOnInstances, ModelOnInstances
from sizewell.config.variant_names import SHADOW, variant_of
from sizewell.facts.batching import batching_variables
from sizewell.facts.production_variants import STARTUP_TIMEOUT_BOUNDS_S, RoutingStrategy
from sizewell.instance_selection import (
    EndpointRequirements,
    HardwareKind,
    ModelSpec,
    Selection,
    select_endpoint_instance,
)
from sizewell.instance_selection.catalog import InstanceType
from sizewell.instance_selection.estimation.hardware import hardware_kind
from sizewell.instance_selection.results import EndpointEstimate
from sizewell.planning.access import plan_access
from sizewell.planning.digests import needs_digest
from sizewell.planning.endpoint_plan_model import ProvisionedPoolsPlan
from sizewell.planning.engines import engine_assumptions
from sizewell.planning.instance_pools import endpoint_pools, provisioned_candidates
from sizewell.planning.kind import Stated
from sizewell.planning.locked_selection import locked_pools, select_under_lock
from sizewell.planning.model_containers import (
    Calls,
    container_assumptions,
    plan_model_container,
)
from sizewell.planning.model_spec import model_assumptions
from sizewell.planning.names import Names, composite_alarm_name, stated_keys
from sizewell.planning.rollout import plan_rollout, rollback_alarms
from sizewell.planning.scaling import plan_scaling
from sizewell.planning.translate import image_for
from sizewell.planning.volumes import endpoint_volume_size_gib, has_local_disks
from sizewell.planning.workload_plan import AlarmPlan

#: Loading: a base for the container's start, and a slow download of the artifact (0.1 GiB/s). Time costs nothing until a start
#: fails, and a start that is cut off fails for good.
BASE_TIMEOUT_S = 1800
TIMEOUT_S_PER_GIB = 10
GIB = 2**30


@dataclass(frozen=True)
class Hosted:
    """What is decided alike for every endpoint on instances, whoever waits for its answers."""

    needs: EndpointRequirements
    selection: Selection[EndpointEstimate]
    fleet: tuple[EndpointEstimate, ...]
    """Of the chosen type, and of each other that SageMaker may take in its place."""
    instance_type: InstanceType
    vcpu_count: int
    """Of one instance; of several types the fewest."""
    gpu_count: int
    """NVIDIA GPUs of one instance."""
    startup_timeout_s: int
    fields: Mapping[str, Any]
    """Of the plan."""

    @property
    def estimate(self) -> EndpointEstimate:
        """Of the chosen type."""
        return self.selection.chosen.estimate

    @property
    def capacity_requests_per_second(self) -> float:
        """What any instance of the fleet carries: that of the slowest type."""
        return min(estimate.capacity_requests_per_second for estimate in self.fleet)

    @property
    def instances_at_peak(self) -> int:
        """How many instances carry the peak, whatever their types."""
        return max(estimate.instances_at_peak for estimate in self.fleet)


def plan_hosted(
    stated: Stated,
    needs: EndpointRequirements,
    *,
    routing: RoutingStrategy | None = None,
    pools: InstancePools | None = None,
) -> Hosted:
    """Return the type, on the lock while that is feasible, and what follows from it and from the container.

    ``routing`` and ``pools`` are as stated, of kinds that have them.
    Raises ``NoFeasibleInstanceError`` and ``UnknownInstanceTypeError``.
    """
    endpoint: EndpointOnInstances = stated.workload
    name, policy, catalog, names = stated.name, stated.policy, stated.catalog, stated.names
    if needs.limits.instance_type is not None:
        catalog.get(needs.limits.instance_type)
    digest = needs_digest(needs, region=policy.region)
    selection, lock = select_under_lock(select_endpoint_instance, needs, catalog, stated.locked, digest)
    chosen = catalog.get(selection.chosen.instance_type)
    kind = hardware_kind(chosen)
    assert kind is not None
    calls = Calls.of(endpoint.request, needs.queue)
    container = plan_model_container(endpoint.container, kind, names, calls)
    artifact_gib = artifact_size_gib(endpoint.container, needs.model) + needs.pipeline_disk_gib
    timeout_s = startup_timeout_s(artifact_gib)
    batching_environment, batching_assumptions = batching_variables_of(
        endpoint, kind, selection.chosen.estimate.replicas_per_instance, calls.timeout_s
    )
    local_disks = has_local_disks(chosen)
    instance_pools = endpoint_pools(selection, catalog, locked_pools(stated.locked, lock))
    provisioned = (
        provisioned_candidates(selection, catalog, instance_pools, pools.max_types)
        if pools
        else (selection.chosen,)
    )
    types = [catalog.get(candidate.instance_type) for candidate in provisioned]
    vcpu_count = min(instance_type.vcpus for instance_type in types)
    gpu_count = min(one.accelerator_count for one in types) if kind is HardwareKind.CUDA else 0
    assumptions = (
        *selection.assumptions,
        *batching_assumptions,
        *model_assumptions(endpoint.model),
        *engine_assumptions(endpoint),
        *container_assumptions(endpoint.container, kind, calls),
    )
    return Hosted(
        needs,
        selection,
        tuple(candidate.estimate for candidate in provisioned),
        chosen,
        vcpu_count,
        gpu_count,
        timeout_s,
        {
            "kind": endpoint.kind,
            **stated_keys(name, endpoint, names),
            "endpoint_name": names.workload(name),
            "composite_alarm_name": composite_alarm_name(policy, names, name),
            "variant_name": variant_of(name),
            "instance_type": chosen.name,
            "provisioned_pools": ProvisionedPoolsPlan(
                instance_types=tuple(one.name for one in types),
                provision_timeout_s=pools.provision_timeout_s,
            )
            if pools
            else None,
            "vcpu_count": vcpu_count,
            "gpu_count": gpu_count,
            **container,
            "environment": dict(sorted((batching_environment | container["environment"]).items())),
            "volume_size_gib": None if local_disks else endpoint_volume_size_gib(artifact_gib),
            "encrypt_volume_with_key": not local_disks,
            "inference_ami_version": getattr(
                endpoint.container.images.by_hardware().get(kind), "inference_ami_version", None
            ),
            "access": plan_access(
                endpoint.access,
                names.account,
                needs,
                answer_s=selection.chosen.estimate.service_time_ms / 1000,
                streams=endpoint.streams,
            ),
            "routing": routing,
            "detailed_metrics": endpoint.detailed_metrics,
            "model_data_download_timeout_s": timeout_s,
            "container_startup_health_check_timeout_s": timeout_s,
            "selection": selection.model_copy(update={"assumptions": assumptions}),
            "instance_pools": instance_pools,
            "needs_digest": digest,
            "lock": lock,
        },
    )


def plan_fleet(
    name: str,
    scaling_stated: Scaling,
    rollout_stated: Rollout | None,
    hosted: Hosted,
    policy: Policy,
    names: Names,
    alarms: Mapping[str, AlarmPlan],
) -> dict[str, Any]:
    """Return how many instances there are, how their number changes, and how a new fleet takes over, by the names of the plan.

    Raises ``PlanError``, of the scaling.
    """
    needs, variant_name = hosted.needs, variant_of(name)
    scaling = None
    # No page that we read says that a shadow may be autoscaled.
    if variant_name != SHADOW:
        scaling = plan_scaling(
            scaling_stated,
            hosted,
            policy,
            workload=name,
            endpoint_name=names.workload(name),
            variant_name=variant_name,
        )
    instance_count = hosted.estimate.instances_at_average
    if scaling is not None:
        instance_count = min(instance_count, scaling.max_instance_count)
    fewest_instances = scaling.fewest_instances if scaling else needs.min_instances
    average = average_requests_per_second_of(needs, hosted.estimate)
    rollout = None
    if fewest_instances > 1 or rollout_stated:
        rollout = plan_rollout(
            hosted.instance_type,
            instance_count,
            hosted.startup_timeout_s,
            alarms,
            average,
            rollout_stated,
        )
    return {
        "initial_instance_count": instance_count,
        "average_requests_per_second": average,
        "scaling": scaling,
        "rollout": rollout,
        "rollback_alarms": rollback_alarms(rollout, alarms, average),
    }


def artifact_size_gib(container: ServingContainer, model: ModelSpec) -> float:
    """Return the size of the artifact of a model: what is stated, else that of the weights."""
    return container.artifact_gib or model.parameters * model.precision.bytes / GIB


def startup_timeout_s(artifact_gib: float) -> int:
    """Return how long a container may take to get its artifact, and to start."""
    return _clamp(BASE_TIMEOUT_S + math.ceil(TIMEOUT_S_PER_GIB * artifact_gib), STARTUP_TIMEOUT_BOUNDS_S)


def batching_variables_of(
    endpoint: ModelOnInstances, kind: HardwareKind, workers: int, timeout_s: int
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the variables that make the server of an image batch, and what nobody can see from outside."""
    if (batching := endpoint.batching) is None:
        return {}, ()
    container = endpoint.container
    package = container.model_package
    image = package.image_repository if package else image_for(container.images, kind)
    server = image.repository if image else "the model package"
    variables = batching_variables(server, batching.max_batch_size, batching.max_delay_ms, workers, timeout_s)
    handler = "the handler of the model computes a batch in one pass"
    if variables is None:
        return {}, (
            f"{handler}, and the server of {server} is told to batch in the artifact (Triton: config.pbtxt): no "
            "variable does it",
        )
    return variables, (f"{handler}: predict_fn of AWS's PyTorch toolkit gets one request at a time",)


def average_requests_per_second_of(needs: EndpointRequirements, estimate: EndpointEstimate) -> float:
    """Return the load over all hours; users send the next request when the last one alone is answered."""
    if needs.average_requests_per_second is not None:
        return needs.average_requests_per_second
    users = needs.average_concurrent_users or needs.peak_concurrent_users or 0.0
    return users / (estimate.service_time_ms / 1000)


def _clamp(value: int, bounds: tuple[int, int]) -> int:
    return max(bounds[0], min(value, bounds[1]))

"""One variant of an endpoint: a model, with what stands before and after it, and the instances that it runs on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_sagemaker as sagemaker

from constructs_lib.endpoints.endpoint_parts import check_name
from constructs_lib.endpoints.serving_model import ContainerProps, PipelineContainer, check_containers
from constructs_lib.instance_storage import has_local_nvme
from sizewell.facts.production_variants import (
    MAX_INSTANCE_POOLS,
    PROVISION_TIMEOUT_BOUNDS_S,
    ROUTING_STRATEGIES,
    STARTUP_TIMEOUT_BOUNDS_S,
    VOLUME_SIZE_BOUNDS_GIB,
    RoutingStrategy,
)


@dataclass(frozen=True, kw_only=True)
class ProductionVariant(ContainerProps):
    """What one variant runs, on which instances, and with which share of the requests.

    ``ContainerProps`` describes the container of its model. A request passes the containers of ``before`` first, and the answer
    of the model those of ``after``, on the same instances.

    ``variant_name`` is the one that SageMaker's console gives to a single variant. A variant answers its ``weight`` divided by
    the sum of all weights; 0 leaves it the requests that name it. ``initial_instance_count`` is 2, because
    SageMaker spreads instances over availability zones, and one instance has one zone. ``volume_size_gib`` None leaves
    the size to SageMaker. ``encrypt_volume_with_key`` must be False for an instance type with local NVMe storage, and
    only for one: the API refuses a key there, and such a type has no EBS volume to size; None goes by the name of the
    type. Both timeouts are half an hour: enough for a hundred GiB at one gigabit a second, and half as long as the
    longest that SageMaker waits for a container that never answers.

    ``network_isolation`` keeps containers from all calls but SageMaker's own. ``inference_ami_version`` names the machine
    image of the host, for its driver; None leaves it to SageMaker. ``capacity_reservation_arn`` names an ML capacity
    reservation of this type: instances start in it or not at all. ``instance_pools`` are types to take where there is no
    capacity for ``instance_type``, which is the first of them; ``instance_provision_timeout_s`` is how long SageMaker looks
    for it. ``routing`` says which instance gets a request; None leaves it to SageMaker, as ``multi_model`` does: its requests
    go to an instance that has their model in memory
    (https://docs.aws.amazon.com/sagemaker/latest/dg/multi-model-endpoints.html). Raises ValueError for input that the API would
    refuse.
    """

    instance_type: str
    before: Sequence[PipelineContainer] = ()
    after: Sequence[PipelineContainer] = ()
    variant_name: str = "AllTraffic"
    weight: float = 1
    initial_instance_count: int = 2
    volume_size_gib: int | None = None
    encrypt_volume_with_key: bool | None = None
    model_data_download_timeout_s: int = 1800
    container_startup_health_check_timeout_s: int = 1800
    inference_ami_version: str | None = None
    capacity_reservation_arn: str | None = None
    instance_pools: Sequence[str] = ()
    instance_provision_timeout_s: int = 1200
    network_isolation: bool = True
    routing: RoutingStrategy | None = "least-outstanding-requests"

    def __post_init__(self) -> None:
        """Check names, bounds and the rules between fields."""
        check_name("variant_name", self.variant_name)
        if not self.instance_type.startswith("ml."):
            raise ValueError(
                f"instance_type must be a SageMaker type such as ml.m5.large, got {self.instance_type!r}"
            )
        if self.initial_instance_count < 1:
            raise ValueError(f"initial_instance_count must be at least 1, got {self.initial_instance_count}")
        if self.weight < 0:
            raise ValueError(f"weight must be at least 0, got {self.weight:g}")
        for label in ("model_data_download_timeout_s", "container_startup_health_check_timeout_s"):
            _check_range(label, getattr(self, label), STARTUP_TIMEOUT_BOUNDS_S)
        self._check_volume()
        self._check_pools()
        check_containers(self.containers)

    @property
    def containers(self) -> tuple[ContainerProps, ...]:
        """All of them, in the order of a request."""
        return (*self.before, self, *self.after)

    @property
    def volume_takes_key(self) -> bool:
        """Whether the ML volume is encrypted with the data key."""
        if self.encrypt_volume_with_key is None:
            return not has_local_nvme(self.instance_type)
        return self.encrypt_volume_with_key

    def _check_volume(self) -> None:
        if self.volume_size_gib is None:
            return
        _check_range("volume_size_gib", self.volume_size_gib, VOLUME_SIZE_BOUNDS_GIB)
        if not self.volume_takes_key:
            raise ValueError(
                f"volume_size_gib is for EBS volumes, which take the key: {self.instance_type} has none"
            )

    def _check_pools(self) -> None:
        pools = self.instance_pools
        if not pools:
            return
        if pools[0] != self.instance_type or not 2 <= len(set(pools)) == len(pools) <= MAX_INSTANCE_POOLS:
            raise ValueError(
                f"instance_pools are 2 to {MAX_INSTANCE_POOLS} types, {self.instance_type} first and each once, got {pools}"
            )
        if len(set(map(has_local_nvme, pools))) > 1:
            raise ValueError(
                f"instance_pools have local NVMe storage all or none: one key is for all of them, got {pools}"
            )
        if self.capacity_reservation_arn is not None:
            raise ValueError(
                "a capacity reservation is of one instance type, and goes with no instance_pools"
            )
        _check_range(
            "instance_provision_timeout_s", self.instance_provision_timeout_s, PROVISION_TIMEOUT_BOUNDS_S
        )


def _check_range(label: str, value: int, bounds: tuple[int, int]) -> None:
    if not bounds[0] <= value <= bounds[1]:
        raise ValueError(f"{label} must lie between {bounds[0]} and {bounds[1]}, got {value}")


def variant_property(
    variant: ProductionVariant, model_name: str
) -> sagemaker.CfnEndpointConfig.ProductionVariantProperty:
    """Return what the endpoint configuration says of the variant."""
    return sagemaker.CfnEndpointConfig.ProductionVariantProperty(
        variant_name=variant.variant_name,
        model_name=model_name,
        instance_type=None if variant.instance_pools else variant.instance_type,
        **_pools(variant),
        routing_config=routing_property(None if variant.multi_model else variant.routing),
        initial_instance_count=variant.initial_instance_count,
        initial_variant_weight=variant.weight,
        volume_size_in_gb=variant.volume_size_gib,
        inference_ami_version=variant.inference_ami_version,
        capacity_reservation_config=_capacity_reservation(variant.capacity_reservation_arn),
        model_data_download_timeout_in_seconds=variant.model_data_download_timeout_s,
        container_startup_health_check_timeout_in_seconds=variant.container_startup_health_check_timeout_s,
    )


def _pools(variant: ProductionVariant) -> dict[str, Any]:
    """Return what a variant of several types has."""
    if not variant.instance_pools:
        return {}
    return {
        "instance_pools": [
            sagemaker.CfnEndpointConfig.InstancePoolProperty(instance_type=name, priority=place)
            for place, name in enumerate(variant.instance_pools, start=1)
        ],
        "variant_instance_provision_timeout_in_seconds": variant.instance_provision_timeout_s,
    }


def routing_property(
    routing: RoutingStrategy | None,
) -> sagemaker.CfnEndpointConfig.RoutingConfigProperty | None:
    """Return which instance gets a request; None leaves it to SageMaker, which takes any."""
    if routing is None:
        return None
    return sagemaker.CfnEndpointConfig.RoutingConfigProperty(routing_strategy=ROUTING_STRATEGIES[routing])


def metrics_property(*, detailed: bool) -> sagemaker.CfnEndpointConfig.MetricsConfigProperty | None:
    """Return what turns detailed metrics off; on is SageMaker's own default (API reference, MetricsConfig)."""
    if detailed:
        return None
    return sagemaker.CfnEndpointConfig.MetricsConfigProperty(enable_detailed_observability=False)


def _capacity_reservation(
    arn: str | None,
) -> sagemaker.CfnEndpointConfig.CapacityReservationConfigProperty | None:
    if arn is None:
        return None
    return sagemaker.CfnEndpointConfig.CapacityReservationConfigProperty(
        capacity_reservation_preference="capacity-reservations-only", ml_reservation_arn=arn
    )

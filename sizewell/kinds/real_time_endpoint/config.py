"""A real-time endpoint: it answers at once, on instances that run all the time."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import ValidationError, model_validator

from sizewell.config.alarms import Alarms
from sizewell.config.arn_rules import elsewhere
from sizewell.config.base import fault, without
from sizewell.config.capacity_reservation import ON_CAPACITY_RESERVATION, CapacityReservationArn
from sizewell.config.data_capture import DataCapture
from sizewell.config.effects import Below, OnChange
from sizewell.config.endpoint import EndpointNeeds
from sizewell.config.endpoint_rules import instance_bounds, member_violations
from sizewell.config.environment import Environment
from sizewell.config.fleet_settings import RoutedFleet
from sizewell.config.inference_pipeline import ON_PIPELINE, InferencePipeline
from sizewell.config.instance_pools import ON_INSTANCE_POOLS, InstancePools
from sizewell.config.kind import ConfigKind
from sizewell.config.request_members import Violation
from sizewell.config.rollout import ON_ROLLOUT, Rollout
from sizewell.config.scaling import Scaling
from sizewell.config.served_model import EndpointOnInstances
from sizewell.config.spot import ServedOnSpot, spot_violations
from sizewell.config.traffic import RequestTraffic, UserTraffic
from sizewell.config.tree import KeyPath
from sizewell.config.variant_names import (
    PRIMARY,
    SHADOW,
    endpoint_of,
    full_name,
    path_in_endpoint,
    variant_of,
)
from sizewell.config.variants import ShadowVariant, Variants
from sizewell.config.workload import in_region

ON_VARIANTS = Below(
    OnChange(
        changed="other models, or other shares, answer the requests",
        added="part of the requests is answered by it",
        removed="its requests are answered by the others",
    )
)
ON_SHADOW = OnChange(
    added="requests are copied to a model that answers nobody", removed="no requests are copied any more"
)


#: Keys that people bring from elsewhere and no endpoint has, with what to do instead.
MISPLACED_KEYS = {
    "purchase": "endpoints are on-demand, but for spot in a cluster of Amazon EKS; remove the key",
    "elastic_inference": "Elastic Inference has been shut down by AWS: state the latency and let a GPU or CPU be picked",
    "accelerator_type": "Elastic Inference has been shut down by AWS: state the latency and let a GPU or CPU be picked",
    "mode": "this kind is real-time; kind: endpoint has a mode, and mode: auto takes the cheapest that meets the needs",
    "similar_models": "kind: endpoint has it, which compares the modes; remove the key",
    "instance_type": "write it as instances.instance_type, or leave it out and let the needs decide",
}


class RealTimeEndpoint(ServedOnSpot, RoutedFleet, EndpointOnInstances, EndpointNeeds):
    """An endpoint that answers at once, on instances that run all the time."""

    misplaced_keys: ClassVar[Mapping[str, str]] = MISPLACED_KEYS

    kind: Literal["real-time-endpoint"]
    """The workload is a SageMaker endpoint, which answers at once."""
    pipeline: Annotated[InferencePipeline | None, *ON_PIPELINE] = None
    """Containers that a request passes before the model, and its answer after it, on the same instances."""
    scaling: Scaling = Scaling()
    """How the number of instances follows the load, and the clock."""
    rollout: Annotated[Rollout | None, ON_ROLLOUT] = None
    """How a new fleet takes over the traffic, and when; by default as fits the hardware and the size of the fleet."""
    data_capture: Annotated[
        DataCapture | None,
        OnChange(added="requests and answers are kept", removed="requests and answers are no longer kept"),
    ] = None
    """What is kept of requests and answers in the artifact bucket; by default nothing."""
    alarms: Alarms = Alarms()
    """When each alarm goes off, or why it is off; by default what follows from the objective and the hardware."""
    instance_pools: Annotated[InstancePools | None, ON_INSTANCE_POOLS] = None
    """Other instance types for when there is no capacity for the best one; by default a deployment fails then."""
    capacity_reservation_arn: Annotated[CapacityReservationArn | None, ON_CAPACITY_RESERVATION] = None
    """An ML capacity reservation of instances.instance_type: instances start in it or not at all."""

    @model_validator(mode="after")
    def _pipeline_leaves_time(self) -> Self:
        if self.pipeline is None:
            return self
        taken_ms = self.pipeline.processing_ms
        for key in ("max_p95_ms", "max_time_to_first_token_ms", "max_inter_token_ms"):
            bound_ms = getattr(self.latency, key)
            if bound_ms is None:
                continue
            if key != "max_p95_ms" and self.pipeline.after:
                raise fault(
                    f"latency.{key}",
                    "has no effect: the containers of pipeline.after get a whole answer, and no caller sees its tokens before "
                    f"that; {without(key)}",
                )
            if key != "max_inter_token_ms" and taken_ms >= bound_ms:
                raise fault(
                    f"latency.{key}",
                    f"is {bound_ms:g}, but the containers of pipeline take {taken_ms:g} ms: nothing is left for the model",
                )
        return self

    @model_validator(mode="after")
    def _reservation_is_of_a_type(self) -> Self:
        if self.capacity_reservation_arn is not None and self.instances.instance_type is None:
            raise fault(
                "instances.instance_type",
                "is missing beside capacity_reservation_arn: a reservation holds instances of one type",
            )
        return self

    variants: Annotated[Variants, ON_VARIANTS] = {}
    """Other models, or the same one on other instances, that answer a share of the requests (A/B test), by a name of yours."""
    shadow: Annotated[ShadowVariant | None, ON_SHADOW] = None
    """A model that gets copies of the requests and answers nobody (shadow test)."""

    def in_region(self, region: str) -> Self:
        """Return the endpoint and its variants with the images of a region in place of their names."""
        variants = {name: in_region(variant, region) for name, variant in self.variants.items()}
        shadow = self.shadow and in_region(self.shadow, region)
        return in_region(self, region).model_copy(update={"variants": variants, "shadow": shadow})

    def apart(self, name: str) -> Mapping[str, "RealTimeEndpoint"]:
        """Return its variants, each as an endpoint with its share of the traffic, its own first."""
        others = {full_name(name, variant): endpoint for variant, endpoint in self.beside().items()}
        return {name: self.without_variants(), **others}

    def as_written(self, name: str, path: KeyPath) -> KeyPath:
        """Return where the endpoint, or the variant of that name, states what was found at a path."""
        if endpoint_of(name) == name:
            return path
        variant = variant_of(name)
        stated = self.shadow if variant == SHADOW else self.variants[variant]
        assert stated is not None
        inherited = bool(path) and path[0] not in stated.stated
        return (*(() if inherited else path_in_endpoint(variant)), *path)

    @property
    def streams(self) -> bool:
        """Whether an answer may be read as a stream: containers after the model get its whole answer."""
        return self.request.output_tokens is not None and not (self.pipeline and self.pipeline.after)

    def beside(self) -> Mapping[str, "RealTimeEndpoint"]:
        """The variants beside its own and the shadow, each as an endpoint with its share of the traffic."""
        others = {
            name: self._differing(variant.stated, self.traffic.share(variant.traffic_percent))
            for name, variant in self.variants.items()
        }
        if self.shadow is not None:
            copied = self.traffic.share(self.shadow.sampling_percent).at_peak()
            # Nobody waits for its answers: one instance will do where the load needs no more.
            alone = {"scaling": Scaling(min_instances=1), "instance_pools": None, "rollout": None}
            others[SHADOW] = self._differing({**alone, **self.shadow.stated}, copied)
        return others

    def without_variants(self) -> "RealTimeEndpoint":
        """Its own variant, with what the others leave of the traffic."""
        left = 100 - sum(variant.traffic_percent for variant in self.variants.values())
        return self._differing({}, self.traffic.share(left)) if self.variants or self.shadow else self

    def _differing(
        self, stated: Mapping[str, object], traffic: RequestTraffic | UserTraffic
    ) -> "RealTimeEndpoint":
        return self.model_copy(update={**stated, "traffic": traffic, "variants": {}, "shadow": None})

    @model_validator(mode="after")
    def _variants_share_the_traffic(self) -> Self:
        for name in (PRIMARY, SHADOW):
            if name in self.variants:
                raise fault(
                    f"variants.{name}",
                    f"is what the endpoint calls its {'own variant' if name == PRIMARY else 'shadow'}; choose another name",
                )
        total = sum(variant.traffic_percent for variant in self.variants.values())
        if self.variants and total >= 100:
            raise fault(
                "variants",
                f"share {total:g} % of the requests, which leaves nothing to the endpoint's own model; leave it some, or state "
                "the model that is to answer as the endpoint's own",
            )
        if self.variants and self.shadow is not None:
            raise fault(
                "shadow",
                "stands beside variants, but a shadow test compares one variant with one shadow; remove one of the two",
            )
        return self

    @model_validator(mode="after")
    def _each_variant_is_an_endpoint(self) -> Self:
        for name, endpoint in self.beside().items():
            try:
                RealTimeEndpoint.model_validate(dict(endpoint))
            except ValidationError as error:
                (first, *_) = error.errors()
                key = first.get("ctx", {}).get("key", "")
                raise fault(".".join((*path_in_endpoint(name), key)), first["msg"]) from error
        return self


def _rules(environment: Environment, name: str, endpoint: RealTimeEndpoint) -> Iterator[Violation]:
    if variant_of(name) != SHADOW:
        yield from instance_bounds(environment, name, endpoint.scaling)
    yield from _reservation_is_usable(environment, name, endpoint)
    yield from spot_violations(environment, name, endpoint)
    yield from member_violations(environment, name, endpoint)


def _reservation_is_usable(
    environment: Environment, name: str, endpoint: RealTimeEndpoint
) -> Iterator[Violation]:
    if (arn := endpoint.capacity_reservation_arn) is None:
        return
    for reason in elsewhere(arn, environment.policy, "partition", "region", "account"):
        yield ("workloads", name, "capacity_reservation_arn"), f"the reservation {reason}"


FACET = ConfigKind(rank=1, model=RealTimeEndpoint, rules=_rules)

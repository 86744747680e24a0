"""A real-time endpoint, and what one that is served in any mode has in common with it: how fast, and for how many."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, ValidationError, model_validator

from sizewell.config.access import ON_ACCESS, Access
from sizewell.config.alarms import Alarms
from sizewell.config.base import ON_TIME_LIMIT, ConfigModel, fault, without
from sizewell.config.capacity_reservation import ON_CAPACITY_RESERVATION, CapacityReservationArn
from sizewell.config.data_capture import DataCapture
from sizewell.config.effects import Below, OnChange, OnFactor, SelectionNeed
from sizewell.config.fleet_settings import RoutedFleet
from sizewell.config.inference_pipeline import ON_PIPELINE, InferencePipeline
from sizewell.config.instance_pools import ON_INSTANCE_POOLS, InstancePools
from sizewell.config.rollout import ON_ROLLOUT, Rollout
from sizewell.config.scaling import Scaling
from sizewell.config.served_model import ModelOnInstances, ServedOnInstances
from sizewell.config.traffic import RequestTraffic, Traffic, UserTraffic
from sizewell.config.variant_names import PRIMARY, SHADOW, path_in_endpoint
from sizewell.config.variants import ShadowVariant, Variants
from sizewell.facts.serving_modes import Mode, limit

MAX_INVOCATION_MS = int(limit(Mode.REAL_TIME, "max_processing_s") * 1000)


#: From a microsecond, in which no model answers.
ModelLatencyMs = Annotated[float, Field(ge=0.001, le=MAX_INVOCATION_MS)]


class AnswerLatency(ConfigModel):
    """The service level objective of one request, as the model answers it."""

    max_p95_ms: Annotated[ModelLatencyMs, ON_TIME_LIMIT, SelectionNeed(10)]
    """Milliseconds within which 95 of 100 requests are answered (ModelLatency); SageMaker ends a call after 60,000."""
    max_p99_ms: Annotated[ModelLatencyMs | None, ON_TIME_LIMIT, SelectionNeed(12)] = None
    """Milliseconds within which 99 of 100 requests are answered; without it nothing is asked, and the alarm takes twice
    max_p95_ms."""

    @model_validator(mode="after")
    def _percentiles_ordered(self) -> Self:
        if self.max_p99_ms is not None and self.max_p99_ms < self.max_p95_ms:
            raise fault("max_p99_ms", f"is {self.max_p99_ms:g}, below max_p95_ms ({self.max_p95_ms:g})")
        return self


class Latency(AnswerLatency):
    """The service level objective of one request, as the model answers it, whole or token by token."""

    max_p95_ms: Annotated[ModelLatencyMs, ON_TIME_LIMIT, SelectionNeed(10)] = MAX_INVOCATION_MS
    """Milliseconds within which 95 of 100 requests are answered (ModelLatency); SageMaker ends a call after 60,000. Of a model
    that generates, by default what max_time_to_first_token_ms and max_inter_token_ms come to, or 60,000 where one of them is
    stated."""
    max_time_to_first_token_ms: Annotated[ModelLatencyMs | None, ON_TIME_LIMIT, SelectionNeed(14)] = None
    """Milliseconds within which 95 of 100 answers begin, of a model that generates; callers read the response as a
    stream."""
    max_inter_token_ms: Annotated[ModelLatencyMs | None, ON_TIME_LIMIT, SelectionNeed(16)] = None
    """Milliseconds between two tokens, on the average of an answer, that 95 of 100 answers keep; of a model that
    generates."""
    max_wait_minutes: Annotated[float, Field(ge=0.01, le=28 * 24 * 60)] | None = None
    """Minutes that an answer may come later, which asynchronous and batch need; by default the caller waits for it."""

    @model_validator(mode="after")
    def _some_bound(self) -> Self:
        stated = {"max_p95_ms", "max_time_to_first_token_ms", "max_inter_token_ms"} & self.model_fields_set
        if not stated:
            raise fault("max_p95_ms", "is missing: how fast must 95 of 100 requests be answered?")
        return self

    @model_validator(mode="after")
    def _first_token_ordered(self) -> Self:
        first = self.max_time_to_first_token_ms
        if first is not None and first >= self.max_p95_ms:
            raise fault(
                "max_time_to_first_token_ms",
                f"is {first:g} and has no effect: an answer that is whole within max_p95_ms ({self.max_p95_ms:g}) has begun "
                f"before; lower it, or {without('max_time_to_first_token_ms')}",
            )
        return self


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
    "spot": "Spot never serves real-time traffic: SageMaker has managed Spot for training jobs only; remove the key",
    "purchase": "endpoints are on-demand: SageMaker has managed Spot for training jobs only; remove the key",
    "elastic_inference": "Elastic Inference has been shut down by AWS: state the latency and let a GPU or CPU be picked",
    "accelerator_type": "Elastic Inference has been shut down by AWS: state the latency and let a GPU or CPU be picked",
    "mode": "this kind is real-time; kind: endpoint has a mode, and mode: auto takes the cheapest that meets the needs",
    "similar_models": "kind: endpoint has it, which compares the modes; remove the key",
    "instance_type": "write it as instances.instance_type, or leave it out and let the needs decide",
}


class AnsweringModel(ModelOnInstances):
    """A model on instances, and what somebody who waits for each answer needs of it."""

    traffic: Annotated[Traffic, Below(OnFactor()), SelectionNeed(30)]
    """How much arrives: requests per second, or users who wait for their answers."""
    latency: Latency
    """How fast a request must be answered."""

    @model_validator(mode="after")
    def _whole_answer(self) -> Self:
        latency, tokens = self.latency, self.request.output_tokens
        first, between = latency.max_time_to_first_token_ms, latency.max_inter_token_ms
        if "max_p95_ms" not in latency.model_fields_set and first and between and tokens:
            whole_ms = min(MAX_INVOCATION_MS, first + between * tokens)
            object.__setattr__(self, "latency", latency.model_copy(update={"max_p95_ms": whole_ms}))
        return self

    @model_validator(mode="after")
    def _batch_leaves_time(self) -> Self:
        if self.batching is not None and self.batching.max_delay_ms >= self.latency.max_p95_ms:
            raise fault(
                "batching.max_delay_ms",
                f"is {self.batching.max_delay_ms}, which leaves nothing of max_p95_ms ({self.latency.max_p95_ms:g}): a request "
                "that comes alone waits all of it",
            )
        return self

    @model_validator(mode="after")
    def _bounds_of_tokens_have_tokens(self) -> Self:
        tokens, latency = self.request.output_tokens, self.latency
        for key in ("max_time_to_first_token_ms", "max_inter_token_ms"):
            if tokens is None and getattr(latency, key) is not None:
                raise fault(
                    f"latency.{key}",
                    "has no effect: the model writes no tokens, request.output_tokens says how many; "
                    f"{without(key)}",
                )
        between = latency.max_inter_token_ms
        if tokens is not None and between is not None and between * tokens >= latency.max_p95_ms:
            raise fault(
                "latency.max_inter_token_ms",
                f"is {between:g} and has no effect: {tokens:,} tokens within max_p95_ms ({latency.max_p95_ms:g}) are "
                f"{latency.max_p95_ms / tokens:.3g} ms for each; lower it, or {without('max_inter_token_ms')}",
            )
        return self


class EndpointNeeds(AnsweringModel, ServedOnInstances):
    """What somebody who waits for each answer needs of an endpoint."""

    access: Annotated[Access | None, ON_ACCESS] = None
    """Who may invoke it; by default nobody is given the permission."""


class RealTimeEndpoint(RoutedFleet, EndpointNeeds):
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

    def beside(self) -> Mapping[str, "RealTimeEndpoint"]:
        """The variants beside its own and the shadow, each as an endpoint with its share of the traffic."""
        others = {
            name: self._differing(one.stated, self.traffic.share(one.traffic_percent))
            for name, one in self.variants.items()
        }
        if self.shadow is not None:
            copied = self.traffic.share(self.shadow.sampling_percent).at_peak()
            # Nobody waits for its answers: one instance will do where the load needs no more.
            alone = {"scaling": Scaling(min_instances=1), "instance_pools": None, "rollout": None}
            others[SHADOW] = self._differing({**alone, **self.shadow.stated}, copied)
        return others

    def without_variants(self) -> "RealTimeEndpoint":
        """Its own variant, with what the others leave of the traffic."""
        left = 100 - sum(one.traffic_percent for one in self.variants.values())
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
        total = sum(one.traffic_percent for one in self.variants.values())
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

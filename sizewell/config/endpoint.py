"""A real-time endpoint, and what one that is served in any mode has in common with it: how fast, and for how many."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.alarms import Alarms
from sizewell.config.base import ON_TIME_LIMIT, ConfigModel, fault, without
from sizewell.config.data_capture import DataCapture
from sizewell.config.effects import Below, OnChange, OnFactor, SelectionNeed
from sizewell.config.instance_pools import ON_INSTANCE_POOLS, InstancePools
from sizewell.config.rollout import ON_ROLLOUT, Rollout
from sizewell.config.scaling import Scaling
from sizewell.config.served_model import ModelOnInstances, ServedOnInstances
from sizewell.config.traffic import Traffic
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

    max_time_to_first_token_ms: Annotated[ModelLatencyMs | None, ON_TIME_LIMIT, SelectionNeed(14)] = None
    """Milliseconds within which 95 of 100 answers begin, of a model that generates; callers read the response as a
    stream."""
    max_inter_token_ms: Annotated[ModelLatencyMs | None, ON_TIME_LIMIT, SelectionNeed(16)] = None
    """Milliseconds between two tokens, on the average of an answer, that 95 of 100 answers keep; of a model that
    generates."""
    max_wait_minutes: Annotated[float, Field(ge=0.01, le=28 * 24 * 60)] | None = None
    """Minutes that an answer may come later, which asynchronous and batch need; by default the caller waits for it."""

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


#: API reference: ProductionVariantCapacityReservationConfig.
CapacityReservationArn = Annotated[
    str,
    Field(
        pattern=r"^arn:aws[a-z-]*:sagemaker:[a-z0-9-]+:[0-9]{12}:[a-z0-9-]{1,14}/[A-Za-z0-9._/-]+$",
        max_length=258,
        examples=["arn:aws:sagemaker:us-east-1:111122223333:ml-reservation/abc"],
    ),
]

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


class RealTimeEndpoint(EndpointNeeds):
    """An endpoint that answers at once, on instances that run all the time."""

    kind: Literal["real-time-endpoint"]
    """The workload is a SageMaker endpoint, which answers at once."""
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
    capacity_reservation_arn: Annotated[
        CapacityReservationArn | None,
        OnChange(
            changed="instances start in another reservation or not at all",
            added="instances start in the reservation or not at all",
            removed="instances start in the capacity that everybody shares",
        ),
    ] = None
    """An ML capacity reservation of instances.instance_type: instances start in it or not at all."""

    @model_validator(mode="after")
    def _reservation_is_of_a_type(self) -> Self:
        if self.capacity_reservation_arn is not None and self.instances.instance_type is None:
            raise fault(
                "instances.instance_type",
                "is missing beside capacity_reservation_arn: a reservation holds instances of one type",
            )
        return self

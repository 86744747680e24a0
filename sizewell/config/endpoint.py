"""A real-time endpoint: what it must serve, how fast, and for how many."""

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from sizewell.config.base import (
    ConfigModel,
    InstanceCount,
    Margin,
    Megabytes,
    RequestsPerSecond,
    Usd,
    fault,
    with_article,
)
from sizewell.config.container import ServingContainer
from sizewell.config.instances import InstanceConstraints
from sizewell.config.ml_model import Model, PresetModel
from sizewell.facts.models import Engine
from sizewell.facts.serving_modes import Mode, limit

MAX_INVOCATION_MS = int(limit(Mode.REAL_TIME, "max_processing_s") * 1000)


#: A microsecond is faster than any model answers.
ModelLatencyMs = Annotated[float, Field(ge=0.001, le=MAX_INVOCATION_MS)]

#: Longer contexts and larger batches than any model takes in one request.
Tokens = Annotated[int, Field(gt=0, le=10_000_000)]
Items = Annotated[int, Field(gt=0, le=1_000_000)]


class Request(ConfigModel):
    """One request, in the units of the model."""

    input_tokens: Tokens | None = None
    """Tokens that come in; for sound, the frames that the encoder sees (Whisper: 1500 for 30 s)."""
    output_tokens: Tokens | None = None
    """Tokens that a decoder writes in answer."""
    images: Items | None = None
    """Images that come in, or that a diffusion model draws."""
    clips: Items | None = None
    rows: Items | None = None
    """Rows of a table that are scored together."""
    payload_mb: Megabytes | None = None
    """The size of the request; every mode has a limit."""
    response_mb: Megabytes | None = None
    """The size of the answer."""


#: Hours of a day in which requests arrive.
ActiveHours = Annotated[float, Field(ge=0.01, le=24)]


class RequestTraffic(ConfigModel):
    """Load that arrives by itself, whatever the latency."""

    peak_requests_per_second: RequestsPerSecond
    average_requests_per_second: RequestsPerSecond
    active_hours_per_day: ActiveHours = 24
    """The hours of a day in which requests arrive, for the comparison of modes."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.average_requests_per_second > self.peak_requests_per_second:
            raise fault("average_requests_per_second", "is above peak_requests_per_second")
        active = self.average_requests_per_second * 24 / self.active_hours_per_day
        if active > self.peak_requests_per_second * (1 + 1e-9):
            raise fault(
                "active_hours_per_day",
                f"squeezes the requests of a day into {self.active_hours_per_day:g} hours, {active:g} a second, "
                f"above peak_requests_per_second ({self.peak_requests_per_second:g})",
            )
        return self


class UserTraffic(ConfigModel):
    """Load of users who each wait for an answer before they ask again."""

    peak_concurrent_users: Annotated[int, Field(ge=1, le=10_000_000)]
    average_concurrent_users: Annotated[float, Field(ge=1e-6, le=10_000_000)] | None = None
    """By default as many as at peak."""
    active_hours_per_day: ActiveHours = 24
    """The hours of a day in which users ask, for the comparison of modes."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if (self.average_concurrent_users or 0) > self.peak_concurrent_users:
            raise fault("average_concurrent_users", "is above peak_concurrent_users")
        return self


def _traffic_kind(traffic: Any) -> str:
    """Tell the two kinds apart by their keys, so that an error speaks of one of them."""
    keys = traffic if isinstance(traffic, dict) else getattr(traffic, "model_fields_set", ())
    return "UserTraffic" if any(str(key).endswith("users") for key in keys) else "RequestTraffic"


Traffic = Annotated[
    Annotated[RequestTraffic, Tag("RequestTraffic")] | Annotated[UserTraffic, Tag("UserTraffic")],
    Discriminator(_traffic_kind),
]


class Latency(ConfigModel):
    """The service level objective of one request, as the model answers it."""

    max_p95_ms: ModelLatencyMs
    max_p99_ms: ModelLatencyMs | None = None
    """Alarm threshold for the slowest requests; by default twice max_p95_ms."""
    max_wait_minutes: Annotated[float, Field(ge=0.01, le=28 * 24 * 60)] | None = None
    """How much later an answer may come, for asynchronous and batch; by default the caller waits for it."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.max_p99_ms is not None and self.max_p99_ms < self.max_p95_ms:
            raise fault("max_p99_ms", f"is {self.max_p99_ms:g}, below max_p95_ms ({self.max_p95_ms:g})")
        return self


class Scaling(ConfigModel):
    """How the number of instances follows the load."""

    min_instances: InstanceCount | None = None
    """By default the policy's min_endpoint_instances."""
    max_instances: InstanceCount | None = None
    """By default one and a half times what the peak load needs, within the policy's max_endpoint_instances."""
    headroom: Annotated[float, Field(ge=0, lt=0.9)] = 0.3
    """The share of an instance's capacity that stays free while new instances start."""
    scale_out_cooldown_s: Annotated[int, Field(ge=0, le=3600)] = 60
    scale_in_cooldown_s: Annotated[int, Field(ge=0, le=3600)] = 300

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min_instances and self.max_instances and self.min_instances > self.max_instances:
            raise fault(
                "min_instances", f"is {self.min_instances}, above max_instances ({self.max_instances})"
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

#: How a model can be served. All of them are compared; the stacks build real-time endpoints.
ServingMode = Literal["real-time", "multi-model", "serverless", "asynchronous", "batch", "lambda", "auto"]

#: Keys of no endpoint that people bring from elsewhere, with what to do instead.
MISPLACED_KEYS = {
    "spot": "Spot never serves real-time traffic: SageMaker has managed Spot for training jobs only; remove the key",
    "purchase": "endpoints are on-demand: SageMaker has managed Spot for training jobs only; remove the key",
    "elastic_inference": "Elastic Inference has been shut down by AWS: state the latency and let a GPU or CPU be picked",
    "accelerator_type": "Elastic Inference has been shut down by AWS: state the latency and let a GPU or CPU be picked",
    "instance_type": "write it as instances.instance_type, or leave it out and let the needs decide",
}


class RealTimeEndpoint(ConfigModel):
    """An endpoint that answers at once, on instances that run all the time."""

    kind: Literal["real-time-endpoint"]
    description: Annotated[str, Field(max_length=200)] = ""
    model: Model
    engine: Engine = Engine.EAGER
    """What executes the model in the container."""
    container: ServingContainer
    request: Request
    traffic: Traffic
    latency: Latency
    objective: Literal["least-cost", "least-latency"] = "least-cost"
    """What makes one instance type better than another, among those that meet every need."""
    margin: Margin | None = None
    """Room that estimates must leave to latency and memory, as a share; by default the policy's."""
    max_usd_per_month: Usd | None = None
    """The most that the instances of this endpoint may cost at average load."""
    scaling: Scaling = Scaling()
    instances: InstanceConstraints = InstanceConstraints()
    capacity_reservation_arn: CapacityReservationArn | None = None
    """An ML capacity reservation of instances.instance_type: instances start in it or not at all."""
    mode: ServingMode = "real-time"
    """How the model is served; auto takes the cheapest mode that meets every need. Synth builds real-time today."""
    similar_models: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """How many models of this shape and traffic could share a multi-model endpoint, this one included."""

    @model_validator(mode="after")
    def _request_matches_model(self) -> Self:
        if isinstance(self.model, PresetModel):  # its architecture is not known here
            return self
        architecture = with_article(self.model.architecture)
        needed = self.model.request_keys
        given = self.request.model_fields_set - {"payload_mb", "response_mb"}
        if needed != given:
            images = architecture == "an encoder" and given == {"images"}
            raise fault(
                "request",
                f"{architecture} needs {' and '.join(sorted(needed))}, "
                f"but {' and '.join(sorted(given)) or 'nothing'} is given"
                + ("; an encoder of images states model.forward_gflops_per_image" if images else ""),
            )
        if self.engine is Engine.LLM_ENGINE and "output_tokens" not in needed:
            raise fault("engine", f"an llm-engine serves a decoder, not {architecture}")
        return self

    @model_validator(mode="after")
    def _reservation_is_of_a_type(self) -> Self:
        if self.capacity_reservation_arn is not None and self.instances.instance_type is None:
            raise fault(
                "instances.instance_type",
                "is missing beside capacity_reservation_arn: a reservation holds instances of one type",
            )
        return self

    @model_validator(mode="after")
    def _mode_matches_instances(self) -> Self:
        if self.mode in ("serverless", "lambda") and self.instances.instance_type is not None:
            raise fault(
                "mode",
                f"{self.mode} has no instances to choose, but instances.instance_type asks for "
                f"{self.instances.instance_type}; remove one of the two",
            )
        return self

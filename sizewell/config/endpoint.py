"""A real-time endpoint: what it must serve, how fast, and for how many."""

import re
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Discriminator, Field, Tag, model_validator

from sizewell.config.alarms import Alarms
from sizewell.config.base import (
    ON_MAX_USD,
    ON_TIME_LIMIT,
    ConfigModel,
    Margin,
    Megabytes,
    RequestsPerSecond,
    Usd,
    fault,
    with_article,
    without,
)
from sizewell.config.container import ServingContainer
from sizewell.config.effects import Below, OnChange, OnFactor, OnNumber, OnValue, SelectionNeed
from sizewell.config.execution_role import ON_EXECUTION_ROLE, RoleArn
from sizewell.config.instances import InstanceConstraints
from sizewell.config.ml_model import ON_MODEL, Model, PresetModel
from sizewell.config.place import ON_PLACE, PlaceName
from sizewell.config.scaling import Scaling
from sizewell.config.tags import ON_TAGS, Tags
from sizewell.facts.models import Engine
from sizewell.facts.serving_modes import Mode, limit

MAX_INVOCATION_MS = int(limit(Mode.REAL_TIME, "max_processing_s") * 1000)


#: From a microsecond, in which no model answers.
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
    """Clips of sound, or other sequences, that come in, for an rnn."""
    series: Items | None = None
    """Time series that come in and are forecast together."""
    rows: Items | None = None
    """Rows of a table that are scored together."""
    payload_mb: Megabytes | None = None
    """The size of the request in MB: every mode has a limit; without it no limit is checked."""
    response_mb: Megabytes | None = None
    """The size of the answer in MB: some modes have a limit."""


#: Hours of a day in which requests arrive.
ActiveHours = Annotated[float, Field(ge=0.01, le=24)]


class RequestTraffic(ConfigModel):
    """Requests that arrive at a rate, however long the answers take."""

    peak_requests_per_second: RequestsPerSecond
    """Requests per second at the busiest time, which the instances must carry."""
    average_requests_per_second: RequestsPerSecond
    """Requests per second over the month, for the bill."""
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
    """Users at the busiest time, each of whom waits for an answer before asking again."""
    average_concurrent_users: Annotated[float, Field(ge=1e-6, le=10_000_000)] | None = None
    """Users over the month, for the bill; by default as many as at peak."""
    active_hours_per_day: ActiveHours = 24
    """The hours of a day in which users ask, for the comparison of modes."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if (self.average_concurrent_users or 0) > self.peak_concurrent_users:
            raise fault("average_concurrent_users", "is above peak_concurrent_users")
        return self


def _traffic_kind(traffic: Any) -> str:
    """Return the kind of traffic that the keys belong to, so that an error speaks of one kind."""
    keys = traffic if isinstance(traffic, dict) else getattr(traffic, "model_fields_set", ())
    return "UserTraffic" if any(str(key).endswith("users") for key in keys) else "RequestTraffic"


Traffic = Annotated[
    Annotated[RequestTraffic, Tag("RequestTraffic")] | Annotated[UserTraffic, Tag("UserTraffic")],
    Discriminator(_traffic_kind),
]


class Batching(ConfigModel):
    """Dynamic batching: the server of the model collects requests that arrive near each other, and computes them in one pass."""

    max_batch_size: Annotated[
        int,
        Field(ge=2, le=1024),
        OnNumber("fewer requests share a pass", "more requests share a pass"),
    ]
    """The most requests that share one pass; memory must hold as many."""
    max_delay_ms: Annotated[
        int,
        Field(ge=0, le=MAX_INVOCATION_MS),
        OnNumber("requests wait less for others", "requests wait longer for others"),
    ]
    """Milliseconds that the first request waits for others; 0 takes what has come while the batch before was computed."""


class Latency(ConfigModel):
    """The service level objective of one request, as the model answers it."""

    max_p95_ms: Annotated[ModelLatencyMs, ON_TIME_LIMIT, SelectionNeed(10)]
    """Milliseconds within which 95 of 100 requests are answered (ModelLatency); SageMaker ends a call after 60,000."""
    max_p99_ms: Annotated[ModelLatencyMs | None, ON_TIME_LIMIT, SelectionNeed(12)] = None
    """Milliseconds within which 99 of 100 requests are answered; without it nothing is asked, and the alarm takes twice
    max_p95_ms."""
    max_time_to_first_token_ms: Annotated[ModelLatencyMs | None, ON_TIME_LIMIT, SelectionNeed(14)] = None
    """Milliseconds within which 95 of 100 answers begin, of a model that generates; callers read the response as a
    stream."""
    max_inter_token_ms: Annotated[ModelLatencyMs | None, ON_TIME_LIMIT, SelectionNeed(16)] = None
    """Milliseconds between two tokens, on the average of an answer, that 95 of 100 answers keep; of a model that
    generates."""
    max_wait_minutes: Annotated[float, Field(ge=0.01, le=28 * 24 * 60)] | None = None
    """Minutes that an answer may come later, which asynchronous and batch need; by default the caller waits for it."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.max_p99_ms is not None and self.max_p99_ms < self.max_p95_ms:
            raise fault("max_p99_ms", f"is {self.max_p99_ms:g}, below max_p95_ms ({self.max_p95_ms:g})")
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

#: How a model can be served. All of them are compared; the stacks build real-time endpoints.
ServingMode = Literal["real-time", "multi-model", "serverless", "asynchronous", "batch", "lambda", "auto"]


def mode_meant(kind: Any) -> str | None:
    """Return the mode that somebody wrote as a kind of workload: asynchronous of AsyncInference."""
    word = re.match(r"[A-Za-z][a-z]{4,}", kind) if isinstance(kind, str) else None
    modes = (mode for mode in get_args(ServingMode) if mode not in ("real-time", "auto"))
    return next((mode for mode in modes if word and mode.replace("-", "").startswith(word[0].lower())), None)


#: Keys that people bring from elsewhere and no endpoint has, with what to do instead.
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
    """The workload is a SageMaker endpoint, which answers at once."""
    description: Annotated[str, Field(max_length=200)] = ""
    """One sentence for people, shown beside the workload."""
    tags: Annotated[Tags, ON_TAGS] = {}
    """Tags of what this workload has and starts, beside and before those of the environment."""
    model: Annotated[Model, ON_MODEL, SelectionNeed(60)]
    """The model: a public one by its name (preset: llama-3.1-8b), or an architecture with its dimensions."""
    engine: Annotated[Engine, OnChange("another engine: latency and memory change"), SelectionNeed(70)] = (
        Engine.EAGER
    )
    """What executes the model: a framework as it is (eager), with its graph compiled (torch.compile, XLA), an engine
    built for the model (TensorRT, ONNX Runtime, OpenVINO), or one with continuous batching (llm-engine: vLLM, TensorRT-LLM,
    TGI). Not stated, it is an llm-engine for a decoder whose every image names one."""
    batching: Annotated[
        Batching | None,
        OnChange(
            added="requests wait for others, and share a pass",
            removed="each request is computed alone",
        ),
        SelectionNeed(75),
    ] = None
    """How the server batches requests; by default each is computed alone. The variables for it are set on images of AWS for
    PyTorch, TensorFlow and DJL; another server, such as Triton, is configured in the artifact. The handler must compute a
    batch in one pass."""
    container: ServingContainer
    """The images that serve the model, and what they are given."""
    request: Annotated[Request, Below(OnFactor()), SelectionNeed(40)]
    """What one request holds, in the units of the model."""
    traffic: Annotated[Traffic, Below(OnFactor()), SelectionNeed(30)]
    """How much arrives: requests per second, or users who wait for their answers."""
    latency: Latency
    """How fast a request must be answered."""
    objective: Annotated[
        Literal["least-cost", "least-latency"],
        OnValue(
            (
                ("least-latency", "the fastest type is taken, at any price"),
                ("least-cost", "the cheapest type that meets the needs is taken"),
            )
        ),
        SelectionNeed(210),
    ] = "least-cost"
    """What makes one instance type better than another, among those that meet every need."""
    margin: Annotated[Margin | None, SelectionNeed(240)] = None
    """Room that estimates must leave to latency and memory, as a share; by default the policy's."""
    max_usd_per_month: Annotated[Usd | None, ON_MAX_USD, SelectionNeed(220)] = None
    """The most that the instances of this endpoint may cost at average load, in USD per month."""
    scaling: Scaling = Scaling()
    """How the number of instances follows the load, and the clock."""
    alarms: Alarms = Alarms()
    """When each alarm goes off, or why it is off; by default what follows from the objective and the hardware."""
    instances: Annotated[InstanceConstraints, SelectionNeed(250)] = InstanceConstraints()
    """Limits on the choice of the instance type, which must meet every need all the same."""
    place: Annotated[PlaceName | None, *ON_PLACE] = None
    """Which of the places it runs in; by default policy.account and policy.region."""
    execution_role_arn: Annotated[RoleArn | None, ON_EXECUTION_ROLE] = None
    """The ARN of a role of the account that SageMaker assumes for this workload, in place of one that is made for it."""
    capacity_reservation_arn: Annotated[
        CapacityReservationArn | None,
        OnChange(
            changed="instances start in another reservation or not at all",
            added="instances start in the reservation or not at all",
            removed="instances start in the capacity that everybody shares",
        ),
    ] = None
    """An ML capacity reservation of instances.instance_type: instances start in it or not at all."""
    mode: ServingMode = "real-time"
    """How the model is served; auto takes the cheapest mode that meets every need; synth builds real-time
    endpoints only."""
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
    def _batching_has_an_effect(self) -> Self:
        if self.batching is None:
            return self
        if self.engine is Engine.LLM_ENGINE:
            raise fault("batching", f"has no effect: an llm-engine batches by itself; {without('batching')}")
        if self.model.architecture in ("gradient-boosting", "linear"):
            raise fault(
                "batching",
                f"has no effect: rows of a table are scored by the cores of the host; {without('batching')}",
            )
        if self.batching.max_delay_ms >= self.latency.max_p95_ms:
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

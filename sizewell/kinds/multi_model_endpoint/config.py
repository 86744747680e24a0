"""A multi-model endpoint: many models of one kind on the same instances, which load what is asked for."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.access import ON_ACCESS, Access
from sizewell.config.alarms import Alarm, Alarms
from sizewell.config.availability import AvailabilityObjective
from sizewell.config.base import ON_TIME_LIMIT, ConfigModel, fault, without
from sizewell.config.container import Artifact, Image, NamedImage, ServingContainer
from sizewell.config.effects import Below, OnChange, OnFactor, OnNumber, OnToggle, SelectionNeed
from sizewell.config.endpoint import MAX_INVOCATION_MS, AnswerLatency, ModelLatencyMs
from sizewell.config.endpoint_rules import instance_bounds, member_violations
from sizewell.config.environment import Environment
from sizewell.config.fleet_settings import ObservedFleet
from sizewell.config.kind import ConfigKind
from sizewell.config.request_members import Violation, payload_violations
from sizewell.config.rollout import ON_ROLLOUT, Rollout
from sizewell.config.scaling import Scaling
from sizewell.config.served_model import EndpointOnInstances
from sizewell.config.traffic import Traffic
from sizewell.facts.container_images import Framework
from sizewell.facts.models import Engine
from sizewell.facts.multi_model import GPU_REPOSITORY, serves_one_model_on_gpus, workers_variable
from sizewell.facts.serving_modes import Mode

_ONE = "a multi-model endpoint"
_SPREAD = "requests are spread otherwise over the models"
_ON_SPREAD = OnChange(_SPREAD, _SPREAD, _SPREAD)
#: Keys that people bring from other endpoints, by their path in the workload, with what to do instead.
MISPLACED_KEYS = {
    "data_capture": "no page of AWS says whether a multi-model endpoint captures data; kind: real-time-endpoint does",
    "instance_pools": "no page of AWS says whether a multi-model endpoint has instance pools; kind: real-time-endpoint has",
    "latency.max_time_to_first_token_ms": "the answer of a multi-model endpoint comes as a whole: state max_p95_ms",
    "latency.max_inter_token_ms": "the answer of a multi-model endpoint comes as a whole: state max_p95_ms",
    "latency.max_wait_minutes": f"the caller of {_ONE} waits for the answer: remove the key",
    "mode": "the kind says how the models are served: remove the key",
    "routing": "SageMaker routes a request to an instance that has its model in memory: remove the key",
    "shadow": "multi-model endpoints have no shadow tests; kind: real-time-endpoint has",
    "similar_models": "write it as models.count",
    "variants": "AWS's guide and its feature matrix differ on variants here; kind: real-time-endpoint has them",
}


class Models(ConfigModel):
    """How many models there are, all of the shape that model says, and how the requests are spread over them."""

    count: Annotated[
        int,
        Field(ge=2, le=1_000_000),
        OnNumber("fewer models share the memory", "more models share the memory"),
    ]
    """How many models lie below the prefix, and are asked for."""
    zipf_exponent: Annotated[Annotated[float, Field(gt=0, le=3)] | None, _ON_SPREAD] = None
    """The n-th most popular model gets requests in proportion to 1 / n to this power; 1 is what one finds of texts and web
    pages. By default every model gets as many."""
    hot_count: Annotated[Annotated[int, Field(ge=1, le=1_000_000)] | None, _ON_SPREAD] = None
    """So many models get hot_share_percent of the requests, each as many; the others share the rest."""
    hot_share_percent: Annotated[Annotated[float, Field(gt=0, lt=100)] | None, _ON_SPREAD] = None
    """The share of the requests that the hot_count models get."""
    workers_per_model: Annotated[
        Annotated[int, Field(ge=1, le=192)],
        OnNumber("fewer processes serve a model", "more processes serve a model, each with a copy of it"),
    ] = 1
    """Worker processes that serve each model on a CPU (SAGEMAKER_MODEL_SERVER_WORKERS), each with a copy of it: an instance
    answers no more requests of one model at a time. On a GPU there is one copy."""
    cache: Annotated[
        bool,
        OnToggle(on="models stay in memory after an answer", off="every request loads its model"),
    ] = True
    """Whether models stay in memory until others need the room (ModelCacheSetting); without, every request loads its model."""

    @model_validator(mode="after")
    def _spread_is_one(self) -> Self:
        if (self.hot_count is None) != (self.hot_share_percent is None):
            key = "hot_share_percent" if self.hot_share_percent is None else "hot_count"
            raise fault(key, "is missing: so many hot models, and their share of the requests, go together")
        if self.hot_count is not None and self.hot_count >= self.count:
            raise fault("hot_count", f"is {self.hot_count}, but there are {self.count} models in all")
        if self.zipf_exponent is not None and self.hot_count is not None:
            raise fault(
                "zipf_exponent",
                f"and hot_count both say how the requests are spread; {without('zipf_exponent')}",
            )
        spread = "zipf_exponent" if self.zipf_exponent is not None else "hot_count"
        if not self.cache and getattr(self, spread) is not None:
            raise fault(
                spread, f"has no effect without a cache: every request loads its model; {without(spread)}"
            )
        return self


class ModelArtifacts(Artifact):
    """The trained models, in the artifact bucket of the environment: a .tar.gz for each."""

    compression: Literal["gzip"] = "gzip"
    """Always gzip: a multi-model endpoint loads archives."""

    @model_validator(mode="after")
    def _key_matches_compression(self) -> Self:
        if not self.key.endswith("/"):
            raise fault(
                "key",
                f"is {self.key}, but {_ONE} loads any object below a prefix, which ends in '/': callers name the object as "
                "TargetModel",
            )
        return self


class MultiModelContainer(ServingContainer):
    """What serves the models. Of AWS's images those for CPUs serve several models, and on GPUs NVIDIA Triton."""

    artifact: ModelArtifacts
    """The trained models: key is the prefix that all of them lie below, size_gib the size of one."""

    @model_validator(mode="after")
    def _model_is_named_once(self) -> Self:
        if self.model_package is not None:
            raise fault(
                "model_package",
                f"names one model, but {_ONE} serves all that lie below artifact.key; {without('model_package')}",
            )
        return self

    @model_validator(mode="after")
    def _images_serve_several_models(self) -> Self:
        if self.images.neuron is not None:
            raise fault("images.neuron", f"has no effect: {_ONE} runs on CPUs and GPUs; {without('neuron')}")
        cuda = self.images.cuda
        if (isinstance(cuda, NamedImage) and cuda.framework is not Framework.TRITON) or (
            isinstance(cuda, Image) and serves_one_model_on_gpus(cuda.repository)
        ):
            raise fault(
                "images.cuda",
                f"serves one model on a GPU: of AWS's images, {GPU_REPOSITORY} serves several; name it, or "
                f"{without('cuda')}",
            )
        return self

    def in_region(self, region: str) -> Self:
        """Return the container with the images that its names stand for, of those that serve several models."""
        container = super().in_region(region)
        cuda = container.images.cuda
        of_one = isinstance(cuda, Image) and serves_one_model_on_gpus(cuda.repository)
        images = container.images.model_copy(update={"neuron": None, "cuda": None if of_one else cuda})
        return container.model_copy(update={"images": images})


class MultiModelLatency(AnswerLatency):
    """The service level objective of one request, whichever model it asks for, its load included."""

    max_cold_ms: Annotated[ModelLatencyMs, ON_TIME_LIMIT, SelectionNeed.BOUND] = MAX_INVOCATION_MS
    """Milliseconds within which a request is answered whose model must be loaded first; by default 60,000, after which
    SageMaker ends a call."""

    @model_validator(mode="after")
    def _cold_is_slower(self) -> Self:
        if self.max_cold_ms < self.max_p95_ms:
            raise fault("max_cold_ms", f"is {self.max_cold_ms:g}, below max_p95_ms ({self.max_p95_ms:g})")
        return self


class LoadingAlarm(Alarm):
    """An alarm on how long a request waits for its model."""

    above_ms: Annotated[
        Annotated[float, Field(ge=1, lt=MAX_INVOCATION_MS)] | None,
        OnNumber("the alarm is stricter", "the alarm is looser"),
    ] = None
    """The alarm goes off above these milliseconds. By default twice the load that is predicted, at most latency.max_cold_ms."""


class CacheAlarm(Alarm):
    """An alarm on the share of requests that find their model in memory."""

    below_percent: Annotated[
        Annotated[float, Field(gt=0, lt=100)] | None,
        OnNumber("the alarm is looser", "the alarm is stricter"),
    ] = None
    """The alarm goes off below this share in percent. By default 95, where a load takes longer than latency.max_p95_ms."""


class MultiModelAlarms(Alarms):
    """The alarms of a multi-model endpoint."""

    model_loading_wait_time: LoadingAlarm = LoadingAlarm()
    """What the slowest request waits for its model (ModelLoadingWaitTime)."""
    model_cache_hit: CacheAlarm = CacheAlarm()
    """Requests that find their model in memory (ModelCacheHit)."""


class MultiModelEndpoint(ObservedFleet, EndpointOnInstances, AvailabilityObjective):
    """Many models that share instances: each request names the one that it is for."""

    misplaced_keys: ClassVar[Mapping[str, str]] = MISPLACED_KEYS

    kind: Literal["multi-model-endpoint"]
    """The workload is a SageMaker endpoint of many models, which are loaded as they are asked for."""
    models: Annotated[Models, SelectionNeed.MODEL]
    """How many models there are, and how the requests are spread over them."""
    container: MultiModelContainer
    """The images that serve the models, and what they are given."""
    traffic: Annotated[Traffic, Below(OnFactor()), SelectionNeed.LOAD]
    """How much arrives for all models together: requests per second, or users who wait for their answers."""
    latency: MultiModelLatency
    """How fast a request must be answered."""
    access: Annotated[Access | None, ON_ACCESS] = None
    """Who may invoke it, whichever model; by default nobody is given the permission."""
    scaling: Scaling = Scaling()
    """How the number of instances follows the load, and the clock."""
    rollout: Annotated[Rollout | None, ON_ROLLOUT] = None
    """How a new fleet takes over the traffic, and when; it begins without any model in memory. By default as fits the
    hardware and the size of the fleet."""
    alarms: MultiModelAlarms = MultiModelAlarms()
    """When each alarm goes off, or why it is off; by default what follows from the objective and the hardware."""

    @model_validator(mode="after")
    def _serves_several(self) -> Self:
        if self.batching is not None:
            raise fault(
                "batching",
                f"the server decides model by model whether it batches (Triton: config.pbtxt); {without('batching')}",
            )
        if self.engine is Engine.LLM_ENGINE:
            raise fault("engine", "an llm-engine keeps one model in memory; write another engine")
        return self


def multi_model_violations(name: str, endpoint: MultiModelEndpoint) -> Iterator[Violation]:
    """Yield a request or an answer that no multi-model endpoint takes, and a variable that is stated twice."""
    path = ("workloads", name)
    yield from payload_violations(path, endpoint.request, Mode.MULTI_MODEL)
    images = endpoint.container.images
    for image in (images.cpu_x86_64, images.cpu_arm64):
        variable = workers_variable(image.repository) if isinstance(image, Image) else None
        if variable in endpoint.container.environment:
            yield (
                (*path, "container", "environment", variable or ""),
                "the variable is set for you, by models.workers_per_model; remove it here",
            )


def _rules(environment: Environment, name: str, endpoint: MultiModelEndpoint) -> Iterator[Violation]:
    yield from instance_bounds(environment, name, endpoint.scaling)
    yield from multi_model_violations(name, endpoint)
    yield from member_violations(environment, name, endpoint)


FACET = ConfigKind(rank=3, model=MultiModelEndpoint, rules=_rules)

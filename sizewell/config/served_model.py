"""What every way to serve a model is told: the model and its container, one request, and where it runs."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.access import Access
from sizewell.config.base import (
    ON_MAX_USD,
    ConfigModel,
    Margin,
    Megabytes,
    Usd,
    fault,
    with_article,
    without,
)
from sizewell.config.cluster import ON_TARGET, TargetName
from sizewell.config.container import InferenceContainer, ServingContainer
from sizewell.config.effects import Below, OnChange, OnFactor, OnNumber, OnValue, SelectionNeed
from sizewell.config.execution_role import ON_EXECUTION_ROLE, RoleArn
from sizewell.config.instances import InstanceConstraints, OnInstances
from sizewell.config.ml_model import ON_MODEL, Model, PresetModel
from sizewell.config.place import ON_PLACE, PlaceName
from sizewell.config.tags import ON_TAGS, Tags
from sizewell.config.workload import Workload
from sizewell.facts.models import Engine

#: The longest that a server collects requests for a batch: as long as a real-time endpoint may take for an answer.
MAX_DELAY_MS = 60_000
#: Longer contexts and larger batches than any model takes in one request.
Tokens = Annotated[int, Field(gt=0, le=10_000_000)]
Items = Annotated[int, Field(gt=0, le=1_000_000)]


class Request(ConfigModel):
    """One request, in the units of the model."""

    input_tokens: Tokens | None = None
    """Tokens that come in."""
    output_tokens: Tokens | None = None
    """Tokens that a decoder writes in answer."""
    audio_seconds: Annotated[float, Field(ge=0.1, le=7 * 24 * 3600)] | None = None
    """Seconds of sound that come in, for Whisper and models like it, in place of input_tokens: windows of 30 s are read one after
    the other. Without output_tokens, people speak all the time: 100 tokens in 30 s."""
    images: Items | None = None
    """Images that come in, or that a diffusion model draws."""
    clips: Items | None = None
    """Clips of sound, or other sequences, that come in, for an rnn."""
    series: Items | None = None
    """Time series that come in and are forecast together."""
    rows: Items | None = None
    """Rows of a table that are scored together."""
    payload_mb: Megabytes | None = None
    """The size of the request in MB: every mode has a limit, and the server in the container takes it; without it no limit is
    checked."""
    response_mb: Megabytes | None = None
    """The size of the answer in MB: some modes have a limit."""


class ContainedModel(ConfigModel):
    """A model in its container, and one request of it."""

    model: Annotated[Model, ON_MODEL, SelectionNeed.MODEL]
    """The model: a public one by its name (preset: llama-3.1-8b), or an architecture with its dimensions."""
    engine: Annotated[Engine, OnChange("another engine: latency and memory change"), SelectionNeed.MODEL] = (
        Engine.EAGER
    )
    """What executes the model: a framework as it is (eager), with its graph compiled (torch.compile, XLA), an engine
    built for the model (TensorRT, ONNX Runtime, OpenVINO), or one with continuous batching (llm-engine: vLLM, TensorRT-LLM,
    TGI). Not stated, it is what every image names: an llm-engine for a decoder, or an optimized-runtime (TEI)."""
    container: InferenceContainer
    """The images that serve the model, and what they are given."""
    request: Annotated[Request, Below(OnFactor()), SelectionNeed.LOAD]
    """What one request holds, in the units of the model."""
    margin: Annotated[Margin | None, SelectionNeed.MARGIN] = None
    """Room that estimates must leave to latency and memory, as a share; by default the policy's."""

    @model_validator(mode="after")
    def _request_matches_model(self) -> Self:
        if isinstance(self.model, PresetModel):  # its architecture is not known here
            return self
        architecture = with_article(self.model.architecture)
        needed = self.model.request_keys
        given = self.request.model_fields_set - {"payload_mb", "response_mb"}
        if self.request.audio_seconds is not None:
            if self.model.architecture != "encoder-decoder":
                raise fault(
                    "request.audio_seconds", f"is for an encoder-decoder of sound, not {architecture}"
                )
            if self.request.input_tokens is not None:
                raise fault("request.input_tokens", f"is said by audio_seconds; {without('input_tokens')}")
            given = (given - {"audio_seconds"}) | needed
        if needed != given:
            images = architecture == "an encoder" and given == {"images"}
            raise fault(
                "request",
                f"{architecture} needs {' and '.join(sorted(needed))}, "
                f"but {' and '.join(sorted(given)) or 'nothing'} is given"
                + (
                    "; an encoder of images states model.forward_gflops_per_image or model.image_pixels"
                    if images
                    else ""
                ),
            )
        if self.engine is Engine.LLM_ENGINE and "output_tokens" not in needed:
            raise fault("engine", f"an llm-engine serves a decoder, not {architecture}")
        return self


class DescribedWorkload(Workload):
    """What serves, and what people call it."""

    kind: str
    """How the model is served."""
    description: Annotated[str, Field(max_length=200)] = ""
    """One sentence for people, shown beside the workload."""
    tags: Annotated[Tags, ON_TAGS] = {}
    """Tags of what this workload has and starts, beside and before those of the environment."""


class PlacedWorkload(Workload):
    """Where something serves, as whom, and for how much."""

    max_usd_per_month: Annotated[Usd | None, ON_MAX_USD, SelectionNeed.COST] = None
    """The most that serving may cost at average load, in USD per month."""
    place: Annotated[PlaceName | None, *ON_PLACE] = None
    """Which of the places it runs in; by default policy.account and policy.region."""
    target: Annotated[TargetName | None, *ON_TARGET] = None
    """Which of the clusters it runs in, or cheapest: the cheapest of SageMaker and the clusters that meet the needs. By default
    SageMaker."""
    execution_role_arn: Annotated[RoleArn | None, ON_EXECUTION_ROLE] = None
    """The ARN of a role of the account that SageMaker assumes for this workload, in place of one that is made for it."""


class ServedModel(PlacedWorkload, ContainedModel, DescribedWorkload):
    """A model that answers requests, in whatever way."""


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
        Field(ge=0, le=MAX_DELAY_MS),
        OnNumber("requests wait less for others", "requests wait longer for others"),
    ]
    """Milliseconds that the first request waits for others; 0 takes what has come while the batch before was computed."""


class ModelOnInstances(ContainedModel):
    """A model whose containers run on instances."""

    container: ServingContainer
    """The images that serve the model, and what they are given."""
    batching: Annotated[
        Batching | None,
        OnChange(
            added="requests wait for others, and share a pass",
            removed="each request is computed alone",
        ),
        SelectionNeed.MODEL,
    ] = None
    """How the server batches requests; by default each is computed alone. The variables for it are set on images of AWS for
    PyTorch, TensorFlow and DJL; another server, such as Triton, is configured in the artifact. The handler must compute a
    batch in one pass."""

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
        return self


class OnChosenType(OnInstances):
    """What says which instance type is the best."""

    has_fleet: ClassVar[bool] = True

    objective: Annotated[
        Literal["least-cost", "least-latency"],
        OnValue(
            (
                ("least-latency", "the fastest type is taken, at any price"),
                ("least-cost", "the cheapest type that meets the needs is taken"),
            )
        ),
        SelectionNeed.COST,
    ] = "least-cost"
    """What makes one instance type better than another, among those that meet every need."""
    instances: Annotated[InstanceConstraints, SelectionNeed.INSTANCES] = InstanceConstraints()
    """Limits on the choice of the instance type, which must meet every need all the same."""


class ServedOnInstances(OnChosenType, ModelOnInstances, ServedModel):
    """A model that is served on instances, whose type is chosen."""


class EndpointOnInstances(ServedOnInstances):
    """An endpoint of SageMaker with a fleet of its own."""

    if TYPE_CHECKING:

        @property
        def access(self) -> Access | None:
            """Who may invoke it."""

        @property
        def detailed_metrics(self) -> bool:
            """Whether its instances report in detail."""

    @property
    def streams(self) -> bool:
        """Whether an answer may be read as a stream."""
        return False

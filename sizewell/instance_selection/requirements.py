"""What a workload needs, in the units of the domain: the input of a selection."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, Self

from sizewell.facts.billing import HOURS_PER_WEEK
from sizewell.facts.models import Engine as Engine
from sizewell.facts.models import Precision as Precision
from sizewell.facts.transform_jobs import VOLUME_SIZE_GB
from sizewell.instance_selection.architectures import Architecture as Architecture
from sizewell.instance_selection.catalog.instance_types import Usage

#: Starting instances, pulling the image and loading the first data; billed like the rest.
START_UP_HOURS = 10 / 60


class HardwareKind(StrEnum):
    """What a container image must be built for."""

    CUDA = "cuda"
    NEURON = "neuron"
    CPU_X86_64 = "cpu_x86_64"
    CPU_ARM64 = "cpu_arm64"


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """A model, in the terms that decide its memory and its arithmetic.

    Transformers give ``layers``, ``hidden_size`` and ``kv_hidden_size`` (key/value heads x head dimension; latent
    attention counts half of its latent); convolutional networks and diffusion give ``layers``,
    ``forward_flops_per_image`` and ``activations_per_image`` (values; of one denoising step for diffusion);
    recurrent networks give ``time_steps``, forecasters also ``forecast_steps``; gradient boosting gives ``trees``,
    ``tree_depth`` and ``features``. A zero is unknown, and replaced by a stated default where a default exists.
    """

    architecture: Architecture
    parameters: float
    layers: int
    precision: Precision
    framework: str = "pytorch"
    active_parameters: float | None = None
    """Weights of a mixture of experts that one token is multiplied with, look-up tables included; None is all."""
    embedding_parameters: float = 0.0
    """Weights of look-up tables, which do no arithmetic."""
    hidden_size: int = 0
    kv_hidden_size: int = 0
    intermediate_size: int = 0
    vocabulary_size: int = 0
    forward_flops_per_image: float = 0.0
    activations_per_image: float = 0.0
    image_pixels: int = 0
    """Height x width of an image; 0 where they are not stated. They give its arithmetic, where that is not stated."""
    denoising_steps: int = 50
    guidance: bool = True
    """Classifier-free guidance: every denoising step is computed twice."""
    time_steps: int = 0
    """Steps of a sequence that come in, which a recurrent network takes one after the other."""
    forecast_steps: int = 0
    """Steps of a time series that are forecast."""
    patch_length: int = 0
    """Steps that make one token of a forecaster that is a transformer; 0 of a recurrent one."""
    samples: int = 1
    """Paths that a recurrent forecaster draws side by side."""
    trees: int = 100
    tree_depth: int = 6
    features: int = 0

    @property
    def multiplied_parameters(self) -> float:
        """Weights that every token is multiplied with: all that are active but the look-up tables."""
        return (self.active_parameters or self.parameters) - self.embedding_parameters

    @property
    def sequence_length(self) -> int:
        """Tokens of one sequence of a stated length, past and future; 0 where the request says how long it is."""
        return -(-(self.time_steps + self.forecast_steps) // max(self.patch_length, 1))


class Objective(StrEnum):
    """What makes one feasible type better than another."""

    LEAST_COST = "least-cost"
    LEAST_LATENCY = "least-latency"


@dataclass(frozen=True, kw_only=True)
class InstanceLimits:
    """Which types may be picked at all, whatever they can do."""

    images: frozenset[HardwareKind]
    image_name: str | None = None
    """The name of the images, where one name stands for all of them."""
    cuda: tuple[int, int] | None = None
    """The version of CUDA in the image for NVIDIA GPUs, where that is known."""
    instance_type: str | None = None
    locked: str | None = None
    """The type that is picked where it meets every need, also if another is better."""
    allowed_families: frozenset[str] | None = None
    denied_families: frozenset[str] = frozenset()
    allow_burstable: bool = False
    cpus: frozenset[str] | None = None
    """The architectures of the host that all containers beside that of the model have an image for; None where there are none."""


@dataclass(frozen=True, kw_only=True)
class InstanceRequirements:
    """What every workload states that runs on instances of one type."""

    limits: InstanceLimits
    savings_plan_discount_pct: float = 0.0
    """The discount of a Machine Learning Savings Plan on the on-demand price, 0 without one; Spot is never discounted further."""

    def locked_on(self, instance_type: str) -> Self:
        """Return the same needs with this type picked where it meets them."""
        return replace(self, limits=replace(self.limits, locked=instance_type))


@dataclass(frozen=True, kw_only=True)
class BoundsOfWeek:
    """Bounds of the number of instances that hold for some hours of every week."""

    hours_per_week: float
    min_instances: int
    max_instances: int


@dataclass(frozen=True, kw_only=True)
class Batching:
    """A model server that collects requests which arrive near each other, and computes them in one pass."""

    max_batch_size: int
    max_delay_ms: int
    """How long the first request waits for others."""


@dataclass(frozen=True, kw_only=True)
class Queue:
    """Requests wait in a queue, and a fleet without work sleeps where an instance that starts comes early enough."""

    max_wait_s: float
    """From a request to its answer."""
    wake_s: float
    """From a request to the first instance that works on it, where no instance runs."""
    idle_s: float
    """From the last answer until no instance runs."""
    active_hours_per_day: float = 24.0
    """The hours in which requests arrive, evenly."""

    def leaves_time_to_wake(self, service_s: float) -> bool:
        """Return whether an answer that takes so long comes in time from an instance that has to start."""
        return self.wake_s + service_s <= self.max_wait_s * (1 + 1e-9)


@dataclass(frozen=True, kw_only=True)
class ModelSet:
    """Models of one shape that share the instances of a multi-model endpoint; its load is that of all of them together."""

    count: int
    hot_count: int = 0
    """Models that get ``hot_share`` of the requests; the others share the rest equally."""
    hot_share: float = 0.0
    zipf_exponent: float = 0.0
    """The n-th most popular model gets requests in proportion to n to the power of minus this; 0: all get as many."""
    workers_per_model: int = 1
    """Processes that serve one model on a CPU, each with a copy of it; on a GPU there is one copy."""
    cached: bool = True
    """False: a model is unloaded as soon as it has answered."""
    artifact_gib: float | None = None
    """What is downloaded to load one model; None: as much as its weights."""
    max_cold_latency_ms: float
    """The longest latency of a request whose model must be loaded first."""


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What somebody measured of a workload on an instance type; None is not measured.

    ``p95_latency_ms``, ``time_to_first_token_ms`` and ``inter_token_ms`` are of 95 of 100 answers, at ``concurrency`` requests
    in flight, or of one request alone when that is 1.
    ``max_requests_per_second`` is what one instance carried within the latency bound of the test.
    ``training_units_per_second`` are examples or tokens of the whole cluster of ``instance_count`` instances.
    ``peak_accelerator_memory_gib`` is of the fullest accelerator. ``date`` is an ISO date, ``source`` for example
    "inference-recommender job bert-7" or "load test".
    """

    instance_type: str
    p95_latency_ms: float | None = None
    time_to_first_token_ms: float | None = None
    inter_token_ms: float | None = None
    max_requests_per_second: float | None = None
    concurrency: float | None = None
    training_units_per_second: float | None = None
    instance_count: int = 1
    peak_accelerator_memory_gib: float | None = None
    date: str = ""
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class EndpointRequirements(InstanceRequirements):
    """What an endpoint must serve.

    Load is either ``*_requests_per_second`` (arrives by itself) or ``*_concurrent_users`` (each waits for an answer
    before the next request); the other pair is None. An average that
    is None is the peak. ``headroom`` is the share of capacity that stays free.
    """

    model: ModelSpec
    engine: Engine
    max_p95_latency_ms: float
    max_p99_latency_ms: float | None = None
    max_time_to_first_token_ms: float | None = None
    """The time within which 95 of 100 answers of a model that generates begin."""
    max_inter_token_ms: float | None = None
    """Between two tokens, on the average of an answer, in 95 of 100 answers."""
    input_tokens: int = 0
    output_tokens: int = 0
    images_per_request: int = 0
    windows_per_request: int = 1
    """Parts of a request that are read and answered one after the other, each with the tokens above."""
    peak_requests_per_second: float | None = None
    average_requests_per_second: float | None = None
    peak_concurrent_users: float | None = None
    average_concurrent_users: float | None = None
    batching: Batching | None = None
    """None: each replica serves one request after the other, or the engine batches by itself."""
    queue: Queue | None = None
    """None: requests are answered at once, by instances that run all the time. With one, ``peak_requests_per_second`` is the
    mean of the active hours, and ``min_instances`` may be 0."""
    pipeline_ms: float = 0.0
    """How long the other containers of the pipeline work on a request, as stated."""
    pipeline_memory_gib: float = 0.0
    """The host memory that they need, as stated."""
    pipeline_disk_gib: float = 0.0
    """The size of their artifacts on disk, as far as stated."""
    models: ModelSet | None = None
    """None: one model, which every instance holds all the time."""
    usage: Usage = Usage.HOSTING
    """What runs the instances."""
    headroom: float = 0.3
    min_instances: int = 1
    max_instances: int = 10
    max_instances_is_stated: bool = False
    """Whether the workload states ``max_instances``; otherwise it is a ceiling."""
    bounds_of_week: tuple[BoundsOfWeek, ...] = ()
    """The bounds that the clock changes, together a week. ``max_instances`` is then the largest of them."""
    margin: float = 0.0
    """Room that estimates must leave to memory and latency, as a share of the estimate."""
    objective: Objective = Objective.LEAST_COST
    max_usd_per_month: float | None = None
    measurements: tuple[Measurement, ...] = ()
    """What was measured of this workload."""
    artifact_gib: float | None = None
    """The size of the model artifact on disk; None: that of its weights."""

    def with_only_latency_bound(self, max_p95_latency_ms: float) -> Self:
        """Return the same needs with this bound of latency and no other."""
        return replace(
            self,
            max_p95_latency_ms=max_p95_latency_ms,
            max_p99_latency_ms=None,
            max_time_to_first_token_ms=None,
            max_inter_token_ms=None,
        )


@dataclass(frozen=True, kw_only=True)
class SpotRequirements:
    """Managed Spot, with the checkpoint interval that bounds what an interruption costs.

    ``on_demand_fallback``: the job leaves Spot while a whole run on demand still meets the deadline, or ``max_wait_hours`` after
    the start. Without it, Spot has the whole deadline.
    """

    checkpoint_interval_hours: float
    on_demand_fallback: bool = True
    max_wait_hours: float | None = None


@dataclass(frozen=True, kw_only=True)
class TrainingRequirements(InstanceRequirements):
    """What a training job must do, and by when."""

    model: ModelSpec
    method: Literal["full", "lora"]
    optimizer: Literal["adamw", "sgd"]
    units: float
    """Images or tokens of the whole job: examples or tokens of one epoch x epochs."""
    sequence_length: int
    batch_size_per_accelerator: int | None
    """None: derived, see ``training_selection.with_batch_size``."""
    deadline_hours: float
    lora_parameters: float = 0.0
    min_accelerators: int = 1
    max_instances: int = 1
    spot: SpotRequirements | None = None
    runs_per_month: float | None = None
    """None: it is not stated, so the monthly cost is that of one run."""
    margin: float = 0.0
    """Room that estimates must leave to memory and deadline, as a share of the estimate."""
    max_usd_per_run: float | None = None
    usage: Usage = Usage.TRAINING
    """What runs the instances."""
    start_up_hours: float = START_UP_HOURS
    """Of each start: instances, the image, and what must be there before the script begins."""
    prepaid: bool = False
    """Whether a training plan has paid for the instances."""
    assumptions: tuple[str, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    """What was measured of this job."""


@dataclass(frozen=True, kw_only=True)
class TransformRequirements:
    """What one run of a transform job must get through, and by when.

    ``serving`` is the model and one request with all its rows; its bound of latency is the longest time-out of a request, and
    its load counts for nothing: an instance gets the next request as soon as it has answered one.
    """

    serving: EndpointRequirements
    rows: float
    objects: int
    """An instance transforms whole objects."""
    rows_per_request: int
    rows_in_turn: int
    """Rows of a request that are computed one after the other, because ``serving`` describes one of them."""
    row_mb: float
    """What goes to an instance for each row, through its network."""
    payload_mb: int
    """The largest request: all that are sent to an instance at a time may have 100 MB."""
    deadline_hours: float
    max_concurrent_transforms: int | None = None
    """None: as many as an instance works on."""
    max_instances: int = 1
    runs_per_month: float | None = None
    """None: it is not stated, so the monthly cost is that of one run."""
    max_usd_per_run: float | None = None
    usage: Usage = Usage.TRANSFORM
    """What runs the instances."""
    volume_gb: float = VOLUME_SIZE_GB
    """The disk of a type without disks of its own: a transform job of SageMaker has one size of volume."""

    @property
    def limits(self) -> InstanceLimits:
        """Which types may be picked at all."""
        return self.serving.limits

    def locked_on(self, instance_type: str) -> Self:
        """Return the same needs with this type picked where it meets them."""
        return replace(self, serving=self.serving.locked_on(instance_type))


@dataclass(frozen=True, kw_only=True)
class StatedRequirements(InstanceRequirements):
    """What each instance must have, as the user states it."""

    vcpus: int
    memory_gib: float
    accelerators: int = 0


@dataclass(frozen=True, kw_only=True)
class ProcessingRequirements(StatedRequirements):
    """What each instance of a processing job must have, and how long a run may take."""

    volume_gib: int
    deadline_hours: float
    instance_count: int = 1
    expected_hours: float | None = None
    """None: it is not stated, so a run is paid for its whole deadline."""
    runs_per_month: float | None = None
    """None: it is not stated, so the monthly cost is that of one run."""
    max_usd_per_run: float | None = None

    @property
    def hours(self) -> float:
        """How long a run is paid for."""
        return self.deadline_hours if self.expected_hours is None else self.expected_hours


@dataclass(frozen=True, kw_only=True)
class NotebookRequirements(StatedRequirements):
    """What a notebook must have, and how long it runs in a month."""

    hours_per_month: float
    """The hours in which it runs, and is paid for."""
    working_hours_per_month: float


@dataclass(frozen=True, kw_only=True)
class ComponentRequirements:
    """What one inference component must serve: the numbers of instances of ``serving`` are those of its copies.

    0 copies at least are of a component that may sleep.
    """

    name: str
    serving: EndpointRequirements


@dataclass(frozen=True, kw_only=True)
class FleetRequirements:
    """What the instances of an endpoint must hold: copies of several models beside each other."""

    components: tuple[ComponentRequirements, ...]
    min_instances: int
    max_instances: int
    objective: Objective = Objective.LEAST_COST
    max_usd_per_month: float | None = None
    savings_plan_discount_pct: float = 0.0
    hours_per_week: float = HOURS_PER_WEEK
    """In all others there is no copy, and no instance."""

    def locked_on(self, instance_type: str) -> Self:
        """Return the same needs with this type picked where it meets them."""
        locked = (
            replace(component, serving=component.serving.locked_on(instance_type))
            for component in self.components
        )
        return replace(self, components=tuple(locked))


def one_after_the_other(needs: EndpointRequirements) -> EndpointRequirements:
    """Return the needs of a job: its requests do not arrive at random, each follows the answer to the one before."""
    return replace(
        needs,
        peak_requests_per_second=None,
        average_requests_per_second=None,
        peak_concurrent_users=1.0,
        average_concurrent_users=1.0,
        min_instances=1,
        bounds_of_week=(),
    )

"""The result of a selection: the chosen type, the runners-up, and why each other type was rejected."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, computed_field

from sizewell.instance_selection.catalog import PriceBasis

_new = object.__new__
# What a model is made of: setting it by its descriptors takes half of the time of ``object.__setattr__``.
_set_values = BaseModel.__dict__["__dict__"].__set__
_set_names = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__


class Result(BaseModel):
    """Frozen, and read back from JSON exactly as it was written."""

    # Computed sums are written but not read, hence not "forbid".
    model_config = ConfigDict(frozen=True, extra="ignore")
    field_names: ClassVar[set[str]]

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        cls.field_names = set(cls.model_fields)

    @classmethod
    def trusted(cls, values: dict[str, Any]) -> Self:
        """Return a result of values that were computed here, every field given: thousands are made, none is validated.

        Does what ``model_construct`` does, without looking for defaults and aliases. ``values`` become the result's own.
        """
        result = _new(cls)
        _set_values(result, values)
        _set_names(result, cls.field_names)
        _set_extra(result, None)
        _set_private(result, None)
        return result

    @classmethod
    def of_columns(cls, columns: Mapping[str, Iterable[Any]]) -> list[Self]:
        """Return a trusted result of each row of columns, which are called as its fields."""
        names, trusted = tuple(columns), cls.trusted
        return [trusted(dict(zip(names, row, strict=True))) for row in zip(*columns.values(), strict=True)]


class MemoryEstimate(Result):
    """Memory of one accelerator (or of the host, on a CPU), in GiB."""

    weights_gib: float
    kv_cache_gib: float = 0.0
    activations_gib: float = 0.0
    gradients_gib: float = 0.0
    optimizer_gib: float = 0.0
    reserve_gib: float = 0.0
    usable_gib: float
    """What the hardware offers after the driver's own share."""

    @computed_field  # type: ignore[prop-decorator]  # mypy does not see through the stacked property
    @property
    def needed_gib(self) -> float:
        """The sum of all parts."""
        return (
            self.weights_gib
            + self.kv_cache_gib
            + self.activations_gib
            + self.gradients_gib
            + self.optimizer_gib
            + self.reserve_gib
        )

    @property
    def fits(self) -> bool:
        """Whether everything fits at the same time."""
        return self.needed_gib <= self.usable_gib


class Cost(Result):
    """What a candidate costs; None is unknown, never zero."""

    usd_per_hour: float | None
    """One instance, on demand."""
    usd_per_month: float | None
    basis: PriceBasis
    price_date: str | None
    note: str = ""
    savings_plan_break_even_hours: float | None = None
    """Hours of use in a month above which the configured Savings Plan is cheaper than on-demand."""


class EndpointEstimate(Result):
    """What one instance can do, and how many are needed."""

    memory: MemoryEstimate
    tensor_parallel_degree: int
    replicas_per_instance: int
    service_time_ms: float
    """One request alone on an idle replica."""
    p95_latency_ms: float
    """At peak load."""
    p99_latency_ms: float | None = None
    """At peak load, as all latencies; None in plans of older versions."""
    time_to_first_token_ms: float | None = None
    """The 95th percentile; None where the model does not generate."""
    inter_token_ms: float | None = None
    """The mean time between two tokens of an answer, in 95 of 100 answers; None where the model does not generate."""
    decisive_bound: str = "latency"
    """Of the stated bounds of latency the one with the least room at peak load, as its filter is called."""
    capacity_requests_per_second: float
    """The load of one instance at which every bound of latency is still met."""
    capacity_concurrency: int
    utilization: float
    """The share of that capacity in use at peak load, 0 to 1."""
    instances_at_average: int
    instances_at_peak: int
    instances_by_schedule: float | None = None
    """On average, where the clock changes the bounds of scaling, or where instances sleep; None where neither is so."""
    latency_range_ms: tuple[float, float] | None = None
    """The nominal 90 % range of the 95th percentile; None where it was measured."""
    near_limits: tuple[str, ...] = ()
    """Requirements that hold by less than the estimate is sure of: ``latency``, ``memory``."""
    not_predicted: tuple[str, ...] = ()
    """Requirements within a range that is too wide to decide anything: ``latency``."""
    measured: tuple[str, ...] = ()
    """What was measured rather than predicted: ``latency``, ``throughput``, ``memory``."""
    scaled_by: tuple[str, ...] = ()
    """Other types whose measurements scale this estimate."""

    @property
    def instances_paid(self) -> float:
        """How many instances the bill counts."""
        return self.instances_at_average if self.instances_by_schedule is None else self.instances_by_schedule


class LoadedEstimate(Result):
    """What a type does with the models of a multi-model endpoint."""

    per_instance: int
    """Models that one instance keeps in memory."""
    gib_per_model: float
    """What one of them takes, with all its worker processes."""
    fewest_instances: int
    """So many keep enough models in memory for the bounds of latency, however few requests there are."""
    miss_share: float
    """The share of requests at peak load whose model is loaded first, 0 to 1."""
    load_s: float
    """How long such a request waits for its model."""
    cold_p95_ms: float
    """Within which 95 of 100 of them are answered."""


class CopyEstimate(Result):
    """What one copy of an inference component reserves of its instance, and how many there are."""

    share: int
    """Of the accelerators of the instance, or of the vCPUs of a type that has none."""
    accelerator_count: int
    """Devices of a copy; 0 on a type without any."""
    cpu_cores: float
    memory_mib: int
    """Of the host."""
    copies_at_average: int
    copies_at_peak: int
    serving: EndpointEstimate
    """The estimate of one copy, alone on its share of the instance; its counts of instances are counts of copies."""


class FleetEstimate(EndpointEstimate):
    """What the instances of a fleet do together; latency, memory and capacity are of the tightest component's copies.

    Utilization is the share of the instances at peak load that copies have reserved.
    """

    tightest: str
    """The component that leaves the least room to a bound of latency."""
    shares_per_instance: int
    components: dict[str, CopyEstimate]
    placement: tuple[dict[str, int], ...]
    """The copies on each instance at peak load."""


class TrainingEstimate(Result):
    """How one job runs."""

    memory: MemoryEstimate
    instance_count: int
    accelerator_count: int
    sharded: bool
    """Whether weights, gradients and optimizer states are spread over all accelerators."""
    units_per_second: float
    """Images or tokens."""
    duration_hours: float
    """From start to end, including start-up and expected interruptions."""
    utilization: float
    """The share of peak arithmetic that does useful work (MFU), 0 to 1."""
    spot_savings_pct: float | None
    usd_per_run: float | None
    batch_size_per_accelerator: int = 1
    """Examples or sequences that an accelerator holds at a time."""
    recompute: bool = False
    """Whether activations are computed again in the backward pass, to save memory."""
    spot_hours: float | None = None
    """The part of the duration that runs on Spot where Spot has capacity at once; the rest is on demand. None without Spot."""
    on_demand_hours: float | None = None
    """From start to end of a run that finds no Spot capacity. None without Spot."""
    interruptions: float = 0.0
    """Expected interruptions of a run on Spot."""
    duration_range_hours: tuple[float, float] | None = None
    """The nominal 90 % range of the duration; None where the speed was measured."""
    near_limits: tuple[str, ...] = ()
    """Requirements that hold by less than the estimate is sure of: ``deadline``, ``memory``."""
    not_predicted: tuple[str, ...] = ()
    """Requirements within a range that is too wide to decide anything: ``deadline``."""
    measured: tuple[str, ...] = ()
    """What was measured rather than predicted: ``throughput``."""
    scaled_by: tuple[str, ...] = ()
    """Other types whose measurements scale this estimate."""


class TransformEstimate(Result):
    """How one run of a transform job goes."""

    memory: MemoryEstimate
    tensor_parallel_degree: int
    replicas_per_instance: int
    instance_count: int
    concurrent_requests: int
    """Requests that are sent to an instance at a time."""
    rows_per_request: int
    request_time_ms: float
    """One request, among the others that its instance works on."""
    rows_per_second: float
    """Of all instances together."""
    duration_hours: float
    """From start to end, including start-up."""
    utilization: float
    """The share of the deadline that the run takes, 0 to 1."""
    usd_per_run: float | None
    duration_range_hours: tuple[float, float] | None = None
    """The nominal 90 % range of the duration; None where the speed was measured."""
    near_limits: tuple[str, ...] = ()
    """Requirements that hold by less than the estimate is sure of: ``deadline``, ``memory``."""
    not_predicted: tuple[str, ...] = ()
    """Requirements within a range that is too wide to decide anything: ``deadline``."""
    measured: tuple[str, ...] = ()
    """What was measured rather than predicted: ``latency``, ``throughput``, ``memory``."""
    scaled_by: tuple[str, ...] = ()
    """Other types whose measurements scale this estimate."""


class StatedEstimate(Result):
    """What an instance has of what was asked for; how long it is paid for is what the user says."""

    memory: MemoryEstimate
    """The memory of each host: what the user states, as a reserve, and what the type has."""
    instance_count: int = 1
    vcpus: int
    """Of each instance."""
    accelerator_count: int
    """Of each instance."""
    duration_hours: float
    """What is paid for: of a run of a processing job, of a month of a notebook."""
    utilization: float
    """The share of the deadline, or of the working hours, that is paid for, 0 to 1."""
    duration_range_hours: None = None
    near_limits: tuple[str, ...] = ()
    not_predicted: tuple[str, ...] = ()
    measured: tuple[str, ...] = ()
    scaled_by: tuple[str, ...] = ()


class ProcessingEstimate(StatedEstimate):
    """What one run of a processing job has, and what it costs."""

    usd_per_run: float | None


class NotebookEstimate(StatedEstimate):
    """What a notebook has."""


AnyEstimate = (
    EndpointEstimate
    | FleetEstimate
    | TrainingEstimate
    | TransformEstimate
    | ProcessingEstimate
    | NotebookEstimate
)
#: The estimate of a kind of workload. To pydantic another variable is another model: there is this one.
E = TypeVar("E", bound=AnyEstimate, covariant=True)


class Candidate(Result, Generic[E]):
    """An instance type that meets every requirement."""

    instance_type: str
    estimate: E
    cost: Cost


class Rejection(Result):
    """An instance type that was rejected by the first filter that it did not pass."""

    instance_type: str
    filter: str
    reason: str
    shortfall: float | None = None
    """By how many times the type misses the requirement, above 1; None where it is yes or no."""


class Selection(Result, Generic[E]):
    """The whole story of a choice; ``rejected`` is in the order of the catalog."""

    chosen: Candidate[E]
    runners_up: tuple[Candidate[E], ...]
    rejected: tuple[Rejection, ...]
    assumptions: tuple[str, ...]


AnyCandidate = Candidate[AnyEstimate]
AnySelection = Selection[AnyEstimate]


class NoFeasibleInstanceError(Exception):
    """No instance type meets all requirements.

    ``nearest`` holds the five that got furthest: passed the most filters, then missed by the least. ``rejected``
    holds all of them.
    """

    def __init__(self, nearest: tuple[Rejection, ...], rejected: tuple[Rejection, ...]) -> None:
        self.nearest = nearest
        self.rejected = rejected
        self.considered = len(rejected)
        lines = [f"none of {self.considered} instance types meets all requirements; the nearest:"]
        lines += [f"  {r.instance_type}: {r.filter}: {r.reason}" for r in nearest]
        super().__init__("\n".join(lines))

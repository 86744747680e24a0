"""A workload of ``plan.json`` as a review reads it back: what it has depends on what runs it, not on its kind.

Each kind says in its ``saved.py`` which of these classes its plan is read as, or brings one of its own.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from sizewell.kinds.registry import UnknownKindError, facet


class SavedModel(BaseModel):
    """Frozen; what a review does not need, or a later version adds, is left out."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class SavedWorkload(SavedModel):
    """A workload without an instance type that was chosen."""

    kind: str
    name: str
    stack_name: str

    @property
    def choices(self) -> tuple["SavedChoice", ...]:
        """What of it runs on instance types that were chosen."""
        return ()


class UnknownWorkload(SavedWorkload):
    """A workload of a kind that this release does not have."""


class SavedScaling(SavedModel):
    """Between which numbers of instances a variant scales."""

    min_instance_count: int
    max_instance_count: int


class SavedCost(SavedModel):
    """What a candidate costs; None is unknown."""

    usd_per_hour: float | None
    usd_per_month: float | None
    basis: Literal["published", "estimated", "unknown"]
    price_date: str | None


class SavedMemory(SavedModel):
    """What decides whether a model fits, in GiB."""

    usable_gib: float
    weights_gib: float = 0.0


class SavedEstimate(SavedModel):
    """Of an endpoint or a job: the fields of the other kinds are None."""

    memory: SavedMemory
    p95_latency_ms: float | None = None
    capacity_requests_per_second: float | None = None
    utilization: float | None = None
    instances_at_average: int | None = None
    instances_at_peak: int | None = None
    instances_by_schedule: float | None = None
    near_limits: tuple[str, ...] = ()
    measured: tuple[str, ...] = ()
    scaled_by: tuple[str, ...] = ()
    instance_count: int | None = None
    duration_hours: float | None = None
    spot_savings_pct: float | None = None
    usd_per_run: float | None = None

    @property
    def instances_paid(self) -> float | None:
        """How many instances of an endpoint the bill counts."""
        return self.instances_at_average if self.instances_by_schedule is None else self.instances_by_schedule


class SavedCandidate(SavedModel):
    """A feasible type."""

    instance_type: str
    estimate: SavedEstimate
    cost: SavedCost


class SavedSelection(SavedModel):
    """The choice; all else that was considered is most of the bytes of a plan, and is read on demand."""

    chosen: SavedCandidate
    assumptions: tuple[str, ...] = ()


class SavedLock(SavedModel):
    """What the lock says."""

    state: Literal["locked", "stale", "infeasible"]
    instance_type: str
    reason: str = ""
    best_instance_type: str
    saving_usd_per_month: float | None = None


class SavedSpot(SavedModel):
    """What of the instances of a model is on Spot."""

    share: float
    savings_percent: float | None
    """Of the on-demand price; None is unknown."""


#: What the time of a choice is: the 95th percentile at peak load in milliseconds, or hours.
TimeOf = Literal["latency", "duration"]


class SavedChoice(SavedWorkload):
    """What runs on instances whose type was chosen."""

    time_of: ClassVar[TimeOf] = "duration"

    selection: SavedSelection
    needs_digest: str
    lock: SavedLock | None = None

    if TYPE_CHECKING:

        @property
        def instance_type(self) -> str:
            """The type that is tried first."""

    @property
    def choices(self) -> tuple["SavedChoice", ...]:
        """Itself."""
        return (self,)

    @property
    def instance_count(self) -> int:
        """The instances that run at average load."""
        return 1

    @property
    def spot_capacity(self) -> SavedSpot | None:
        """What of the instances of a model is on Spot; None where all are on demand."""
        return None

    @property
    def time(self) -> float | None:
        """What is predicted of the chosen type: ``time_of``."""
        return self.selection.chosen.estimate.duration_hours

    @property
    def decided(self) -> dict[str, Any]:
        """What is worth a snapshot: instance types, counts and bounds; prices and digests are left out."""
        return {"instance_type": self.instance_type}


class SavedServing(SavedChoice):
    """What serves a model on instances that may scale."""

    time_of: ClassVar[TimeOf] = "latency"

    instance_type: str
    initial_instance_count: int
    scaling: SavedScaling | None
    average_requests_per_second: float | None = None
    """Since version 4."""

    @property
    def instance_count(self) -> int:
        """The instances that run at average load."""
        return self.initial_instance_count

    @property
    def time(self) -> float | None:
        """The 95th percentile of the latency at peak load, in milliseconds."""
        return self.selection.chosen.estimate.p95_latency_ms

    @property
    def decided(self) -> dict[str, Any]:
        """The instance type, and between which numbers of instances it scales."""
        return {**super().decided, **self.decided_counts}

    @property
    def decided_counts(self) -> dict[str, int]:
        """How many instances there are at average load, and between which numbers they scale."""
        initial, scaling = self.initial_instance_count, self.scaling
        return {
            "initial_instance_count": initial,
            "min_instance_count": scaling.min_instance_count if scaling else initial,
            "max_instance_count": scaling.max_instance_count if scaling else initial,
        }


class SavedVariant(SavedServing):
    """One variant of an endpoint on instances, or a fleet of inference components."""

    kind: str = "real-time-endpoint"
    """Before version 7, a variant and the only kind there was did not say."""
    variant_name: str
    volume_size_gib: int | None = None
    capacity_reservation_arn: str | None = None


class SavedApiGateway(SavedModel):
    """A private API before an endpoint."""

    requests_per_month: float


class SavedAccess(SavedModel):
    """Who may invoke an endpoint."""

    api_gateway: SavedApiGateway | None = None


class SavedEndpoint(SavedVariant):
    """One endpoint on instances, which answers at once or later: its own variant, and others."""

    endpoint_name: str
    other_variants: tuple[SavedVariant, ...] = ()
    shadow_variant: SavedVariant | None = None
    access: SavedAccess | None = None

    @property
    def choices(self) -> tuple[SavedVariant, ...]:
        """Its own variant, those beside it, and the shadow."""
        return (self, *self.other_variants, *((self.shadow_variant,) if self.shadow_variant else ()))

    def variant(self, name: str) -> SavedVariant | None:
        """Return the variant of a name; None where there is none."""
        return next((variant for variant in self.choices if variant.variant_name == name), None)

    @property
    def answered_requests_per_second(self) -> float | None:
        """What its variants answer, over all hours; a shadow answers nobody."""
        rates = [variant.average_requests_per_second for variant in (self, *self.other_variants)]
        return sum(rate for rate in rates if rate) if None not in rates else None


class SavedOnDemand(SavedWorkload):
    """One serverless endpoint or Lambda function."""

    function_name: str | None = None
    """Of a function."""
    memory_mb: int
    requests_per_month: float
    average_provisioned_concurrency: float
    service_time_ms: float
    data_gb_per_request: float | None = None
    """Of a serverless endpoint."""
    access: SavedAccess | None = None
    """Of a serverless endpoint."""


class SavedAttempt(SavedModel):
    """One rung of the ladder of a job."""

    instance_type: str
    instance_count: int
    volume_size_gib: int | None = None
    """None where the instances bring their own."""
    spot: bool = False


class SavedCheckpoint(SavedModel):
    """The contract with the training script."""

    interval_minutes: int


class SavedJob(SavedChoice):
    """What runs in a state machine."""

    usage: ClassVar[str]
    """What its instances are used for, as the catalog prices them."""
    billed_by: ClassVar[str] = "SageMaker"
    """The service that the bill names for its instances and volumes."""
    volume_price: ClassVar[str | None] = None
    """The name of the price of its volumes; None is that of volumes of its usage."""
    run_noun: ClassVar[str] = "run"
    """What is counted in a month."""
    in_snapshot: ClassVar[frozenset[str]] = frozenset({"instance_type", "instance_count"})
    """What of an attempt is worth a snapshot."""

    attempts: tuple[SavedAttempt, ...]
    runs_per_month: float | None = None
    """Since version 4."""
    checkpoint: SavedCheckpoint | None = None
    """Of what trains."""
    keep_alive_minutes: int | None = None
    """Of a training job."""
    training_plan_arn: str | None = None
    """Of a training job, whose instances are prepaid."""

    @property
    def instance_type(self) -> str:
        """The type that is tried first."""
        return self.attempts[0].instance_type

    @property
    def instance_count(self) -> int:
        """The instances of the first attempt."""
        return self.attempts[0].instance_count

    @property
    def trainings_per_run(self) -> int:
        """How many jobs a run starts."""
        return 1

    @property
    def decided(self) -> dict[str, Any]:
        """What it tries in turn."""
        return {"attempts": [attempt.model_dump(include=set(self.in_snapshot)) for attempt in self.attempts]}


class SavedTraining(SavedJob):
    """What trains a model, once or many times."""

    usage: ClassVar[str] = "training"
    in_snapshot: ClassVar[frozenset[str]] = SavedJob.in_snapshot | {"spot"}

    deadline_s: int = Field(validation_alias=AliasChoices("deadline_s", "max_runtime_s"))
    """Of a run with all its attempts; before version 8, of each attempt."""

    @property
    def decided(self) -> dict[str, Any]:
        """What it tries in turn, and until when."""
        return {**super().decided, "deadline_s": self.deadline_s}


@dataclass(frozen=True, kw_only=True)
class SavedKind:
    """How a review reads the plan and the configuration of a kind."""

    module: ClassVar[str] = "saved"

    model: type[SavedWorkload]
    """What a review reads of the plan of such a workload."""
    image_goes: str = "goes live"
    """What another image does."""
    min_instances_of_policy: bool = False
    """Whether policy.min_endpoint_instances holds where the workload states none."""
    only_in_development: str | None = None
    """Why a reference may lack such a workload, named ``{reference}``; None where it may not."""


def saved_kind(kind: object) -> SavedKind:
    """Return how a kind is read; of one that this release does not have, little is."""
    try:
        return facet(str(kind), SavedKind)
    except UnknownKindError:
        return SavedKind(model=UnknownWorkload)

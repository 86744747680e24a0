"""``plan.json`` as it is read back: by this release or by another one, and no more of it than a review looks at.

This is ``sizewell.planning.plan`` once more, in part, and not that model itself: base may have been synthesized by an older
release, so what came later is None here (unknown), and what is not named here is left out; and a plan that stacks are made
from must be complete. Nearly all bytes of a plan tell of candidates that were not chosen: none of them becomes an object, and
what chooses instance types is not imported. A test holds every name here to the model that is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from sizewell.kinds.registry import UnknownKindError, facet
from sizewell.planning.saved_files import OLDEST_PLAN_VERSION, PLAN_VERSION, foundation_name


class SavedModel(BaseModel):
    """Frozen; what a review does not need, or a later version adds, is left out."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class SavedNetwork(SavedModel):
    """The VPC, one of our own or one that exists."""

    mode: Literal["new", "existing"]
    availability_zones: int | None = None
    subnet_ids: tuple[str, ...] = ()


class SavedFoundation(SavedModel):
    """What all workloads of a place share."""

    place: str | None = None
    region: str | None = None
    stack_name: str
    network: SavedNetwork
    retain_state: bool


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
    """The choice; all else that was considered is most of the bytes of a plan, and is read on demand: ``Story``."""

    chosen: SavedCandidate
    assumptions: tuple[str, ...] = ()


class SavedLock(SavedModel):
    """What the lock says."""

    state: Literal["locked", "stale", "infeasible"]
    instance_type: str
    reason: str = ""
    best_instance_type: str
    saving_usd_per_month: float | None = None


class SavedVariant(SavedModel):
    """One variant of an endpoint on instances, or a fleet of inference components."""

    kind: Literal[
        "real-time-endpoint",
        "asynchronous-endpoint",
        "multi-model-endpoint",
        "inference-component-endpoint",
    ] = "real-time-endpoint"
    name: str
    stack_name: str
    variant_name: str
    instance_type: str
    initial_instance_count: int
    volume_size_gib: int | None = None
    capacity_reservation_arn: str | None = None
    scaling: SavedScaling | None
    selection: SavedSelection
    needs_digest: str
    lock: SavedLock | None = None
    average_requests_per_second: float | None = None
    """Since version 4."""


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
    def variants(self) -> tuple[SavedVariant, ...]:
        """Its own variant, those beside it, and the shadow."""
        return (self, *self.other_variants, *((self.shadow_variant,) if self.shadow_variant else ()))

    def variant(self, name: str) -> SavedVariant | None:
        """Return the variant of a name; None where there is none."""
        return next((one for one in self.variants if one.variant_name == name), None)

    @property
    def answered_requests_per_second(self) -> float | None:
        """What its variants answer, over all hours; a shadow answers nobody."""
        rates = [one.average_requests_per_second for one in (self, *self.other_variants)]
        return sum(rate for rate in rates if rate) if None not in rates else None


class SavedOnDemand(SavedModel):
    """One serverless endpoint or Lambda function."""

    name: str
    stack_name: str
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


class SavedRung(SavedModel):
    """One rung of the ladder of a job."""

    instance_type: str
    instance_count: int


class SavedVolumeRung(SavedRung):
    """One rung of the ladder of a job whose volumes have a size."""

    volume_size_gib: int


class SavedAttempt(SavedVolumeRung):
    """One rung of the ladder of a training job."""

    spot: bool


class SavedCheckpoint(SavedModel):
    """The contract with the training script."""

    interval_minutes: int


class SavedSearch(SavedModel):
    """What a tuning job tries."""

    max_jobs: int


class SavedTrainingJob(SavedModel):
    """One training job, or a tuning job, whose ``selection`` tells of one of its trainings."""

    kind: Literal["training-job", "tuning-job"] = "training-job"
    name: str
    stack_name: str
    attempts: tuple[SavedAttempt, ...]
    deadline_s: int = Field(validation_alias=AliasChoices("deadline_s", "max_runtime_s"))
    """Of a run with all its attempts; before version 8, of each attempt."""
    checkpoint: SavedCheckpoint | None
    selection: SavedSelection
    needs_digest: str
    lock: SavedLock | None = None
    runs_per_month: float | None = None
    """Since version 4."""
    search: SavedSearch | None = None
    """Of a tuning job."""
    keep_alive_minutes: int | None = None
    """Of a training job."""
    training_plan_arn: str | None = None
    """Of a training job, whose instances are prepaid."""

    @property
    def instance_type(self) -> str:
        """The type that is tried first."""
        return self.attempts[0].instance_type


class SavedBatchTransform(SavedModel):
    """One batch transform."""

    kind: Literal["batch-transform"] = "batch-transform"
    name: str
    stack_name: str
    attempts: tuple[SavedRung, ...]
    selection: SavedSelection
    needs_digest: str
    lock: SavedLock | None = None
    runs_per_month: float | None = None

    @property
    def instance_type(self) -> str:
        """The type that is tried first."""
        return self.attempts[0].instance_type


class SavedProcessingJob(SavedModel):
    """One processing job."""

    kind: Literal["processing-job"] = "processing-job"
    name: str
    stack_name: str
    attempts: tuple[SavedVolumeRung, ...]
    selection: SavedSelection
    needs_digest: str
    lock: SavedLock | None = None
    runs_per_month: float | None = None

    @property
    def instance_type(self) -> str:
        """The type that is tried first."""
        return self.attempts[0].instance_type


class SavedNotebook(SavedModel):
    """One notebook."""

    kind: Literal["notebook"] = "notebook"
    name: str
    stack_name: str
    instance_type: str
    volume_size_gib: int
    selection: SavedSelection
    needs_digest: str
    lock: SavedLock | None = None


class SavedWorkload(SavedModel):
    """What runs on no instance type that was chosen."""

    kind: str
    name: str
    stack_name: str


SavedJob = SavedBatchTransform | SavedProcessingJob | SavedTrainingJob
Workload = SavedVariant | SavedJob | SavedNotebook
PlanList = Literal[
    "endpoints", "batch_transforms", "processing_jobs", "training_jobs", "notebooks", "on_demand", "others"
]


@dataclass(frozen=True, kw_only=True)
class SavedKind:
    """How a review reads the plan of a kind."""

    module: ClassVar[str] = "saved"

    read_as: PlanList
    """The list of ``SavedPlan`` that a workload of this kind is in."""


class SavedBill(SavedModel):
    """Of the bill only what the configuration allows."""

    budget_usd_per_month: float | None = None


class SavedQuota(SavedModel):
    """What an account must be allowed in a region."""

    account: str
    region: str
    name: str
    needed: int


class SavedPlan(SavedModel):
    """One environment."""

    schema_version: int
    platform: str
    environment: str
    account: str
    region: str
    production: bool
    catalog_version: str
    foundation: SavedFoundation
    places: tuple[SavedFoundation, ...] = ()
    endpoints: tuple[SavedEndpoint, ...] = ()
    batch_transforms: tuple[SavedBatchTransform, ...] = ()
    processing_jobs: tuple[SavedProcessingJob, ...] = ()
    training_jobs: tuple[SavedTrainingJob, ...] = ()
    notebooks: tuple[SavedNotebook, ...] = ()
    on_demand: tuple[SavedOnDemand, ...] = ()
    others: tuple[SavedWorkload, ...] = ()
    unknown: tuple[SavedWorkload, ...] = ()
    """Of kinds that this release does not have."""
    bill: SavedBill
    quotas: tuple[SavedQuota, ...] | None = None

    @model_validator(mode="before")
    @classmethod
    def _by_kind(cls, document: Any) -> Any:
        """Since version 7 a plan has one list of all workloads."""
        if not isinstance(document, dict) or not isinstance(document.get("workloads"), list):
            return document
        lists: dict[str, list[Any]] = {key: [] for key in (*get_args(PlanList), "unknown")}
        for workload in document["workloads"]:
            kind = workload.get("kind") if isinstance(workload, dict) else None
            try:
                read_as: str = facet(str(kind), SavedKind).read_as
            except UnknownKindError:
                read_as = "unknown"
            lists[read_as].append(workload)
        return {**document, **lists}

    @property
    def workloads(self) -> tuple[Workload, ...]:
        """What runs on instances that were chosen: endpoints with all their variants, then jobs, then notebooks."""
        variants = (variant for endpoint in self.endpoints for variant in endpoint.variants)
        return (*variants, *self.jobs, *self.notebooks)

    @property
    def jobs(self) -> tuple[SavedJob, ...]:
        """What runs in state machines."""
        return (*self.batch_transforms, *self.processing_jobs, *self.training_jobs)

    @property
    def foundations(self) -> tuple[SavedFoundation, ...]:
        """Of the place of the policy, then of the others."""
        return (self.foundation, *self.places)

    @cached_property
    def _by_stack(self) -> Mapping[str, Workload]:
        whole: tuple[Workload, ...] = (*self.endpoints, *self.jobs, *self.notebooks)
        return {workload.stack_name: workload for workload in whole}

    def workload_of_stack(self, stack_name: str) -> Workload | None:
        """Return the workload that a stack, or the stack that it is nested in, is for; None for all other stacks."""
        return self._by_stack.get(_top(stack_name))

    def on_demand_of_stack(self, stack_name: str) -> SavedOnDemand | None:
        """Return the serverless endpoint or the function that a stack is for; None for all other stacks."""
        return next((one for one in self.on_demand if one.stack_name == _top(stack_name)), None)

    def name_of_stack(self, stack_name: str) -> str | None:
        """Return what people call what a stack is for: a workload, or what workloads share; None for other stacks."""
        for foundation in self.foundations:
            if foundation.stack_name == _top(stack_name):
                return foundation_name(foundation.place)
        named = (
            one.name
            for one in (*self.workloads, *self.on_demand, *self.others, *self.unknown)
            if one.stack_name == _top(stack_name)
        )
        return next(named, None)


def _top(stack_name: str) -> str:
    """Return the stack that a nested one belongs to: ``parent`` of ``parent/logical id``."""
    return stack_name.partition("/")[0]


class UnreadablePlanError(Exception):
    """A ``plan.json`` is broken, or of a release whose names mean something else; says which, in words."""


def read_saved_plan(content: bytes) -> SavedPlan:
    """Return a plan that any release since version ``OLDEST_PLAN_VERSION`` wrote; raises ``UnreadablePlanError``."""
    try:
        plan = SavedPlan.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UnreadablePlanError(f"cannot be read: {where + ': ' if where else ''}{first['msg']}") from error
    if not OLDEST_PLAN_VERSION <= plan.schema_version <= PLAN_VERSION:
        raise UnreadablePlanError(
            f"has schema version {plan.schema_version}, this release reads {OLDEST_PLAN_VERSION} to {PLAN_VERSION}"
        )
    return plan

"""What the plan of every workload has, whatever its kind."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict

from sizewell.facts.alarms import AlarmEvaluation
from sizewell.facts.quotas import Quota
from sizewell.planning.observed_model import ObservedModel
from sizewell.planning.planned_logs import SharedLogs
from sizewell.planning.planned_variant import PlannedComponent, PlannedVariant
from sizewell.serving_modes.results import ModeComparison

if TYPE_CHECKING:
    from sizewell.instance_selection.results import AnySelection

#: Where requests and answers are kept in the artifact bucket, by the name of the workload.
INFERENCE_PREFIX = "inference/"


class PlanModel(BaseModel):
    """Frozen, and strict about keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ImagePatchesPlan(PlanModel):
    """Until when AWS patches an image of its own."""

    release: str
    """The repository and the version, for example ``pytorch-inference 2.6``."""
    end: str
    read: str
    """When that was read; both are ISO dates."""


class ImagePlan(PlanModel):
    """The container image for the chosen hardware."""

    uri: str
    repository_arn: str
    patches: ImagePatchesPlan | None = None
    """None where AWS publishes no end, and for images that are not its own."""


class ModelPackagePlan(PlanModel):
    """A version of the model registry, which names image and artifact."""

    arn: str
    image_repository_arn: str | None
    """Where the image is pulled from; None where the execution role is stated, which needs no leave from here."""
    artifact_bucket_name: str | None
    """None is the artifact bucket of the environment."""
    artifact_key: str | None
    """An object, or a prefix that ends in a slash; None where nothing is read."""
    key_arn: str | None
    """What decrypts the artifact; None is the data key."""


class InferenceStepPlan(PlanModel):
    """A container before or after that of the model, on the same instances."""

    name: str
    image: ImagePlan
    artifact_key: str | None
    """None where all of it is in the image."""
    artifact_compression: Literal["gzip", "none"]
    environment: dict[str, str]


class InferencePipelinePlan(PlanModel):
    """What a request passes before the model, and its answer after it; each in this order."""

    before: tuple[InferenceStepPlan, ...]
    after: tuple[InferenceStepPlan, ...]

    @property
    def steps(self) -> tuple[InferenceStepPlan, ...]:
        """All of them."""
        return (*self.before, *self.after)

    def with_variables(self, variables: Mapping[str, str]) -> "InferencePipelinePlan":
        """Return the pipeline whose containers have these environment variables as well."""
        before, after = (
            tuple(
                step.model_copy(update={"environment": joined_variables(step.environment, variables)})
                for step in steps
            )
            for steps in (self.before, self.after)
        )
        return InferencePipelinePlan(before=before, after=after)


class AlarmPlan(PlanModel):
    """When an alarm goes off: that many of the last periods are above the threshold."""

    threshold: float
    """The largest healthy value: of a latency in milliseconds, of an age in seconds, of failures and requests their number,
    else in percent. Utilisation is of the whole instance: 90 is nine tenths of all its vCPUs or GPUs together."""
    period_s: int
    """What one value covers."""
    datapoints_to_alarm: int
    evaluation_periods: int

    @property
    def evaluation(self) -> AlarmEvaluation:
        """Which periods are looked at."""
        return AlarmEvaluation(**self.model_dump(exclude={"threshold"}))


class ApiGatewayPlan(PlanModel):
    """A private API before an endpoint."""

    role_arns: tuple[str, ...]
    """Roles of any account that may call it, and no others."""
    requests_per_second: int
    """What it lets through: the peak with the headroom of the endpoint."""
    burst_requests: int
    """How many may come at once."""
    requests_per_month: float
    """What the configuration expects, as if all of it came this way."""


class AccessPlan(PlanModel):
    """Who is given the permission to invoke an endpoint, and by which way."""

    role_arns: tuple[str, ...]
    """Roles of the account, which a policy is attached to."""
    role_arns_elsewhere: tuple[str, ...]
    """Roles of other accounts, which assume a role that is made for them."""
    streams: bool = False
    """Whether they may read answers as a stream."""
    api_gateway: ApiGatewayPlan | None = None
    """None puts nothing before the endpoint."""


class LockPlan(PlanModel):
    """What the lock says of a workload, and whether the plan follows it."""

    state: Literal["locked", "stale", "infeasible"]
    """The plan follows the lock when it is locked, and also when it is stale: the configuration has changed since."""
    instance_type: str
    reason: str = ""
    """Why a locked type cannot be used."""
    best_instance_type: str
    """The pick without the lock."""
    saving_usd_per_month: float | None
    """What that pick would save, below zero where it is more expensive; None where a price is unknown."""


class NeuronPlan(PlanModel):
    """What outputs are compiled for."""

    target: str
    """An instance family."""
    cores: int
    """NeuronCores of one copy of the model."""


class WorkloadPlan(PlanModel):
    """One workload; ``kind`` is that of the configuration, and tells one kind of plan from another in ``plan.json``."""

    in_vpc: ClassVar[bool] = True
    """Whether its containers run in the VPC of their place."""
    has_variables: ClassVar[bool] = True
    """Whether its containers can be given environment variables."""

    kind: str
    name: str
    description: str
    stack_name: str
    tags: dict[str, str] = {}
    """Of its own, before those of the environment."""
    place: str | None = None
    """Where it runs; None is the account and region of the policy."""
    execution_role_arn: str | None = None
    """The role of the account that it runs as; None makes one."""
    environment: dict[str, str]
    """Variables of its container."""
    network_isolation: bool
    modes: ModeComparison | None = None
    """Every way to serve the model; None where the configuration states the kind."""
    needs_digest: str
    """Changes when the configuration asks for something else, and not when prices or estimates change."""

    @property
    def keeps_inference_data(self) -> bool:
        """Whether requests or answers are written to the artifact bucket, below ``INFERENCE_PREFIX``."""
        return False

    @property
    def images(self) -> tuple[ImagePlan, ...]:
        """Its container images, each once."""
        return ()

    @property
    def variants(self) -> tuple["WorkloadPlan", ...]:
        """What is planned apart: the workload itself, or each variant of an endpoint."""
        return (self,)

    @property
    def runs_at_all_hours(self) -> bool:
        """Whether something of it is kept running, and paid for, whether people work or not."""
        return False

    @property
    def rests(self) -> bool:
        """Whether it stops because nobody works."""
        return False

    @property
    def quotas(self) -> Iterator[Quota]:
        """What it uses up of the quotas of its account and region, at the same time at most."""
        yield from ()

    @property
    def observed(self) -> Iterator[ObservedModel]:
        """The models of which CloudWatch counts the requests that the configuration states as traffic."""
        yield from ()

    @property
    def planned_variants(self) -> Iterator[PlannedVariant]:
        """The variants of its endpoint of SageMaker."""
        yield from ()

    @property
    def shared_logs(self) -> SharedLogs | None:
        """Where it logs beside the log groups of its stack; None logs nowhere else."""
        return None

    @property
    def kubectl_logs(self) -> str | None:
        """What prints its logs, where they are in a cluster; None where they are in CloudWatch."""
        return None

    @property
    def planned_components(self) -> Iterator[PlannedComponent]:
        """The inference components of its endpoint of SageMaker."""
        yield from ()

    @property
    def choices(self) -> tuple["InstanceWorkloadPlan", ...]:
        """What of it runs on an instance type that was chosen, and is locked: of an endpoint, each of its variants."""
        return ()

    @property
    def compiled(self) -> tuple[NeuronPlan, tuple[str, ...]] | None:
        """What its outputs are compiled for, and their prefixes; None where no model is compiled."""
        return None

    @property
    def served_artifacts(self) -> Iterator[tuple[str, str | None, Sequence[str]]]:
        """What is served, by name, with its artifact and all types that may serve it without a choice of the user's."""
        yield from ()

    @property
    def peer_count(self) -> int:
        """How many instances of one job call each other by name."""
        return 1

    def with_each_choice(self, change: Callable[["InstanceWorkloadPlan"], "InstanceWorkloadPlan"]) -> Self:
        """Return the plan in which each of ``choices`` is changed."""
        return self

    def with_variables(self, variables: Mapping[str, str]) -> Self:
        """Return the plan whose containers have these environment variables as well."""
        return self.model_copy(update={"environment": joined_variables(self.environment, variables)})


class InstanceWorkloadPlan(WorkloadPlan):
    """A workload whose instance type is chosen, by a ``selection`` of its kind."""

    instance_pools: tuple[str, ...]
    """Up to five types that run the same image, the chosen one first: for when there is no capacity for it."""
    lock: LockPlan | None = None
    """None where nothing is locked."""

    if TYPE_CHECKING:

        @property
        def selection(self) -> AnySelection:
            """The choice; each kind has the estimates of its own."""

    @property
    def choices(self) -> tuple["InstanceWorkloadPlan", ...]:
        """The workload itself."""
        return (self,)

    def with_each_choice(self, change: Callable[["InstanceWorkloadPlan"], "InstanceWorkloadPlan"]) -> Self:
        """Return the plan, changed."""
        changed = change(self)
        assert isinstance(changed, type(self))
        return changed

    @property
    def locked_facts(self) -> dict[str, object]:
        """What a lock says of the choice beside its type and its price."""
        return {"instance_count": getattr(self.selection.chosen.estimate, "instance_count", 1)}


class StartsOnPlan(PlanModel):
    """Events that start a run each."""

    object_key: str | None
    """Of the artifact bucket."""
    alarm_name: str | None


class SchedulePlan(PlanModel):
    """An EventBridge Scheduler expression."""

    expression: str
    time_zone: str
    enabled: bool


class StateMachinePlan(WorkloadPlan):
    """What runs and ends, as a state machine."""

    if TYPE_CHECKING:

        @property
        def state_machine_name(self) -> str:
            """The name of the state machine."""

        @property
        def time_limit_s(self) -> int:
            """After so long the state machine ends a run, with every attempt."""

        @property
        def schedule(self) -> SchedulePlan | None:
            """When it starts by itself."""

        @property
        def starts_on(self) -> StartsOnPlan | None:
            """Which events start it."""

        @property
        def runs_per_month(self) -> float | None:
            """None where the configuration does not say how often it runs; the bill then counts one."""


class JobPlan(InstanceWorkloadPlan, StateMachinePlan):
    """What runs on instances that were chosen, tried in turn, and ends: a step of a pipeline may run it."""

    if TYPE_CHECKING:

        @property
        def attempts(self) -> tuple[Any, ...]:
            """The instance types that are tried in turn."""

        @property
        def deadline_s(self) -> int:
            """What a run may take, with every attempt."""

    @property
    def deadline_of_run_s(self) -> int:
        """What a run may take, with every attempt."""
        return self.deadline_s

    @property
    def estimate_of_run(self) -> Any:
        """What is estimated of a whole run: its ``duration_hours`` and ``usd_per_run``."""
        return self.selection.chosen.estimate

    @property
    def trainings_per_run(self) -> int:
        """How often a run trains, at the most; ``selection`` tells of one training."""
        return 1

    @property
    def input_prefixes(self) -> Mapping[str, str]:
        """Where its inputs lie that may be the model of a run, by name."""
        return {}

    @property
    def written_prefixes(self) -> tuple[str, ...]:
        """Where runs write, in the artifact bucket."""
        return ()

    def read_prefixes(self, replaced: Mapping[str, str]) -> tuple[str, ...]:
        """Return what runs read in the artifact bucket, but for the inputs of these names, which read the model of a run."""
        return ()

    def file_of_gate(self, file: str | None) -> str | None:
        """Return the object that holds the number of a quality gate; None looks into the report of a training."""
        return None


@dataclass(frozen=True, kw_only=True)
class PlanModelKind:
    """What the plan of a kind consists of."""

    module: ClassVar[str] = "plan_model"

    model: type[WorkloadPlan]


def joined_variables(own: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables of a container and more of them, by name."""
    return dict(sorted({**own, **more}.items()))

"""What is trained: what it must learn from, by when, and how it may be bought."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import (
    ON_TIME_LIMIT,
    ConfigModel,
    Margin,
    Millions,
    S3Key,
    fault,
    with_article,
    without,
)
from sizewell.config.dataset import OTHER_DATA, ChannelName, Dataset
from sizewell.config.effects import Below, Computed, OnChange, OnFactor, OnNumber, OnToggle, SelectionNeed
from sizewell.config.execution_role import ON_EXECUTION_ROLE, RoleArn
from sizewell.config.experiments import ON_EXPERIMENT, ExperimentName
from sizewell.config.file_system import FileSystem
from sizewell.config.instances import InstanceConstraints, OnInstances
from sizewell.config.ml_model import ON_MODEL, Model, PresetModel
from sizewell.config.place import ON_PLACE, PlaceName
from sizewell.config.repeated_runs import RepeatedRuns
from sizewell.config.tags import ON_TAGS, Tags
from sizewell.config.training_container import TrainingContainer
from sizewell.config.tree import KeyPath
from sizewell.facts.training_jobs import (
    CODE_CHANNEL,
    DATA_CHANNEL,
    MAX_CHANNELS,
    RUNTIME_BOUNDS_S,
)

#: Architectures that low-rank adapters are made for.
ADAPTED = ("encoder", "decoder", "encoder-decoder", "diffusion")
#: Architectures that are trained without an optimizer of gradients.
TABULAR = ("gradient-boosting", "linear")


class Spot(ConfigModel):
    """Managed Spot: spare capacity at a discount, interrupted at any time."""

    enabled: Annotated[bool, Computed.SPOT]
    """Whether the job runs on managed Spot; that needs a checkpoint, and allow_spot in the policy."""
    max_wait_hours: Annotated[
        Annotated[float, Field(ge=0.01, le=RUNTIME_BOUNDS_S[1] // 3600)] | None,
        OnNumber("runs on demand earlier", "waits longer for Spot"),
    ] = None
    """Hours after the start of a run at which it goes on on demand at the latest; by default as late as the deadline allows."""
    on_demand_fallback: Annotated[
        bool,
        OnToggle(
            on="runs on demand when there is no Spot capacity", off="fails when there is no Spot capacity"
        ),
    ] = True
    """Whether a run goes on on demand, from its last checkpoint, when Spot has no capacity or the deadline is in danger."""

    @model_validator(mode="after")
    def _wait_is_of_spot(self) -> Self:
        if self.max_wait_hours is not None and not self.enabled:
            raise fault("max_wait_hours", f"has no effect without Spot; {without('max_wait_hours')}")
        if self.max_wait_hours is not None and not self.on_demand_fallback:
            raise fault(
                "max_wait_hours",
                "has no effect with on_demand_fallback: false: Spot has all the time until deadline_hours; "
                f"{without('max_wait_hours')}",
            )
        return self


_LOSES = "an interruption loses up to {} minutes"


class Checkpoint(ConfigModel):
    """The script writes to /opt/ml/checkpoints at this interval, and resumes from what it finds there."""

    interval_minutes: Annotated[int, Field(ge=1, le=24 * 60), OnChange(changed=_LOSES, added=_LOSES)]
    """Minutes between two checkpoints: what an interruption loses at most."""


class TrainedModel(RepeatedRuns, OnInstances):
    """What is trained, from what, by when and on what: of a training job, and of a search around it."""

    trains: ClassVar[bool] = True

    kind: str
    description: Annotated[str, Field(max_length=200)] = ""
    """One sentence for people, shown beside the workload."""
    tags: Annotated[Tags, ON_TAGS] = {}
    """Tags of what this workload has and starts, beside and before those of the environment."""
    model: Annotated[Model, ON_MODEL, SelectionNeed.MODEL]
    """The model: a public one by its name (preset: llama-3.1-8b), or an architecture with its dimensions."""
    container: TrainingContainer
    """The images that train the model, and what they are given."""
    dataset: Annotated[Dataset, Below(OnFactor()), SelectionNeed.LOAD]
    """The training data, in the artifact bucket of the environment or in a file system."""
    channels: Annotated[
        dict[ChannelName, Annotated[S3Key, OTHER_DATA]],
        Field(max_length=MAX_CHANNELS - 2),
    ] = {}
    """More data, by the name of its channel: prefixes of the artifact bucket, streamed to /opt/ml/input/data/NAME."""
    file_systems: Annotated[
        dict[ChannelName, FileSystem], Field(max_length=MAX_CHANNELS - 2), Below(OTHER_DATA)
    ] = {}
    """More data, by the name of its channel: directories of file systems, mounted at /opt/ml/input/data/NAME.
    Unproven on Step Functions: see the guide Deploying, Members that nobody has proven."""
    method: Annotated[Literal["full", "lora", "auto"], SelectionNeed.TRAINING] = "full"
    """Train all weights (full) or low-rank adapters only (lora); auto trains all where memory, deadline and policy
    allow."""
    optimizer: Annotated[Literal["adamw", "sgd"], SelectionNeed.TRAINING] = "adamw"
    """The optimizer, which decides how much memory the state of training takes."""
    batch_size_per_accelerator: Annotated[
        Annotated[int, Field(ge=1, le=1_000_000)] | None, SelectionNeed.TRAINING
    ] = None
    """Examples or sequences that one accelerator holds at a time. By default 1, doubled while that makes a run cheaper by 5 % at
    least, up to 256 examples or 8 sequences; the script is told in the hyperparameter of that name."""
    lora_parameters_millions: Annotated[Millions | None, SelectionNeed.TRAINING] = None
    """Trained weights of the adapters; by default 0.5 % of the model."""
    deadline_hours: Annotated[
        float, Field(ge=0.01, le=RUNTIME_BOUNDS_S[1] // 3600), ON_TIME_LIMIT, SelectionNeed.BOUND
    ]
    """Hours from the start of a run to its end, waiting for capacity and every attempt included; SageMaker ends a job after 28
    days at the latest."""
    min_accelerators: Annotated[int, Field(ge=1, le=1024), SelectionNeed.TRAINING] = 1
    """The least number of accelerators, over all instances together."""
    max_instances: Annotated[int, Field(ge=1, le=64), SelectionNeed.TRAINING] = 1
    """The largest number of instances of one job."""
    encrypt_inter_container_traffic: Annotated[
        bool,
        OnToggle(
            on="traffic between the instances of a job is encrypted",
            off="gradients, which tell of the data, go between instances in plain text",
        ),
    ] = True
    """Whether traffic between the instances of a job is encrypted, which takes time, above all where a model is large."""
    spot: Annotated[Spot, SelectionNeed.SPOT] = Spot(enabled=False)
    """Managed Spot: spare capacity at a discount, which AWS may interrupt at any time."""
    checkpoint: Annotated[
        Checkpoint | None,
        OnChange(added="an interrupted run resumes", removed="an interrupted run starts again from zero"),
        SelectionNeed.SPOT,
    ] = None
    """How often the script saves its state to /opt/ml/checkpoints, from which an interrupted job resumes."""
    margin: Annotated[Margin | None, SelectionNeed.MARGIN] = None
    """Room that estimates must leave to deadline and memory, as a share; by default the policy's."""
    report_success: Annotated[
        bool, OnToggle(on="people hear of runs that succeed", off="people hear of runs that fail only")
    ] = False
    """Whether the alarm topic hears of each run that succeeded, with its duration, cost and model, or of a tuning with its best
    training; it always hears of others."""
    experiment: Annotated[ExperimentName | None, ON_EXPERIMENT] = None
    """The MLflow experiment that the script records its runs in; it needs mlflow_app or existing.mlflow_arn, and a container
    without network isolation."""
    instances: Annotated[InstanceConstraints, SelectionNeed.INSTANCES] = InstanceConstraints()
    """Limits on the choice of the instance type, which must meet every need all the same."""
    place: Annotated[PlaceName | None, *ON_PLACE] = None
    """Which of the places it runs in; by default policy.account and policy.region."""
    execution_role_arn: Annotated[RoleArn | None, ON_EXECUTION_ROLE] = None
    """The ARN of a role of the account that SageMaker assumes for this workload, in place of one that is made for it."""

    @property
    def is_prepaid(self) -> bool:
        """Whether its instances are those of a training plan."""
        return False

    @property
    def measured_metrics(self) -> tuple[str, ...]:
        """The numbers that a run says of itself, by which a pipeline can judge it."""
        return tuple(self.container.metrics)

    def gate_fault(self, metric: str, file: str | None) -> tuple[KeyPath, str] | None:
        """Return what is wrong with a number that the training does not say of itself."""
        if file is not None:
            return ("file",), f"has no effect on a job that trains; {without('file')}"
        if metric not in self.measured_metrics:
            stated = ", ".join(self.measured_metrics) or "none: state it under container.metrics"
            return ("metric",), f"{metric} is not defined; the metrics of the training are {stated}"
        return None

    def mounted(self) -> dict[tuple[str, ...], FileSystem]:
        """Return the file systems of its jobs, by the path of the key."""
        found: dict[tuple[str, ...], FileSystem] = {
            ("file_systems", name): one for name, one in self.file_systems.items()
        }
        if self.dataset.file_system is not None:
            found["dataset", "file_system"] = self.dataset.file_system
        return found

    @model_validator(mode="after")
    def _spot_has_checkpoint(self) -> Self:
        if self.spot.enabled and self.checkpoint is None:
            raise fault(
                "spot.enabled",
                "Spot needs a checkpoint: without one, an interrupted job starts again from zero; "
                "add for example checkpoint: {interval_minutes: 15}",
            )
        if (
            self.spot.enabled
            and self.checkpoint
            and self.checkpoint.interval_minutes >= self.deadline_hours * 60
        ):
            raise fault(
                "checkpoint.interval_minutes",
                f"is {self.checkpoint.interval_minutes}, but deadline_hours ends the job after "
                f"{self.deadline_hours * 60:g} minutes: Spot would have no checkpoint to resume from",
            )
        return self

    @model_validator(mode="after")
    def _channels_are_others(self) -> Self:
        taken = {DATA_CHANNEL: "dataset", CODE_CHANNEL: "container.code"}
        for key, names in (("channels", self.channels), ("file_systems", self.file_systems)):
            for name in names:
                if name in taken:
                    raise fault(f"{key}.{name}", f"is the channel of {taken[name]}; choose another name")
                taken[name] = f"{key}.{name}"
        if len(taken) > MAX_CHANNELS:
            raise fault(
                "file_systems",
                f"and channels make {len(taken)}, with those of dataset and code; SageMaker takes {MAX_CHANNELS} at most",
            )
        return self

    @model_validator(mode="after")
    def _every_key_has_an_effect(self) -> Self:
        tabular = self.model.architecture in TABULAR
        if tabular and "optimizer" in self.model_fields_set:
            raise fault("optimizer", f"has no effect on {self.model.architecture}; {without('optimizer')}")
        if self.lora_parameters_millions is not None and self.method == "full":
            key = "lora_parameters_millions"
            raise fault(key, f"has no effect with method: full, which trains all weights; {without(key)}")
        key = "encrypt_inter_container_traffic"
        if not self.encrypt_inter_container_traffic and self.max_instances == 1:
            raise fault(key, f"has no effect on one instance; raise max_instances, or {without(key)}")
        return self

    @model_validator(mode="after")
    def _units_match_model(self) -> Self:
        if isinstance(self.model, PresetModel):  # its architecture is not known here
            return self
        architecture = self.model.architecture
        if getattr(self.dataset, self.model.dataset_key) is None:
            raise fault(
                f"dataset.{self.model.dataset_key}", f"is missing: {with_article(architecture)} needs it"
            )
        if self.method != "full" and architecture not in ADAPTED:
            raise fault(
                "method",
                f"{self.method} is for transformers and diffusion, {with_article(architecture)} is trained in full",
            )
        return self

"""A training job: what it must learn from, by when, and how it may be bought."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, Margin, Millions, SizeGib, Usd, fault, with_article, without
from sizewell.config.container import S3Key, TrainingContainer
from sizewell.config.instances import InstanceConstraints
from sizewell.config.ml_model import Model, PresetModel
from sizewell.facts.training_jobs import RUNTIME_BOUNDS_S

#: Architectures that low-rank adapters are made for.
ADAPTED = ("encoder", "decoder", "encoder-decoder", "diffusion")
#: Architectures that are trained without an optimizer of gradients.
TABULAR = ("gradient-boosting", "linear")


#: Step Functions ends an execution after a year (guide, "Service quotas"). The 35 days besides are for a last run on
#: demand, which may take 28, and for the time that each attempt is given to start.
MAX_WAIT_HOURS = 330 * 24


class Dataset(ConfigModel):
    """The training data, in the artifact bucket of the environment."""

    prefix: S3Key
    """The prefix of the objects."""
    size_gib: SizeGib
    """The size of the objects: it says how fast they must be streamed."""
    examples: Annotated[int, Field(ge=1, le=10**15)] | None = None
    """Images, rows or clips of one epoch."""
    tokens_millions: Annotated[float, Field(ge=1e-6, le=1e9)] | None = None
    """Tokens of one epoch, in millions."""
    epochs: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    sequence_length: Annotated[int, Field(ge=1, le=10_000_000)] = 2048
    """Tokens of one sequence."""

    @model_validator(mode="after")
    def _one_unit(self) -> Self:
        if (self.examples is None) == (self.tokens_millions is None):
            raise fault("", "give either examples (images, rows, clips) or tokens_millions (text)")
        return self


class Spot(ConfigModel):
    """Managed Spot: spare capacity at a discount, interrupted at any time."""

    enabled: bool
    max_wait_hours: Annotated[float, Field(ge=0.01, le=MAX_WAIT_HOURS)] | None = None
    """The longest time of all Spot attempts together, waiting and running; by default twice the deadline."""
    on_demand_fallback: bool = True
    """When no type has Spot capacity, run on demand on the type that is cheapest there."""

    @model_validator(mode="after")
    def _wait_is_of_spot(self) -> Self:
        if self.max_wait_hours is not None and not self.enabled:
            raise fault("max_wait_hours", f"has no effect without Spot; {without('max_wait_hours')}")
        return self


class Checkpoint(ConfigModel):
    """The script writes to /opt/ml/checkpoints at this interval, and resumes from what it finds there."""

    interval_minutes: Annotated[int, Field(ge=1, le=24 * 60)]


class Schedule(ConfigModel):
    """When the job runs by itself."""

    every: Literal["day", "week", "month"]
    weekday: Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"] = "SUN"
    """For a weekly job."""
    day_of_month: Annotated[int, Field(ge=1, le=28)] = 1
    """For a monthly job; at most 28, so that every month has the day."""
    at: Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", examples=["03:00"])] = "03:00"
    """The time of day, HH:MM in quotes."""
    time_zone: Annotated[
        str, Field(pattern=r"^[A-Za-z]+(/[A-Za-z_+-]+[0-9]*)*$", max_length=64, examples=["Europe/Berlin"])
    ] = "UTC"
    """A name of the IANA time-zone database."""
    enabled: bool = True

    @model_validator(mode="after")
    def _day_is_of_the_period(self) -> Self:
        for key, period in (("weekday", "week"), ("day_of_month", "month")):
            if key in self.model_fields_set and self.every != period:
                raise fault(key, f"has no effect on a job of every {self.every}; {without(key)}")
        return self


class TrainingJob(ConfigModel):
    """A job that trains a model, as a Step Functions state machine with a ladder of instance types."""

    kind: Literal["training-job"]
    description: Annotated[str, Field(max_length=200)] = ""
    model: Model
    container: TrainingContainer
    dataset: Dataset
    method: Literal["full", "lora", "auto"] = "full"
    """Train all weights, or low-rank adapters only. With auto: all, where memory, deadline and policy allow."""
    optimizer: Literal["adamw", "sgd"] = "adamw"
    batch_size_per_accelerator: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """Examples or sequences that one accelerator holds at a time."""
    lora_parameters_millions: Millions | None = None
    """Trained weights of the adapters; by default 0.5 % of the model."""
    deadline_hours: Annotated[float, Field(ge=0.01, le=RUNTIME_BOUNDS_S[1] // 3600)]
    """SageMaker ends a job after 28 days at the latest."""
    min_accelerators: Annotated[int, Field(ge=1, le=1024)] = 1
    max_instances: Annotated[int, Field(ge=1, le=64)] = 1
    spot: Spot = Spot(enabled=False)
    checkpoint: Checkpoint | None = None
    margin: Margin | None = None
    """Room that estimates must leave to deadline and memory, as a share; by default the policy's."""
    max_usd_per_run: Usd | None = None
    """The most that one run may cost."""
    schedule: Schedule | None = None
    runs_per_month: Annotated[float, Field(ge=0.001, le=50_000)] | None = None
    """How often people start the job, for the bill; a schedule says it by itself."""
    instances: InstanceConstraints = InstanceConstraints()

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
        wait = self.spot.max_wait_hours
        if wait is not None and wait < self.deadline_hours:
            raise fault(
                "spot.max_wait_hours",
                f"is {wait:g}, below deadline_hours ({self.deadline_hours:g}): "
                "for SageMaker the longest wait includes the longest run",
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
        return self

    @model_validator(mode="after")
    def _units_match_model(self) -> Self:
        if self.schedule is not None and self.runs_per_month is not None:
            raise fault("runs_per_month", "the schedule says how often the job runs; remove one of the two")
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

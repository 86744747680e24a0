"""A batch transform: the rows of a prefix, run through a model by a deadline."""

import math
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from sizewell.config.base import ON_TIME_LIMIT, ConfigModel, S3Key, fault, without
from sizewell.config.container import AcceleratedServingImage
from sizewell.config.effects import Below, OnChange, OnFactor, OnNumber, SelectionNeed
from sizewell.config.endpoint_rules import member_violations
from sizewell.config.inference_pipeline import ON_PIPELINE, InferencePipeline
from sizewell.config.kind import ConfigKind
from sizewell.config.repeated_runs import RepeatedRuns
from sizewell.config.served_model import ServedOnInstances
from sizewell.facts.serving_modes import Mode, limit
from sizewell.facts.training_jobs import RUNTIME_BOUNDS_S
from sizewell.facts.transform_jobs import (
    DEFAULT_PAYLOAD_MB,
    FILTERED_CONTENT_TYPES,
    INVOCATION_RETRY_BOUNDS,
    INVOCATION_TIMEOUT_BOUNDS_S,
    MAX_FILTER_CHARACTERS,
    MAX_INSTANCES,
    MAX_PAYLOAD_MB,
)

KB_PER_MB = 1024

BatchStrategy = Literal["multi-record", "single-record"]
Rows = Annotated[int, Field(ge=1, le=10**12)]
#: A MIME type; ``$`` would begin a path of Step Functions.
ContentType = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9.+-]+/[A-Za-z0-9.+-]+(; ?[A-Za-z0-9=.+-]+)*$", max_length=256, examples=["text/csv"]
    ),
]
#: Step Functions reads ``${`` as CloudFormation's own; nothing in JSONPath needs it.
JsonPath = Annotated[
    str,
    Field(pattern=r"^\$([^{].*)?$", max_length=MAX_FILTER_CHARACTERS, examples=["$[1:]"]),
]


class TransformData(ConfigModel):
    """The rows of one run, in the artifact bucket of the environment."""

    prefix: S3Key
    """The prefix of the objects in the artifact bucket."""
    rows_per_run: Annotated[Rows, OnFactor(), SelectionNeed.LOAD]
    """Rows that one run transforms; with split: none, objects."""
    kb_per_row: Annotated[float, Field(ge=1e-4, le=1e7), OnFactor(), SelectionNeed.LOAD]
    """The mean size of a row in KB, unpacked; with split: none, of an object."""
    objects: Annotated[Rows | None, OnNumber("fewer instances share a run", "more instances share a run")] = (
        None
    )
    """Objects that the rows lie in. One object is transformed by one instance; by default there is one, with split: none one
    for each row."""
    content_type: Annotated[ContentType, OnChange("the container reads another format")]
    """The MIME type of a request, for example text/csv, application/jsonlines, application/x-image."""
    split: Annotated[
        Literal["line", "none", "record-io", "tf-record"], OnChange("objects are cut into other requests")
    ]
    """How an object is cut into rows: at line ends, as RecordIO or TFRecord; none sends each object as one request."""
    compression: Literal["gzip", "none"] = "none"
    """Whether the objects are packed; SageMaker unpacks them."""

    @property
    def row_mb(self) -> float:
        """The size of a row in MB."""
        return self.kb_per_row / KB_PER_MB

    @property
    def object_count(self) -> int:
        """Objects, stated or not."""
        return self.objects or (self.rows_per_run if self.split == "none" else 1)

    @model_validator(mode="after")
    def _objects_hold_rows(self) -> Self:
        if self.objects is None:
            return self
        if self.split == "none":
            raise fault(
                "objects", f"has no effect with split: none, where rows are objects; {without('objects')}"
            )
        if self.objects > self.rows_per_run:
            raise fault("objects", f"is {self.objects:,}, above rows_per_run ({self.rows_per_run:,})")
        return self


class BatchTransform(RepeatedRuns, ServedOnInstances):
    """A job that runs rows through a model, as a Step Functions state machine with a ladder of instance types."""

    has_fleet: ClassVar[bool] = False

    kind: Literal["batch-transform"]
    """The workload is a SageMaker transform job."""
    data: Annotated[TransformData, Below(OnChange())]
    """What one run transforms."""
    pipeline: Annotated[InferencePipeline | None, *ON_PIPELINE] = None
    """Containers that a request passes before the model, and its answer after it, on the same instances."""
    output_prefix: S3Key | None = None
    """The prefix of the results in the artifact bucket, where each run has a folder; by default transform/NAME."""
    accept: Annotated[ContentType | None, OnChange("the container answers in another format")] = None
    """The MIME type of the results; by default the container's, and that of the data where they are joined."""
    deadline_hours: Annotated[
        float, Field(ge=0.01, le=RUNTIME_BOUNDS_S[1] // 3600), ON_TIME_LIMIT, SelectionNeed.BOUND
    ]
    """Hours within which a run must end, with the start of its instances; a job that takes longer is stopped."""
    max_instances: Annotated[int, Field(ge=1, le=MAX_INSTANCES), SelectionNeed.TRAINING] = 1
    """The largest number of instances of one run, at most as many as objects."""
    strategy: Annotated[
        BatchStrategy | None, OnChange("requests hold other numbers of rows"), SelectionNeed.MODEL
    ] = None
    """How many rows a request holds: as many as max_payload_mb holds (multi-record), or one (single-record); by default
    multi-record where the data is split, and single-record where a row is text for a model that counts tokens."""
    max_payload_mb: Annotated[
        Annotated[int, Field(ge=1, le=MAX_PAYLOAD_MB)] | None,
        OnNumber("requests are smaller", "requests are larger"),
        SelectionNeed.MODEL,
    ] = None
    """The largest request in MB; by default 6, or what one row needs."""
    max_concurrent_transforms: Annotated[
        Annotated[int, Field(ge=1, le=MAX_PAYLOAD_MB)] | None,
        OnNumber(
            "an instance works on fewer requests at a time", "an instance works on more requests at a time"
        ),
        SelectionNeed.MODEL,
    ] = None
    """Requests that an instance gets at a time; by default as many as it works on, as the estimate says."""
    invocation_timeout_s: Annotated[
        Annotated[int, Field(ge=INVOCATION_TIMEOUT_BOUNDS_S[0], le=INVOCATION_TIMEOUT_BOUNDS_S[1])] | None,
        ON_TIME_LIMIT,
        SelectionNeed.BOUND,
    ] = None
    """Seconds within which a request must be answered; by default ten times the estimate, and 600 at least."""
    retries: Annotated[
        int,
        Field(ge=INVOCATION_RETRY_BOUNDS[0], le=INVOCATION_RETRY_BOUNDS[1]),
        OnNumber("fewer requests are repeated", "failed requests are repeated more often"),
    ] = 3
    """How often a request is repeated that fails."""
    join: Annotated[Literal["none", "input"], OnChange("results hold other columns")] = "none"
    """Whether each result is written beside its row."""
    input_filter: Annotated[JsonPath | None, OnChange("the model sees other columns")] = None
    """A JSONPath of what the model sees of a row, for example $[1:] to leave out an id."""
    output_filter: Annotated[JsonPath | None, OnChange("results hold other columns")] = None
    """A JSONPath of what is kept of a result, or of a joined row, for example $[0,-1]."""

    @property
    def batch_strategy(self) -> BatchStrategy | None:
        """How many rows a request holds, stated or not; None where an object is not cut."""
        if self.data.split == "none":
            return None
        return self.strategy or ("multi-record" if self.request.input_tokens is None else "single-record")

    @property
    def payload_mb(self) -> int:
        """The largest request in MB, stated or not: so small that as many as stated go to an instance at a time."""
        if self.max_payload_mb is not None:
            return self.max_payload_mb
        row_mb = max(1, math.ceil(self.data.row_mb))
        if self.batch_strategy != "multi-record":
            return row_mb
        return max(row_mb, min(DEFAULT_PAYLOAD_MB, MAX_PAYLOAD_MB // (self.max_concurrent_transforms or 1)))

    @property
    def rows_per_request(self) -> int:
        """Rows of one request, the last one of an object apart."""
        if self.batch_strategy != "multi-record":
            return 1
        of_object = math.ceil(self.data.rows_per_run / self.data.object_count)
        return max(1, min(of_object, math.floor(self.payload_mb / self.data.row_mb)))

    @model_validator(mode="after")
    def _request_is_a_row(self) -> Self:
        for key, instead in (
            ("payload_mb", "data.kb_per_row says how large a row is"),
            ("response_mb", "results are written to S3"),
        ):
            if getattr(self.request, key) is not None:
                raise fault(
                    f"request.{key}", f"has no effect on a batch transform: {instead}; {without(key)}"
                )
        for kind in ("cuda", "neuron"):
            image = getattr(self.container.images, kind)
            if isinstance(image, AcceleratedServingImage) and image.inference_ami_version is not None:
                raise fault(
                    f"container.images.{kind}.inference_ami_version",
                    "has no effect on a batch transform: a transform job has no such machine images; "
                    f"{without('inference_ami_version')}",
                )
        return self

    def in_region(self, region: str) -> Self:
        """Return the transform with the images of a region in place of their names: those of endpoints choose a driver, too."""
        found = super().in_region(region)
        images = found.container.images
        named = {
            hardware: image.model_copy(update={"inference_ami_version": None})
            for hardware, image in images.by_hardware().items()
            if isinstance(image, AcceleratedServingImage)
        }
        container = found.container.model_copy(update={"images": images.model_copy(update=named)})
        return found.model_copy(update={"container": container})

    @model_validator(mode="after")
    def _artifact_is_packed(self) -> Self:
        containers = {"container": self.container.artifact}
        for path, step in self.pipeline.steps() if self.pipeline else ():
            containers[".".join(("pipeline", *path))] = step.artifact
        for key, artifact in containers.items():
            if artifact is None:
                continue
            if reason := artifact.not_an_archive("transform jobs"):
                raise fault(f"{key}.artifact.key", reason)
            if key != "container" and artifact.compression == "none":
                raise fault(
                    f"{key}.artifact.compression",
                    "is none, but transform jobs load no plain objects: pack them",
                )
        return self

    @model_validator(mode="after")
    def _strategy_matches_split(self) -> Self:
        if self.strategy is not None and self.data.split == "none":
            raise fault(
                "strategy",
                f"{self.strategy} needs data.split: without it a request is a whole object; write data.split: line, "
                f"record-io or tf-record, or {without('strategy')}",
            )
        return self

    @model_validator(mode="after")
    def _payload_holds_a_row(self) -> Self:
        row_mb, noun = self.data.row_mb, "an object" if self.data.split == "none" else "a row"
        if row_mb > MAX_PAYLOAD_MB:
            raise fault(
                "data.kb_per_row",
                f"{noun} of {row_mb:,.4g} MB does not fit into a request, which holds {MAX_PAYLOAD_MB} MB at most"
                + ("; split the objects with data.split" if self.data.split == "none" else ""),
            )
        if self.max_payload_mb is not None and row_mb > self.max_payload_mb:
            raise fault(
                "max_payload_mb",
                f"is {self.max_payload_mb}, but {noun} has {row_mb:,.4g} MB; raise it to {math.ceil(row_mb)}",
            )
        concurrent = self.max_concurrent_transforms
        if concurrent is not None and concurrent * self.payload_mb > MAX_PAYLOAD_MB:
            raise fault(
                "max_concurrent_transforms",
                f"{concurrent} requests of {self.payload_mb} MB are {concurrent * self.payload_mb:,} MB, but SageMaker sends an "
                f"instance {MAX_PAYLOAD_MB} MB at a time: {MAX_PAYLOAD_MB // self.payload_mb} at most, or a lower max_payload_mb",
            )
        return self

    @model_validator(mode="after")
    def _instances_have_objects(self) -> Self:
        if self.max_instances > self.data.object_count:
            raise fault(
                "max_instances",
                f"is {self.max_instances}, but the rows lie in {self.data.object_count:,} object(s), and one object is "
                "transformed by one instance: state data.objects, or lower it",
            )
        return self

    @model_validator(mode="after")
    def _filters_can_be_read(self) -> Self:
        keys = [key for key in ("input_filter", "output_filter") if getattr(self, key) is not None]
        for key in keys:
            if getattr(self, key) == "$":
                raise fault(key, f"has no effect: $ is everything; {without(key)}")
        if self.join == "input":
            keys.insert(0, "join")
        content_type = self.data.content_type.partition(";")[0]
        if keys and content_type not in FILTERED_CONTENT_TYPES:
            raise fault(
                keys[0], f"reads {', '.join(FILTERED_CONTENT_TYPES)}, but data.content_type is {content_type}"
            )
        if keys and self.data.split in ("record-io", "tf-record"):
            raise fault(keys[0], f"reads text, but data.split is {self.data.split}; write split: line")
        if self.join == "none" and self.output_filter is not None and "SageMaker" in self.output_filter:
            raise fault(
                "output_filter",
                f"{self.output_filter} names what only a joined row has; write join: input",
            )
        if self.join == "input" and self.accept not in (None, self.data.content_type):
            raise fault(
                "accept",
                f"is {self.accept}, but a result that is joined has the type of its row, {self.data.content_type}; "
                f"{without('accept')}",
            )
        return self

    @model_validator(mode="after")
    def _output_is_elsewhere(self) -> Self:
        if self.output_prefix is not None:
            inside, outside = f"{self.output_prefix.rstrip('/')}/", f"{self.data.prefix.rstrip('/')}/"
            if inside.startswith(outside) or outside.startswith(inside):
                raise fault(
                    "output_prefix",
                    f"{self.output_prefix} and data.prefix ({self.data.prefix}) lie in each other: the next run would transform "
                    "the results of this one; choose another prefix",
                )
        return self

    @model_validator(mode="after")
    def _runs_start(self) -> Self:
        start_minutes = limit(Mode.BATCH, "start_minutes")
        if self.deadline_hours * 60 <= start_minutes:
            raise fault(
                "deadline_hours",
                f"is {self.deadline_hours:g} ({self.deadline_hours * 60:g} minutes), but the instances of a job take "
                f"{start_minutes:g} minutes to start: state more than {start_minutes / 60:.3g}",
            )
        return self


FACET = ConfigKind(rank=7, model=BatchTransform, rules=member_violations)

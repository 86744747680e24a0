"""Read published recommendations: what each row asks for, and the instance types that its source names for it."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from sizewell.config.ml_model import PresetModel
from sizewell.instance_selection import ModelSpec, Precision, Usage
from sizewell.instance_selection.presets import UnknownPresetError, find_preset
from sizewell.planning.model_spec import model_spec
from tools.benchmarks.algorithms import Algorithm, Task, find_algorithm, load_algorithms
from tools.benchmarks.choice_names import ANY_OTHER, GROUPS, SERVERLESS, unknown_name
from tools.benchmarks.tables import TableError, read_table

#: Models from this size on are deployed in half precision where a row states none.
HALF_PRECISION_FROM = 300e6
#: Size of the data from which on an algorithm may prefer other hardware (``over-2gb`` of algorithms.csv).
LARGE_DATA_GB = 2.0
Circumstance = Literal[
    "large", "large-batch", "throughput", "dense", "dnn", "low-cost", "pre-training", "intermittent"
]


def _known(*words: str) -> AfterValidator:
    """Return the check that names are instance types, families, groups of them or one of the words."""

    def check(names: tuple[str, ...]) -> tuple[str, ...]:
        if fault := unknown_name(names, (*GROUPS, *words)):
            raise PydanticCustomError("name", "{fault}", {"fault": fault})
        return names

    return AfterValidator(check)


def _known_preset(name: str) -> str:
    try:
        find_preset(name)
    except UnknownPresetError as error:
        raise PydanticCustomError("preset", "{fault}", {"fault": str(error)}) from None
    return name


#: Separated by blanks.
_Names = Annotated[tuple[str, ...], BeforeValidator(str.split)]
_Count = Annotated[int, Field(gt=0)]
_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Question(BaseModel):
    """What a row asks for; what it does not state is left to the defaults of ``choice_needs``.

    It is about an ``algorithm`` (with the ``version`` of its software) or the ``preset`` of a model. ``parameters_millions``
    are those of all models on one machine where that is not the preset's, and of an algorithm those of its table in memory.
    ``instance_types`` are the only ones that the row asks about.
    """

    model_config = ConfigDict(frozen=True)

    task: Task
    algorithm: str | None = None
    version: _Positive | None = None
    preset: Annotated[str, AfterValidator(_known_preset)] | None = None
    parameters_millions: _Positive | None = None
    precision: Precision | None = None
    concurrent_requests: _Count | None = None
    context_tokens: _Count | None = None
    requests_per_second: _Positive | None = None
    max_p95_latency_ms: _Positive | None = None
    data_gb: _Positive | None = None
    max_usd_per_month: _Positive | None = None
    objective: Literal["least-cost", "least-latency", "most-throughput"] = "least-cost"
    circumstances: Annotated[frozenset[Circumstance], BeforeValidator(str.split)] = frozenset()
    instance_types: Annotated[_Names, _known()] = ()

    @model_validator(mode="after")
    def _is_about_one_thing(self) -> Self:
        if (self.algorithm is None) == (self.preset is None):
            raise PydanticCustomError("subject", "must state either algorithm or preset")
        if self.algorithm and self.hardware_of_algorithm is None:
            names = {row.name for row in load_algorithms() if row.task in (self.task, "any")}
            raise PydanticCustomError(
                "algorithm",
                "algorithm {name}: unknown; allowed: {names}",
                {"name": self.algorithm, "names": ", ".join(sorted(names))},
            )
        return self

    @property
    def usage(self) -> Usage:
        """What the instance is for."""
        return Usage.TRAINING if self.task == "training" else Usage.HOSTING

    @property
    def conditions(self) -> frozenset[str]:
        """The circumstances that the table of algorithms knows: those that are stated, and ``speed`` and ``over-2gb``."""
        follow = {"speed": self.objective == "least-latency", "over-2gb": (self.data_gb or 0) > LARGE_DATA_GB}
        return self.circumstances | {word for word, holds in follow.items() if holds}

    @property
    def hardware_of_algorithm(self) -> Algorithm | None:
        """What hardware the algorithm can use; None for a model."""
        return find_algorithm(self.algorithm, self.task, self.version) if self.algorithm else None

    @property
    def model(self) -> ModelSpec:
        """The model in the terms of the selection; a question about an algorithm has none."""
        assert self.preset is not None, "the question is about an algorithm"
        half = self.task == "training" or find_preset(self.preset).parameters >= HALF_PRECISION_FROM
        precision = self.precision or (Precision.FP16 if half else Precision.FP32)
        return model_spec(
            PresetModel(preset=self.preset, precision=precision, parameters_millions=self.parameters_millions)
        )


class Recommendation(Question):
    """A row: a question with the answer that its source publishes. ``workload`` and ``evidence`` are for people."""

    id: Annotated[str, Field(min_length=1)]
    kind: Literal["recommendation", "sizing", "memory_fit", "example", "exam_guidance", "benchmark_choice"]
    source_id: Annotated[str, Field(min_length=1)]
    workload: str = ""
    evidence: str = ""
    recommended_instances: Annotated[_Names, _known(SERVERLESS)]
    also_acceptable: Annotated[_Names, _known(SERVERLESS)] = ()
    unacceptable_instances: Annotated[_Names, _known(ANY_OTHER)] = ()

    @property
    def wanted(self) -> tuple[str, ...]:
        """The names that the source recommends or accepts."""
        return self.recommended_instances + self.also_acceptable


def read_recommendations(path: Path) -> list[Recommendation]:
    """Return the rows of a table in its order.

    Raises:
        TableError: the file is no table; or a column, a word or a number is not allowed.
    """
    fields = Recommendation.model_fields
    rows = read_table(path, [name for name, field in fields.items() if field.is_required()])
    if unknown := sorted(set(rows[0] if rows else ()) - set(fields)):
        raise TableError(
            f"{path}:1: has an unknown column {', '.join(unknown)}; allowed: {', '.join(fields)}"
        )
    return [_recommendation(row, f"{path}: row {number}, {row['id']}") for number, row in enumerate(rows, 2)]


def _recommendation(row: dict[str, str], place: str) -> Recommendation:
    try:
        return Recommendation.model_validate({column: cell for column, cell in row.items() if cell})
    except ValidationError as error:
        faults = error.errors(include_url=False)
    said = (
        f"{fault['loc'][0]} {row[str(fault['loc'][0])]!r}: {fault['msg']}" if fault["loc"] else fault["msg"]
        for fault in faults
    )
    raise TableError(f"{place}: {'; '.join(said)}")

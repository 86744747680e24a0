"""From a file with measurements to entries of ``measurements.yaml``; the format is recognised by its keys."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from sizewell.config.faults import ConfigError, Fault, show_value
from sizewell.config.measured_instance import MeasuredInstance
from sizewell.config.measurement_faults import kind_faults, measured_key_fault
from sizewell.instance_selection import Catalog
from sizewell.planning.measurement_document import (
    COLUMNS,
    Document,
    Reading,
    Readings,
    parse_json,
    read_csv,
    read_table,
)
from sizewell.planning.measurements import unknown_type
from sizewell.planning.recommender_results import (
    read_ai_recommendations,
    read_aiperf,
    read_inference_recommender,
    refuse_benchmark_description,
    refuse_search_history,
)

Reader = Callable[[Document, str | None, int], Readings]


@dataclass(frozen=True)
class Form:
    """A kind of document that is accepted: a key at its top that tells it from the others, and what reads it."""

    name: str
    keys: tuple[str, ...]
    read: Reader


#: The first form of which a key is there is the one. Those without a name are no results; their readers say so.
FORMS = (
    Form(
        "SageMaker Inference Recommender: aws sagemaker describe-inference-recommendations-job",
        ("InferenceRecommendations", "EndpointPerformances"),
        read_inference_recommender,
    ),
    Form(
        "SageMaker AI recommendation job: aws sagemaker describe-ai-recommendation-job",
        ("AIRecommendationJobName", "AIRecommendationJobArn", "Recommendations"),
        read_ai_recommendations,
    ),
    Form(
        "SageMaker AI benchmark job: profile_export_aiperf.json of its output",
        ("request_latency", "request_throughput"),
        read_aiperf,
    ),
    Form("", ("AIBenchmarkJobName", "AIBenchmarkJobArn"), refuse_benchmark_description),
    Form("", ("boundary_summary",), refuse_search_history),
    Form(f"your own: JSON with the keys {', '.join(COLUMNS)}", ("measurements", *COLUMNS), read_table),
)
CSV_FORM = "your own: CSV with these keys as its header"


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a document does not say: which workload was measured, and on what.

    ``kind`` is that of the workload, None when it is not known. ``instance_type`` and ``instance_count`` are of the
    endpoint that was tested, for documents without them.
    """

    environment: str | None = None
    kind: str | None = None
    instance_type: str | None = None
    instance_count: int = 1


@dataclass(frozen=True)
class Imported:
    """The measurements of a document, and notes for the user on what was left out or taken for something else."""

    measured: tuple[MeasuredInstance, ...]
    notes: tuple[str, ...]


def import_measurements(file: str, text: str, target: Target, catalog: Catalog) -> Imported:
    """Return the measurements of a document; ``file`` is its name in messages.

    Raises:
        ConfigError: The form is not known, or something in it cannot be right; it holds every such fault.
    """
    document, readings = _read(file, text, target)
    faults: list[Fault] = []
    measured: dict[Any, MeasuredInstance] = {}
    for reading in readings.readings:
        instance, own_faults = _validated(document, reading, target, catalog)
        faults += own_faults
        if instance is not None and measured.setdefault(instance.key, instance) is not instance:
            message = f"{instance.instance_type} is measured twice at this concurrency"
            faults += document.error(
                reading.path, message, line=reading.line, hint="keep one of the two"
            ).faults
    if faults:
        raise ConfigError(faults)
    if not measured:
        details = readings.notes or ("the list is empty",)
        raise document.error((), "the file holds no measurement of an instance type", details=details)
    return Imported(tuple(measured.values()), readings.notes)


def _read(file: str, text: str, target: Target) -> tuple[Document, Readings]:
    text = text.removeprefix("\ufeff")
    if text.lstrip()[:1] in ("{", "["):
        document = parse_json(file, text)
        form = _form(document.data)
        if form is not None:
            return document, form.read(document, target.instance_type, target.instance_count)
    elif any(cell.strip() in COLUMNS for cell in text.lstrip().partition("\n")[0].split(",")):
        return read_csv(file, text, target.instance_type)
    accepted = [form.name for form in FORMS if form.name] + [CSV_FORM]
    message = "the file has none of the accepted forms:"
    details = tuple(f"  {form}" for form in accepted)
    raise ConfigError([Fault(file, None, None, (), None, message, details=details)])


def _form(data: Any) -> Form | None:
    keys = data.keys() if isinstance(data, dict) else {"measurements"}
    return next((form for form in FORMS if not keys.isdisjoint(form.keys)), None)


def _validated(
    document: Document, reading: Reading, target: Target, catalog: Catalog
) -> tuple[MeasuredInstance | None, list[Fault]]:
    def fault(key: str, message: str, **more: Any) -> list[Fault]:
        path = reading.origins.get(key, (*reading.path, key) if key else reading.path)
        if path and key and path[-1] != key:
            message = f"as {key}, {message}"
        return list(document.error(path, message, line=reading.line, **more).faults)

    values = {key: value for key, value in reading.values.items() if value is not None}
    if "instance_type" not in values:
        return None, fault(
            "instance_type", "the instance type is missing", hint="give it with --instance-type"
        )
    try:
        instance = MeasuredInstance.model_validate({**values, "environment": target.environment}, strict=True)
    except ValidationError as error:
        return None, [found for args in _value_faults(error) for found in fault(args[0], args[1], **args[2])]
    faults = []
    if words := unknown_type(instance.instance_type, catalog):
        faults += fault("instance_type", words[0], hint=words[1])
    for key, reason in kind_faults(instance, target.kind):
        faults += fault(key, reason)
    return instance, faults


def _value_faults(error: ValidationError) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for details in error.errors(include_url=False):
        if details["type"] == "rule":
            yield "", details["ctx"]["reason"], {}
            continue
        key = str(details["loc"][0])
        message, hint = measured_key_fault(key, details["input"])
        yield key, message, {"value": show_value(details["input"]), "hint": hint}

"""From a file with measurements to entries of ``measurements.yaml``; the format is recognised by its keys."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from sizewell.config.faults import ConfigError, Fault, show_value
from sizewell.config.measured_instance import MeasuredInstance
from sizewell.config.measurement_faults import kind_faults, measured_key_fault
from sizewell.instance_selection import Catalog
from sizewell.planning.load_tests import locust, mlperf, vllm_bench
from sizewell.planning.load_tests.aiperf import read_aiperf
from sizewell.planning.load_tests.k6 import read_k6
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


_OWN = Form(f"your own: JSON with the keys {', '.join(COLUMNS)}", ("measurements", *COLUMNS), read_table)
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
    Form("vLLM: vllm bench serve --save-result", vllm_bench.KEYS, vllm_bench.read_vllm_bench),
    Form(
        "AIPerf, GenAI-Perf, SageMaker AI benchmark job: profile_export_*.json of its output",
        ("request_latency", "request_throughput"),
        read_aiperf,
    ),
    Form("k6: --summary-export, or the data of handleSummary()", ("metrics",), read_k6),
    Form("Locust: what --json prints", locust.KEYS, locust.read_locust_json),
    Form("", ("AIBenchmarkJobName", "AIBenchmarkJobArn"), refuse_benchmark_description),
    Form("", ("boundary_summary",), refuse_search_history),
    _OWN,
)
#: Forms that are no JSON.
TEXT_FORMS = (
    "your own: CSV with these keys as its header",
    "Locust: the PREFIX_stats.csv of --csv",
    "MLPerf Inference: mlperf_log_summary.txt of LoadGen",
)


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
    return check_readings(*_read(file, text, target), target, catalog)


def check_readings(document: Document, readings: Readings, target: Target, catalog: Catalog) -> Imported:
    """Return the measurements that a document states.

    Raises:
        ConfigError: Something in them cannot be right; it holds every such fault.
    """
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
    tested = target.instance_type, target.instance_count
    first_line = text.lstrip().partition("\n")[0]
    columns = [cell.strip() for cell in first_line.split(",")]
    if first_line[:1] in ("{", "["):
        document = parse_json(file, text)
        form = _form(document.data)
        if form is not None:
            return document, form.read(document, *tested)
    elif not set(columns).isdisjoint(COLUMNS):
        return read_csv(file, text, target.instance_type)
    elif set(locust.COLUMNS) <= {column.strip('"') for column in columns}:
        document = locust.parse_locust_csv(file, text)
        return document, locust.read_locust_csv(document, *tested)
    elif mlperf.TITLE in text:
        document = mlperf.parse_mlperf(file, text)
        return document, mlperf.read_mlperf(document, *tested)
    accepted = [form.name for form in FORMS if form.name] + [*TEXT_FORMS]
    message = "the file has none of the accepted forms:"
    details = tuple(f"  {form}" for form in accepted)
    raise ConfigError([Fault(file, None, None, (), None, message, details=details)])


def _form(data: Any) -> Form | None:
    in_list = isinstance(data, list)
    item = data[0] if in_list and data else data
    keys = item.keys() if isinstance(item, dict) else set()
    if in_list and keys.isdisjoint(locust.KEYS):
        return _OWN
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

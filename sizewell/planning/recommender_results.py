"""The results of SageMaker Inference Recommender, as ``describe-inference-recommendations-job`` prints them.

Sources: SageMaker API reference, DescribeInferenceRecommendationsJob, RecommendationMetrics, InferenceMetrics and
EndpointOutputConfiguration; SageMaker developer guide, "Recommendation results"; read in November 2026.
"""

from textwrap import shorten
from typing import Any

from sizewell.config.measured_instance import MAX_SOURCE_CHARACTERS
from sizewell.config.tree import KeyPath
from sizewell.planning.measurement_document import Document, Reading, Readings, best_of_each_type, significant


def read_inference_recommender(
    document: Document, instance_type: str | None, instance_count: int
) -> Readings:
    """Return the results of ``describe-inference-recommendations-job``.

    ``MaxInvocations`` are requests per minute of one instance; ``ModelLatency`` is in milliseconds at that load. Of
    which percentile it is, the reference does not say: it is taken for the 95th, with a note. ``InitialInstanceCount``
    is a recommendation, not a part of the measurement. Results of serverless endpoints are left out, and of several
    results of a type the one with the most requests is kept.

    Raises:
        ConfigError: The job did not complete, or a value cannot be right.
    """
    document.check_status("Status", "COMPLETED")
    job = f"inference-recommender job {document.text_at('JobName') or 'without a name'}"
    date = document.date("CompletionTime")
    readings: list[Reading] = []
    notes: list[str] = []
    for path in document.items("InferenceRecommendations"):
        type_path = (*path, "EndpointConfiguration", "InstanceType")
        if document.text_at(*type_path) is None and document.at(
            (*path, "EndpointConfiguration", "ServerlessConfig")
        ):
            notes.append(
                f"{'.'.join(path)} is of a serverless endpoint, which has no instance type: left out"
            )
            continue
        source = shorten(job + _tuning(document, path), MAX_SOURCE_CHARACTERS, placeholder=" …")
        reading = _invocations(document, path, source, date)
        reading.values["instance_type"] = document.text_at(*type_path)
        reading.origins["instance_type"] = type_path
        readings.append(reading)
    for path in document.items("EndpointPerformances"):
        if instance_type is None and readings:
            notes.append(
                f"{'.'.join(path)} names no instance type: left out; --instance-type NAME takes it, too"
            )
            continue
        endpoint = document.text_at(*path, "EndpointInfo", "EndpointName") or "without a name"
        reading = _invocations(document, path, f"{job}, endpoint {endpoint}", date)
        reading.values["instance_type"] = instance_type
        readings.append(reading)
    if any("p95_latency_ms" in reading.values for reading in readings):
        notes.append(
            "ModelLatency is the latency at the highest load, of a percentile that AWS does not state; "
            "it is taken for the 95th"
        )
    best = best_of_each_type(readings)
    return Readings(best.readings, (*notes, *best.notes))


def _invocations(document: Document, path: KeyPath, source: str, date: str | None) -> Reading:
    values: dict[str, Any] = {"date": document.date(*path, "InvocationEndTime") or date, "source": source}
    origins: dict[str, KeyPath] = {}
    figures = {"MaxInvocations": ("max_requests_per_second", 1 / 60), "ModelLatency": ("p95_latency_ms", 1)}
    for name, (key, factor) in figures.items():
        if (number := document.number(*path, "Metrics", name)) is not None:
            values[key] = significant(number * factor)
            origins[key] = (*path, "Metrics", name)
    return Reading(values, origins, path)


def _tuning(document: Document, path: KeyPath) -> str:
    """Return the environment variables that the recommender tuned: without them the figures do not hold."""
    pairs = [
        f"{document.text_at(*item, 'Key')}={document.text_at(*item, 'Value')}"
        for item in document.items(*path, "ModelConfiguration", "EnvironmentParameters")
    ]
    return f", with {' '.join(pairs)}" if pairs else ""

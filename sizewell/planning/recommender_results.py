"""The results that SageMaker writes of Inference Recommender and of AI recommendation jobs.

Sources: SageMaker API reference, DescribeInferenceRecommendationsJob, RecommendationMetrics, InferenceMetrics,
EndpointOutputConfiguration, DescribeAIRecommendationJob and AIRecommendationPerformanceMetric, which leaves the names of its
metrics open; for those, SageMaker Python SDK, ``sagemaker.serve.ai_inference_recommender``; SageMaker developer guide,
"Recommendation results" and "Get generative AI inference deployment recommendations"; read in November 2026.
"""

from textwrap import shorten
from typing import Any

from sizewell.config.measured_instance import MAX_SOURCE_CHARACTERS
from sizewell.config.tree import KeyPath
from sizewell.planning.load_tests.load_test import TAIL_STATISTICS
from sizewell.planning.measurement_document import (
    MS,
    PER_SECOND,
    Document,
    Reading,
    Readings,
    best_of_each_type,
    significant,
)

_MEAN_STATISTICS = ("avg", "average", "mean")


def read_inference_recommender(
    document: Document, instance_type: str | None, instance_count: int
) -> Readings:
    """Return the results of ``describe-inference-recommendations-job``.

    ``MaxInvocations`` are requests per minute of one instance; ``ModelLatency`` is in milliseconds at that load. The
    reference does not say which percentile it is: it is taken for the 95th, with a note. ``InitialInstanceCount``
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


def read_ai_recommendations(document: Document, instance_type: str | None, instance_count: int) -> Readings:
    """Return the results of ``describe-ai-recommendation-job``.

    It takes two metrics of ``ExpectedPerformance``: the request throughput, divided by the recommended number of instances,
    and the request latency at the 95th percentile, or at the 99th, which is no less. Token throughput and time to the
    first token say neither.

    Raises:
        ConfigError: The job did not complete, has neither of the two, or a value cannot be right.
    """
    document.check_status("AIRecommendationJobStatus", "Completed")
    job = f"ai-recommendation job {document.text_at('AIRecommendationJobName') or 'without a name'}"
    date = document.date("EndTime")
    readings: list[Reading] = []
    notes: list[str] = []
    seen: list[str] = []
    for path in document.items("Recommendations"):
        deployment = (*path, "DeploymentConfiguration")
        count = document.number(*deployment, "InstanceCount") or 1
        metrics = _expected_performance(document, path)
        seen += [f"{metric} {statistic}".strip() for metric, statistic in metrics]
        values: dict[str, Any] = {"instance_type": document.text_at(*deployment, "InstanceType")}
        origins: dict[str, KeyPath] = {"instance_type": (*deployment, "InstanceType")}
        detail = _optimizations(document, path)
        for statistic in _MEAN_STATISTICS:
            if at := metrics.get(("requestthroughput", statistic)):
                rate = document.converted(at, "Value", "Unit", PER_SECOND)
                values["max_requests_per_second"] = significant(rate / count)
                origins["max_requests_per_second"] = (*at, "Value")
        for statistic in reversed(TAIL_STATISTICS):
            if at := metrics.get(("requestlatency", statistic)):
                values["p95_latency_ms"] = significant(document.converted(at, "Value", "Unit", MS))
                origins["p95_latency_ms"] = (*at, "Value")
        if "p95_latency_ms" in values and ("requestlatency", "p95") not in metrics:
            detail += ", the p99 latency"
        if len(values) == 1:
            notes.append(
                f"{'.'.join(path)} has no request throughput and no p95 or p99 request latency: left out"
            )
            continue
        readings.append(Reading({**values, "date": date, "source": job + detail}, origins, path))
    if notes and not readings:
        raise document.error(
            ("Recommendations",),
            "no request throughput and no p95 or p99 request latency; ExpectedPerformance has",
            allowed=tuple(dict.fromkeys(seen)) or ("nothing",),
            hint="import profile_export_aiperf.json from the output of the benchmark job behind the recommendation",
        )
    best = best_of_each_type(readings)
    return Readings(best.readings, (*notes, *best.notes))


def refuse_benchmark_description(
    document: Document, instance_type: str | None, instance_count: int
) -> Readings:
    """Say where the results of an AI benchmark job are: its description holds none."""
    location = document.text_at("OutputConfig", "S3OutputLocation") or "its S3 output location"
    raise document.error(
        ("OutputConfig", "S3OutputLocation"),
        "the description of an AI benchmark job holds no results",
        hint=f"take output.tar.gz from {location}, and import its profile_export_aiperf.json",
    )


def refuse_search_history(document: Document, instance_type: str | None, instance_count: int) -> Readings:
    """Say where the results of a search for the highest concurrency are: its history names only the concurrency."""
    raise document.error(
        ("boundary_summary",),
        "the history of a concurrency search holds no latency and no throughput",
        hint="import the profile_export_aiperf.json of the level that won",
    )


def _optimizations(document: Document, path: KeyPath) -> str:
    """Return what the recommended deployment has beside its instance: without it the figures do not hold."""
    copies = document.number(*path, "DeploymentConfiguration", "CopyCountPerInstance") or 1
    names = [
        document.text_at(*item, "OptimizationType") for item in document.items(*path, "OptimizationDetails")
    ]
    parts = [*([f"{copies:g} copies per instance"] if copies > 1 else []), *filter(None, names)]
    return f", with {' and '.join(parts)}" if parts else ""


def _expected_performance(document: Document, path: KeyPath) -> dict[tuple[str, str], KeyPath]:
    """Return where each (metric, statistic) stands; RequestThroughput and request_throughput are the same metric."""
    metrics = {}
    for item in document.items(*path, "ExpectedPerformance"):
        metric = (document.text_at(*item, "Metric") or "").lower().replace("_", "").replace("-", "")
        metrics[metric, (document.text_at(*item, "Stat") or "avg").lower()] = item
    return metrics

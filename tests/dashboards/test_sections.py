"""What the section of each kind draws: namespace, name, dimensions, statistic and unit of every line."""

from collections.abc import Iterator
from functools import cache

import pytest

from sizewell.dashboards.environment import dashboard_of
from sizewell.dashboards.graph import Graph, Search, Section
from sizewell.facts.endpoint_metrics import NOT_ASYNCHRONOUS, OF_SERVERLESS
from sizewell.kinds.registry import file_of, kind_names
from sizewell.planning import load_plan
from sizewell.planning.plan import DeploymentPlan
from tests.synthesis import PROJECT_ROOT

#: The example and the workload that stand for a kind.
EXAMPLES = {
    "asynchronous-endpoint": "transcribe",
    "batch-transform": "nightly-scores",
    "inference-component-endpoint": "desk",
    "lambda-function": "embed-queries",
    "multi-model-endpoint": "forecast-sales",
    "notebook": "explore-scores",
    "pipeline": "orders-pipeline",
    "processing-job": "clean-orders",
    "real-time-endpoint": "support-bert",
    "serverless-endpoint": "embed-queries",
    "training-job": "churn-train",
    "tuning-job": "tune-churn",
}


@cache
def plan_of(kind: str) -> DeploymentPlan:
    folder = PROJECT_ROOT if kind == "real-time-endpoint" else PROJECT_ROOT / "examples" / kind
    return load_plan(folder / "config", "dev" if kind == "notebook" else "prod")


def section_of(kind: str) -> Section:
    plan = plan_of(kind)
    dashboard = dashboard_of(plan, plan.foundation)
    assert dashboard is not None
    return next(section for section in dashboard.sections if section.title == EXAMPLES[kind])


def drawn(section: Section) -> Iterator[tuple[str, str | None, str, str, str]]:
    """Yield each metric: the title and the unit of its graph, namespace, name and statistic."""
    for graph in section.graphs:
        for series in graph.series:
            for source in series.readings.values():
                yield (
                    graph.title,
                    graph.right_unit if series.on_right_axis else graph.unit,
                    source.metric.namespace,
                    source.metric.name,
                    source.statistic,
                )


def dimensions(section: Section) -> set[tuple[tuple[str, str], ...]]:
    found: set[tuple[tuple[str, str], ...]] = set()
    for graph in section.graphs:
        for series in graph.series:
            for source in series.readings.values():
                if isinstance(source, Search):
                    found.add(((source.dimension, source.contains),))
                else:
                    found.add(source.dimensions)
    return found


def graph(kind: str, title: str) -> Graph:
    return next(one for one in section_of(kind).graphs if one.title == title)


def limits(kind: str, title: str) -> dict[str, float]:
    return {limit.label: limit.value for limit in graph(kind, title).limits}


def expressions(kind: str, title: str) -> dict[str, str]:
    return {series.label: series.expression for series in graph(kind, title).series}


def test_every_kind_that_is_planned_has_a_section() -> None:
    assert EXAMPLES.keys() == {kind for kind in kind_names() if file_of(kind, "bill.py").exists()}
    for kind in EXAMPLES:
        assert section_of(kind).text


REQUESTS, INSTANCES = "AWS/SageMaker", "/aws/sagemaker/Endpoints"
GPUS = [
    ("Utilization", "% of an instance", INSTANCES, "GPUUtilization", "Average"),
    ("Utilization", "% of an instance", INSTANCES, "GPUMemoryUtilization", "Maximum"),
]
OF_ENDPOINT = [
    ("Requests", "per second", REQUESTS, "Invocations", "Sum"),
    ("Errors", "% of requests", REQUESTS, "Invocation5XXErrors", "Average"),
    ("Errors", "% of requests", REQUESTS, "InvocationModelErrors", "Average"),
    ("Errors", "% of requests", REQUESTS, "Invocation4XXErrors", "Average"),
    ("Errors", "% of requests", REQUESTS, "Invocation4XXErrors", "Average"),
    ("Model latency", "ms", REQUESTS, "ModelLatency", "p50"),
    ("Model latency", "ms", REQUESTS, "ModelLatency", "p95"),
    ("Model latency", "ms", REQUESTS, "ModelLatency", "p99"),
    ("Scaling: InvocationsPerInstance", "in a minute", REQUESTS, "InvocationsPerInstance", "Sum"),
    ("Utilization", "% of an instance", INSTANCES, "CPUUtilization", "Average"),
    ("Utilization", "% of an instance", INSTANCES, "MemoryUtilization", "Maximum"),
    ("Utilization", "% of an instance", INSTANCES, "DiskUtilization", "Maximum"),
    ("Instances and their cost", "instances", INSTANCES, "MemoryUtilization", "SampleCount"),
    ("Instances and their cost", "USD per hour", INSTANCES, "MemoryUtilization", "SampleCount"),
]
RUNS = [
    ("Runs", "in a day", "AWS/States", "ExecutionsSucceeded", "Sum"),
    ("Runs", "in a day", "AWS/States", "ExecutionsFailed", "Sum"),
    ("Runs", "in a day", "AWS/States", "ExecutionsTimedOut", "Sum"),
    ("Runs", "in a day", "AWS/States", "ExecutionsAborted", "Sum"),
    ("Duration of a run", "hours", "AWS/States", "ExecutionTime", "Maximum"),
]


def of_jobs(namespace: str) -> list[tuple[str, str, str, str, str]]:
    return [
        ("CPU of a job", "100 % for each vCPU", namespace, "CPUUtilization", "Average"),
        ("GPU of a job", "100 % for each GPU", namespace, "GPUUtilization", "Average"),
        ("Memory of a job", "% of an instance", namespace, "MemoryUtilization", "Average"),
    ]


DRAWN = {
    "real-time-endpoint": [*OF_ENDPOINT[:10], *GPUS, *OF_ENDPOINT[10:]],
    "multi-model-endpoint": [
        *OF_ENDPOINT,
        ("Requests whose model was in memory", "%", REQUESTS, "ModelCacheHit", "Average"),
        ("Wait for a model", "ms", REQUESTS, "ModelLoadingWaitTime", "Maximum"),
        ("Models in memory", "of an instance", INSTANCES, "LoadedModelCount", "Average"),
    ],
    "asynchronous-endpoint": [
        ("Requests", "per second", REQUESTS, "InvocationsProcesssed", "Sum"),
        ("Queue", "requests", REQUESTS, "ApproximateBacklogSize", "Maximum"),
        ("Queue", "requests", REQUESTS, "HasBacklogWithoutCapacity", "Maximum"),
        ("Age of the oldest request", "s", REQUESTS, "ApproximateAgeOfOldestRequest", "Maximum"),
        ("Lost requests", "in a minute", REQUESTS, "InvocationFailures", "Sum"),
        ("Lost requests", "in a minute", REQUESTS, "ExpiredRequests", "Sum"),
        ("Lost requests", "in a minute", REQUESTS, "ResponseUploadFailures", "Sum"),
        ("Lost requests", "in a minute", REQUESTS, "NotificationFailures", "Sum"),
        ("Model latency", "s", REQUESTS, "ModelLatency", "p50"),
        ("Model latency", "s", REQUESTS, "ModelLatency", "p95"),
        ("Model latency", "s", REQUESTS, "ModelLatency", "p99"),
        (
            "Scaling: ApproximateBacklogSizePerInstance",
            "",
            REQUESTS,
            "ApproximateBacklogSizePerInstance",
            "Average",
        ),
        OF_ENDPOINT[9],
        *GPUS,
        *OF_ENDPOINT[10:],
    ],
    "serverless-endpoint": [
        OF_ENDPOINT[0],
        OF_ENDPOINT[1],
        OF_ENDPOINT[3],
        *OF_ENDPOINT[5:8],
        ("Start of a worker", "ms", REQUESTS, "ModelSetupTime", "Average"),
        ("Concurrency", "% of 11", REQUESTS, "ServerlessConcurrentExecutionsUtilization", "Maximum"),
        ("Memory", "%", INSTANCES, "MemoryUtilization", "Maximum"),
        ("Provisioned concurrency", "%", REQUESTS, "ServerlessProvisionedConcurrencyUtilization", "Maximum"),
    ],
    "lambda-function": [
        ("Requests", "per second", "AWS/Lambda", "Invocations", "Sum"),
        ("Errors", "% of requests", "AWS/Lambda", "Errors", "Sum"),
        ("Errors", "% of requests", "AWS/Lambda", "Invocations", "Sum"),
        ("Duration", "ms", "AWS/Lambda", "Duration", "p50"),
        ("Duration", "ms", "AWS/Lambda", "Duration", "p95"),
        ("Duration", "ms", "AWS/Lambda", "Duration", "p99"),
        ("Concurrency", "requests at once", "AWS/Lambda", "ConcurrentExecutions", "Maximum"),
        ("Throttled requests", "in a minute", "AWS/Lambda", "Throttles", "Sum"),
        ("Provisioned concurrency", "%", "AWS/Lambda", "ProvisionedConcurrencyUtilization", "Maximum"),
    ],
    "training-job": [*RUNS, *of_jobs("/aws/sagemaker/TrainingJobs")],
    "tuning-job": [*RUNS, *of_jobs("/aws/sagemaker/TrainingJobs")],
    "processing-job": [*RUNS, *of_jobs("/aws/sagemaker/ProcessingJobs")],
    "batch-transform": [*RUNS, *of_jobs("/aws/sagemaker/TransformJobs")],
    "pipeline": RUNS,
    "notebook": [],
}


@pytest.mark.parametrize("kind", DRAWN)
def test_a_section_draws_these_metrics(kind: str) -> None:
    assert list(drawn(section_of(kind))) == DRAWN[kind]


def test_components_are_drawn_side_by_side_above_their_fleet() -> None:
    found = set(drawn(section_of("inference-component-endpoint")))
    assert found == {
        OF_ENDPOINT[0],
        OF_ENDPOINT[1],
        OF_ENDPOINT[2],
        OF_ENDPOINT[3],
        OF_ENDPOINT[6],
        ("Scaling: ConcurrentRequestsPerCopy", "", REQUESTS, "ConcurrentRequestsPerCopy", "Maximum"),
        ("Scaling: InvocationsPerCopy", "in a minute", REQUESTS, "InvocationsPerCopy", "Sum"),
        ("Utilization of the fullest instance", "%", INSTANCES, "MemoryUtilization", "Maximum"),
        ("Utilization of the fullest instance", "%", INSTANCES, "DiskUtilization", "Maximum"),
        *OF_ENDPOINT[-2:],
    }


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        (
            "real-time-endpoint",
            {(("EndpointName", "demo-prod-support-bert"), ("VariantName", "primary"))},
        ),
        (
            "asynchronous-endpoint",
            {
                (("EndpointName", "speech-prod-transcribe"), ("VariantName", "primary")),
                (("EndpointName", "speech-prod-transcribe"),),
            },
        ),
        (
            "lambda-function",
            {(("FunctionName", "shop-prod-embed-queries"), ("Resource", "shop-prod-embed-queries:live"))},
        ),
        (
            "training-job",
            {
                (
                    (
                        "StateMachineArn",
                        "arn:aws:states:us-east-1:333344445555:stateMachine:examples-prod-churn-train",
                    ),
                ),
                (("Host", "examples-prod-churn-train"),),
            },
        ),
    ],
)
def test_every_line_is_of_the_workload(kind: str, named: set[tuple[tuple[str, str], ...]]) -> None:
    assert dimensions(section_of(kind)) == named


def test_what_a_kind_does_not_publish_is_not_drawn() -> None:
    names = {name for _, _, _, name, _ in drawn(section_of("serverless-endpoint"))}
    assert names <= OF_SERVERLESS
    assert not {name for _, _, _, name, _ in drawn(section_of("asynchronous-endpoint"))} & set(
        NOT_ASYNCHRONOUS
    )


def test_limits_are_the_thresholds_of_the_alarms_and_the_targets_of_scaling() -> None:
    plan = next(one for one in plan_of("real-time-endpoint").endpoints if one.name == "support-bert")
    assert plan.scaling is not None
    (policy,) = plan.scaling.policies
    assert limits("real-time-endpoint", "Errors") == {"alarm: 5xx and broken": 0.25}
    assert limits("real-time-endpoint", "Model latency") == {
        "alarm: p95": plan.alarms["model_latency_p95"].threshold
    }
    assert limits("real-time-endpoint", "Utilization") == {
        "alarm: memory": 90,
        "alarm: GPU memory": 95,
        "alarm: disk": 80,
    }
    assert limits("real-time-endpoint", "Scaling: InvocationsPerInstance") == {
        "target of scaling": getattr(policy, "target_value", None)
    }


def test_lines_are_in_the_unit_of_their_graph() -> None:
    kind = "real-time-endpoint"
    assert expressions(kind, "Requests") == {"requests": "m / PERIOD(m)"}
    assert set(expressions(kind, "Errors").values()) == {"100 * m", "100 * (m - less)"}
    assert set(expressions(kind, "Model latency").values()) == {"m / 1000"}
    assert expressions("lambda-function", "Errors") == {"errors": "100 * errors / invocations"}
    assert set(expressions("asynchronous-endpoint", "Model latency").values()) == {"m / 1000000"}
    assert set(expressions("lambda-function", "Duration").values()) == {"m"}
    assert expressions("training-job", "Duration of a run") == {"longest": "m / 3600000"}
    (instances, cost) = expressions(kind, "Instances and their cost").values()
    assert instances == "m * 60 / PERIOD(m)"
    assert cost.endswith(f" * {instances}")


def test_variants_are_drawn_side_by_side() -> None:
    plan = load_plan(PROJECT_ROOT / "examples" / "real-time-endpoint" / "config", "prod")
    dashboard = dashboard_of(plan, plan.foundation)
    assert dashboard is not None
    (section,) = (one for one in dashboard.sections if one.title == "rank-products")
    names = [variant.variant_name for variant in plan.endpoints[0].variants]
    assert len(names) > 1
    assert [series.label for series in section.graphs[0].series] == [f"{name} requests" for name in names]
    assert [limit.label for limit in section.graphs[0].limits] == [f"{name} stated average" for name in names]
    assert {pairs[1] for pairs in dimensions(section)} == {("VariantName", name) for name in names}

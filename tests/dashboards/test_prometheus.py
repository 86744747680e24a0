"""What the exporter reads is what the dashboards read, in the fields that its page names."""

from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from sizewell.dashboards.environment import dashboard_of
from sizewell.dashboards.graph import Dashboard
from sizewell.dashboards.prometheus import exporter_config
from sizewell.facts.metrics import metrics
from sizewell.planning import load_plan
from tests.synthesis import PROJECT_ROOT

ENVIRONMENTS = sorted(path.parent for path in PROJECT_ROOT.glob("examples/*/config/prod.yaml"))


class Schema(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel)


class Pair(Schema):
    name: str
    value: str


class Tag(Schema):
    key: str
    value: str


class Metric(Schema):
    """``metric_config``."""

    name: str
    statistics: list[str] = Field(min_length=1)
    period: int
    length: int


class StaticJob(Schema):
    """``static_job_config``."""

    name: str
    namespace: str
    regions: list[str] = Field(min_length=1)
    dimensions: list[Pair]
    custom_tags: list[Tag]
    metrics: list[Metric] = Field(min_length=1)


class Configuration(Schema):
    api_version: Literal["v1alpha1"]
    static: list[StaticJob] = Field(min_length=1)


def dashboards(directory: object) -> list[Dashboard]:
    plan = load_plan(directory, "prod", within_budget=False)  # type: ignore[arg-type]
    found = (dashboard_of(plan, foundation) for foundation in plan.foundations.values())
    return [one for one in found if one is not None]


@pytest.mark.parametrize("directory", ENVIRONMENTS, ids=lambda path: path.parent.name)
def test_an_exporter_takes_the_configuration_and_every_metric_is_published(directory: object) -> None:
    shown = dashboards(directory)
    if not any(section.graphs for dashboard in shown for section in dashboard.sections):
        # Prometheus has the metrics of pods already; a load balancer has no name before it is deployed.
        assert any(example in str(directory) for example in ("eks-deployment", "ecs-service"))
        return
    configuration = Configuration.model_validate(exporter_config(shown))
    for job in configuration.static:
        assert [(tag.key, tag.value) for tag in job.custom_tags] == [("workload", job.name)]
        for read in job.metrics:
            published = metrics()[job.namespace, read.name]
            assert published.has_dimensions([pair.name for pair in job.dimensions])
            assert all(published.allows(statistic) for statistic in read.statistics)
            assert len(set(read.statistics)) == len(read.statistics)
            # Each scrape sees a whole period.
            assert read.length >= read.period == 60


def test_each_metric_of_a_workload_is_read_once() -> None:
    configuration = Configuration.model_validate(exporter_config(dashboards(PROJECT_ROOT / "config")))
    jobs = [job for job in configuration.static if job.name == "support-bert"]
    assert [(job.namespace, [read.name for read in job.metrics]) for job in jobs] == [
        (
            "AWS/SageMaker",
            [
                "Invocations",
                "Invocation5XXErrors",
                "InvocationModelErrors",
                "Invocation4XXErrors",
                "ModelLatency",
                "InvocationsPerInstance",
            ],
        ),
        (
            "/aws/sagemaker/Endpoints",
            [
                "CPUUtilization",
                "GPUUtilization",
                "GPUMemoryUtilization",
                "MemoryUtilization",
                "DiskUtilization",
            ],
        ),
    ]
    (latency,) = (read for read in jobs[0].metrics if read.name == "ModelLatency")
    assert latency.statistics == ["p50", "p95", "p99"]

"""Given a deployed environment, when its statistics are read, then the traffic that is stated is compared with what came."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from sizewell.facts.endpoint_metrics import INVOCATION_NAMESPACE, variant_dimensions
from tests.integration.harness import Deployment
from tests.localcloud.processes import PATIENCE_S
from tests.synthesis import PROJECT_ROOT

pytestmark = pytest.mark.parametrize("deployed", ["dev"], indirect=True)


def rightsize(deployment: Deployment, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "sizewell.cli.main", "rightsize", "--env", "dev")
    return subprocess.run(
        [*command, *arguments],
        cwd=PROJECT_ROOT,
        env=deployment.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def test_requests_of_the_last_hour_are_compared_with_those_that_are_stated(deployed: Deployment) -> None:
    endpoint = deployed.plan.endpoints[0]
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=1)
    dimensions = [
        {"Name": name, "Value": value}
        for name, value in variant_dimensions(endpoint.endpoint_name, endpoint.variant_name)
    ]
    cloudwatch = deployed.client("cloudwatch")
    for minute in range(60):
        data = {"Timestamp": hour + timedelta(minutes=minute), "Dimensions": dimensions}
        cloudwatch.put_metric_data(
            Namespace=INVOCATION_NAMESPACE,
            MetricData=[
                {**data, "MetricName": "Invocations", "Value": 60.0},
                {**data, "MetricName": "ModelLatency", "Value": 20_000.0},
            ],
        )

    told = rightsize(deployed, endpoint.name, "--json", "-")

    assert told.returncode == 0, told.stderr
    (found,) = json.loads(told.stdout)["models"]
    assert (found["name"], found["instance_type"], found["instance_count"]) == (
        endpoint.name,
        endpoint.instance_type,
        endpoint.initial_instance_count,
    )
    assert (found["peak"], found["average"], found["p95_latency_ms"]) == (1.0, 1.0, 20.0)
    assert (found["stated_peak"], found["verdict"]) == (5.0, "under-used")
    assert found["changes"] == [{"key": "traffic.peak_requests_per_second", "before": 5, "after": 1.3}]


def test_an_endpoint_that_published_nothing_has_no_verdict(deployed: Deployment) -> None:
    silent = next(one for one in deployed.plan.endpoints if one.name != deployed.plan.endpoints[0].name)

    told = rightsize(deployed, silent.name)

    assert told.returncode == 1
    assert silent.name in told.stderr
    assert "Traceback" not in told.stderr

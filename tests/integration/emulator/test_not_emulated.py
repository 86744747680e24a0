"""What is not emulated is refused, and listed by one command."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
from botocore.exceptions import ClientError
from botocore.parsers import ResponseParserError

from tests.integration.emulator.lab import Json, Lab, wire_refusal
from tests.localcloud.processes import PATIENCE_S
from tests.synthesis import PROJECT_ROOT

pytestmark = pytest.mark.usefixtures("admin")


@pytest.mark.parametrize("service", ["sagemaker", "application-autoscaling"])
def test_every_operation_that_is_not_emulated_is_refused(lab: Lab, service: str) -> None:
    listed = coverage()[service]
    client = lab(service)

    def ask(operation: str) -> str:
        return wire_refusal(lab, service, operation, {})

    refused = sorted(set(client.meta.service_model.operation_names) - set(listed["emulated"]))
    assert refused == sorted(listed["refused"])
    with ThreadPoolExecutor(4) as pool:
        for operation, said in zip(refused, pool.map(ask, refused), strict=True):
            assert said == f"NotEmulated: {service}:{operation} is not emulated by the local cloud"


@pytest.mark.parametrize("service", ["sagemaker", "application-autoscaling"])
def test_an_operation_that_is_newer_than_the_local_cloud_is_refused(lab: Lab, service: str) -> None:
    said = wire_refusal(lab, service, "DescribeNews", {})
    assert said == f"UnknownOperationException: {service} has no operation DescribeNews"


def test_what_is_not_emulated_is_listed_by_one_command() -> None:
    listed = coverage()
    assert "CreateFeatureGroup" in listed["sagemaker"]["refused"]
    assert "CreateEndpoint" in listed["sagemaker"]["emulated"]
    assert "GetPredictiveScalingForecast" in listed["application-autoscaling"]["refused"]


@cache
def coverage() -> dict[str, dict[str, list[str]]]:
    """Return what the command lists: for each service the operations that are emulated and those that are refused."""
    result = subprocess.run(
        [sys.executable, "-m", "sizewell_localcloud.emulator.coverage_report"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    found: dict[str, dict[str, list[str]]] = {}
    service = ""
    for line in result.stdout.splitlines():
        words, _, rest = line.strip().partition(": ")
        if " operations are emulated" in rest:
            service = words
            found[service] = {}
        elif words in {"emulated", "refused"}:
            found[service][words] = rest.strip().split(", ")
    assert "AWS::SageMaker::FeatureGroup" in result.stdout
    return found


@pytest.mark.parametrize(
    ("service", "operation", "sent", "message"),
    [
        ("redshift", "describe_clusters", {}, "Unsupported service: redshift"),
        ("macie2", "enable_macie", {}, "(400)"),
        ("sagemaker-runtime", "invoke_endpoint", {"EndpointName": "e", "Body": b"{}"}, "(NotEmulated)"),
        ("sagemaker-metrics", "batch_put_metrics", {"MetricData": []}, "(NotEmulated)"),
    ],
)
def test_a_service_that_is_not_emulated_is_refused(
    lab: Lab, service: str, operation: str, sent: Json, message: str
) -> None:
    with pytest.raises((ClientError, ResponseParserError)) as refused:
        getattr(lab(service), operation)(**sent)
    assert message in str(refused.value)

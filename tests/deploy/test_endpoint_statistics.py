"""Reading the statistics of endpoints: what is asked, what becomes of the answer, and who may not."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from botocore.exceptions import NoCredentialsError
from botocore.stub import Stubber

from sizewell.deploy.cloudformation import CloudFormationError
from sizewell.deploy.endpoint_statistics import DeployedVariant, EndpointStatistics, NotReadError
from sizewell.facts.durations import HOUR_S, MINUTE_S
from sizewell.facts.endpoint_metrics import variant_dimensions
from sizewell.facts.metric_statistics import MetricStatistic

ACCOUNT, ANN = "111122223333", "arn:aws:sts::111122223333:assumed-role/Reader/ann"
END = datetime(2026, 11, 20, 9, tzinfo=UTC)
ARN = "arn:aws:sagemaker:us-east-1:111122223333"
CHAT = variant_dimensions("demo-prod-chat", "primary")
INVOCATIONS = MetricStatistic("Invocations", "Sum", CHAT, MINUTE_S)
P95 = MetricStatistic("ModelLatency", "p95", CHAT, HOUR_S)
MAY_NOT = (
    f"{ANN} may not call {{}}. Right-sizing needs cloudwatch:GetMetricData, sagemaker:DescribeEndpoint and "
    "sagemaker:DescribeEndpointConfig: ask the administrator of the account for them, or name another profile with --profile"
)


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Stubber]]:
    """Return a stub for each service; STS knows who asks."""
    keys = {"aws_access_key_id": "dummy", "aws_secret_access_key": "dummy", "region_name": "us-east-1"}
    services = ("sts", "cloudwatch", "sagemaker")
    clients = {service: boto3.Session(**keys).client(service) for service in services}
    stubs = {service: Stubber(client) for service, client in clients.items()}
    stubs["sts"].add_response("get_caller_identity", {"Account": ACCOUNT, "Arn": ANN, "UserId": "ann"})
    monkeypatch.setattr("boto3.Session.client", lambda _session, service: clients[service])
    for stub in stubs.values():
        stub.activate()
    yield stubs
    for stub in stubs.values():
        stub.assert_no_pending_responses()


def query(query_id: str, name: str, statistic: str, period_s: int) -> dict[str, Any]:
    dimensions = [
        {"Name": "EndpointName", "Value": "demo-prod-chat"},
        {"Name": "VariantName", "Value": "primary"},
    ]
    metric = {"Namespace": "AWS/SageMaker", "MetricName": name, "Dimensions": dimensions}
    return {"Id": query_id, "MetricStat": {"Metric": metric, "Period": period_s, "Stat": statistic}}


def connect() -> EndpointStatistics:
    return EndpointStatistics(ACCOUNT, "us-east-1", None, END)


def test_values_of_all_pages_are_counted_from_the_first_second(stubs: dict[str, Stubber]) -> None:
    start = END - timedelta(days=14)
    asked = {
        "MetricDataQueries": [
            query("m0", "Invocations", "Sum", MINUTE_S),
            query("m1", "ModelLatency", "p95", HOUR_S),
        ],
        "StartTime": start,
        "EndTime": END,
    }
    later, first = start + timedelta(hours=2), start
    one = {"Id": "m0", "Timestamps": [later], "Values": [60.0], "StatusCode": "PartialData"}
    two = {"Id": "m0", "Timestamps": [first], "Values": [30.0], "StatusCode": "Complete"}
    nothing = {"Id": "m1", "Timestamps": [], "Values": [], "StatusCode": "Complete"}
    cloudwatch = stubs["cloudwatch"]
    cloudwatch.add_response("get_metric_data", {"MetricDataResults": [one], "NextToken": "more"}, asked)
    cloudwatch.add_response(
        "get_metric_data", {"MetricDataResults": [two, nothing]}, {**asked, "NextToken": "more"}
    )
    assert connect().read((INVOCATIONS, P95), 14) == {INVOCATIONS: {0: 30.0, 2 * HOUR_S: 60.0}, P95: {}}


def endpoint(**changes: Any) -> dict[str, Any]:
    return {
        "EndpointName": "demo-prod-chat",
        "EndpointArn": f"{ARN}:endpoint/demo-prod-chat",
        "EndpointConfigName": "chat-7",
        "EndpointStatus": "InService",
        "CreationTime": END - timedelta(days=3),
        "LastModifiedTime": END,
        "ProductionVariants": [{"VariantName": "primary", "CurrentInstanceCount": 2}],
        **changes,
    }


def configuration(variant: dict[str, Any]) -> dict[str, Any]:
    return {
        "EndpointConfigName": "chat-7",
        "EndpointConfigArn": f"{ARN}:endpoint-config/chat-7",
        "CreationTime": END,
        "ProductionVariants": [{"VariantName": "primary", **variant}],
    }


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ({"InstanceType": "ml.g5.xlarge"}, DeployedVariant("ml.g5.xlarge", 2, 3 * 86_400.0)),
        (
            {"ServerlessConfig": {"MemorySizeInMB": 2048, "MaxConcurrency": 5}},
            DeployedVariant(None, None, 3 * 86_400.0),
        ),
    ],
)
def test_a_variant_is_what_is_deployed_now(
    stubs: dict[str, Stubber], variant: dict[str, Any], expected: DeployedVariant
) -> None:
    stubs["sagemaker"].add_response("describe_endpoint", endpoint(), {"EndpointName": "demo-prod-chat"})
    stubs["sagemaker"].add_response(
        "describe_endpoint_config", configuration(variant), {"EndpointConfigName": "chat-7"}
    )
    assert connect().variant("demo-prod-chat", "primary") == expected


def test_what_is_not_deployed_is_none(stubs: dict[str, Stubber]) -> None:
    said = f'Could not find endpoint "{ARN}:endpoint/demo-prod-chat".'
    stubs["sagemaker"].add_client_error("describe_endpoint", "ValidationException", said)
    assert connect().variant("demo-prod-chat", "primary") is None


def test_who_may_not_read_is_told_which_action_is_missing(stubs: dict[str, Stubber]) -> None:
    stubs["cloudwatch"].add_client_error("get_metric_data", "AccessDenied", "no")
    with pytest.raises(NotReadError) as raised:
        connect().read((INVOCATIONS,), 14)
    assert str(raised.value) == MAY_NOT.format("cloudwatch:GetMetricData")
    stubs["sts"].add_response("get_caller_identity", {"Account": ACCOUNT, "Arn": ANN, "UserId": "ann"})
    stubs["sagemaker"].add_client_error("describe_endpoint", "AccessDeniedException", "no")
    with pytest.raises(NotReadError) as raised:
        connect().variant("demo-prod-chat", "primary")
    assert str(raised.value) == MAY_NOT.format("sagemaker:DescribeEndpoint")


def test_what_else_aws_says_is_said_with_the_action(stubs: dict[str, Stubber]) -> None:
    stubs["cloudwatch"].add_client_error("get_metric_data", "InternalServiceFault", "later")
    with pytest.raises(CloudFormationError, match=r"^cloudwatch:GetMetricData: .*later"):
        connect().read((INVOCATIONS,), 14)


def test_another_account_is_not_read(stubs: dict[str, Stubber]) -> None:
    with pytest.raises(NotReadError) as raised:
        EndpointStatistics("444455556666", "us-east-1", None, END)
    assert str(raised.value) == (
        f"the endpoints are of account 444455556666, but the credentials of {ANN} are of account {ACCOUNT}. Log in to "
        "444455556666, or name a profile of it with --profile"
    )


def test_without_credentials_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_credentials(*_: object) -> None:
        raise NoCredentialsError

    monkeypatch.setattr("botocore.client.BaseClient._make_api_call", no_credentials)
    with pytest.raises(
        CloudFormationError, match=r"^AWS: Unable to locate credentials\. Log in, or name a profile"
    ):
        connect()

"""What runs of a workload now."""

from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sizewell.account.status import Part, read_status
from tests.account.after.deployed import DEPLOYED_PLAN, NOT_THERE, Resource, stack_of
from tests.account.builders import Refusal, ScriptedAccount

NAME = "demo-dev-plants"
ARN = f"arn:aws:sagemaker:us-east-1:111122223333:endpoint/{NAME}"
ENDPOINT: Resource = ("AWS::SageMaker::Endpoint", ARN, {})
ALARM: Resource = ("AWS::CloudWatch::Alarm", "errors", {})
CHANGED = datetime(2026, 5, 1, 12, tzinfo=UTC)
REQUESTS = {"MetricDataResults": [{"Id": "m0", "Timestamps": [0, 60], "Values": [30.0, 12.0]}]}


def sagemaker() -> list[Any]:
    described = {
        "EndpointName": NAME,
        "EndpointArn": ARN,
        "EndpointConfigName": "config",
        "EndpointStatus": "Updating",
        "CreationTime": 0,
        "LastModifiedTime": CHANGED,
        "ProductionVariants": [{"VariantName": "primary", "CurrentInstanceCount": 2}],
    }
    variant = {"VariantName": "primary", "ModelName": "m", "InstanceType": "ml.g5.xlarge"}
    configured = {
        "EndpointConfigName": "config",
        "EndpointConfigArn": f"{ARN}-config",
        "ProductionVariants": [variant],
        "CreationTime": 0,
    }
    return [("describe_endpoint", described), ("describe_endpoint_config", configured)]


def cloudwatch(state: str = "ALARM") -> list[Any]:
    return [
        ("get_metric_data", REQUESTS),
        ("describe_alarms", {"MetricAlarms": [{"AlarmName": "errors", "StateValue": state}]}),
    ]


def test_what_runs_stands_beside_its_requests_and_the_alarms_that_fire() -> None:
    aws = ScriptedAccount(
        {
            "cloudformation": stack_of({"Endpoint": ENDPOINT, "Alarm": ALARM}),
            "sagemaker": sagemaker(),
            "cloudwatch": cloudwatch(),
        }
    )

    (status,) = read_status(aws, DEPLOYED_PLAN.workloads)
    assert status.parts == (Part(f"{NAME}/primary", "2 x ml.g5.xlarge", "Updating", CHANGED),)
    assert (status.requests, status.firing, status.not_read) == (42.0, ("errors",), "")


def test_a_workload_that_is_not_deployed_has_no_parts() -> None:
    aws = ScriptedAccount(
        {
            "cloudformation": [("describe_stacks", NOT_THERE)],
            "cloudwatch": [("get_metric_data", {"MetricDataResults": []})],
        }
    )

    (status,) = read_status(aws, DEPLOYED_PLAN.workloads)
    assert (status.parts, status.firing, status.requests) == ((), (), 0.0)


def test_a_refusal_leaves_the_rest_readable() -> None:
    aws = ScriptedAccount(
        {
            "cloudformation": stack_of({"Endpoint": ENDPOINT}),
            "sagemaker": sagemaker(),
            "cloudwatch": [("get_metric_data", Refusal("AccessDenied"))],
        }
    )

    (status,) = read_status(aws, DEPLOYED_PLAN.workloads)
    assert status.requests is None
    assert "AccessDenied" in status.not_read
    assert [part.runs_on for part in status.parts] == ["2 x ml.g5.xlarge"]


def test_alarms_that_were_not_read_are_not_said_to_be_quiet() -> None:
    aws = ScriptedAccount(
        {
            "cloudformation": stack_of({"Alarm": ALARM}),
            "cloudwatch": [("get_metric_data", REQUESTS), ("describe_alarms", Refusal("AccessDenied"))],
        }
    )

    (status,) = read_status(aws, DEPLOYED_PLAN.workloads)
    assert (status.firing, status.requests) == (None, 42.0)
    assert "DescribeAlarms" in status.not_read


def test_credentials_of_yesterday_end_it() -> None:
    aws = ScriptedAccount({"cloudwatch": [("get_metric_data", Refusal("ExpiredToken"))]})

    with pytest.raises(ClientError, match="ExpiredToken"):
        read_status(aws, DEPLOYED_PLAN.workloads)

"""What an endpoint keeps of its requests: in the configuration, and in the role that writes it."""

from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack

from constructs_lib.endpoints.data_capture import DataCapture
from constructs_lib.endpoints.realtime_endpoint import RealtimeEndpoint, RealtimeEndpointProps
from tests.constructs_lib.judges import open_findings
from tests.constructs_lib.resources import Only

CAPTURE = DataCapture(
    prefix="inference/fraud/captured/",
    sampling_percent=20,
    capture=("output",),
    json_content_types=("application/json",),
)


@pytest.fixture
def props(props: RealtimeEndpointProps) -> RealtimeEndpointProps:
    return replace(props, data_capture=CAPTURE)


@pytest.mark.cdk
def test_a_share_of_the_answers_is_kept_under_the_data_key(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=props)
    assert only("AWS::SageMaker::EndpointConfig")["DataCaptureConfig"] == {
        "EnableCapture": True,
        "InitialSamplingPercentage": 20,
        "DestinationS3Uri": f"s3://{props.foundation.artifact_bucket_name}/inference/fraud/captured/",
        "KmsKeyId": props.foundation.data_key_arn,
        "CaptureOptions": [{"CaptureMode": "Output"}],
        "CaptureContentTypeHeader": {"JsonContentTypes": ["application/json"]},
    }
    assert not open_findings(stack)


@pytest.mark.cdk
def test_the_role_writes_below_its_prefix_and_nowhere_else(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=props)
    statements = only("AWS::IAM::ManagedPolicy")["PolicyDocument"]["Statement"]
    (write,) = (statement for statement in statements if statement["Action"] == "s3:PutObject")
    assert write["Resource"]["Fn::Join"][1][-1].endswith("/inference/fraud/captured/*")
    (encrypt,) = (statement for statement in statements if statement["Action"] == "kms:GenerateDataKey")
    assert encrypt["Resource"] == props.foundation.data_key_arn


@pytest.mark.cdk
def test_nothing_is_kept_and_written_unless_asked(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, data_capture=None))
    assert "DataCaptureConfig" not in only("AWS::SageMaker::EndpointConfig")
    actions = [
        statement["Action"] for statement in only("AWS::IAM::ManagedPolicy")["PolicyDocument"]["Statement"]
    ]
    assert not {"s3:PutObject", "kms:GenerateDataKey"} & {
        action for action in actions if isinstance(action, str)
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sampling_percent": 0}, "sampling_percent must lie between 1 and 100, got 0"),
        ({"prefix": "captured"}, "prefix ends with a slash"),
        ({"capture": ()}, "capture names input, output or both"),
    ],
)
def test_what_the_api_refuses_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(CAPTURE, **change)

"""An endpoint that answers later: its configuration, what its role may do, its topics and its alarms."""

from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack

from constructs_lib.alarms.endpoint_alarms import EndpointAlarmProps, EndpointAlarms
from constructs_lib.alarms.endpoint_thresholds import AlarmThresholds
from constructs_lib.endpoints.asynchronous_inference import (
    AsynchronousInference,
    InferenceTopics,
    InferenceTopicsProps,
)
from constructs_lib.endpoints.endpoint_rollout import Rollout
from constructs_lib.endpoints.realtime_endpoint import RealtimeEndpoint, RealtimeEndpointProps
from constructs_lib.foundation.references import FoundationReferences
from sizewell.facts.alarms import OF_LOSS, OF_REQUESTS, OF_WAKING
from tests.constructs_lib.judges import open_findings
from tests.constructs_lib.resources import Only, Resources

pytestmark = pytest.mark.cdk

SUCCESS = "arn:aws:sns:us-east-1:111122223333:answers"
ERROR = "arn:aws:sns:us-east-1:111122223333:failures"
BUCKET = "demo-dev-artifacts-111122223333-us-east-1"
INFERENCE = AsynchronousInference(
    input_prefix="inference/speech/input/",
    output_prefix="inference/speech/output/",
    failure_prefix="inference/speech/failure/",
    max_concurrent_invocations_per_instance=4,
    success_topic_arn=SUCCESS,
    error_topic_arn=ERROR,
)


@pytest.fixture
def props(foundation: FoundationReferences) -> RealtimeEndpointProps:
    return RealtimeEndpointProps(
        endpoint_name="speech-dev",
        instance_type="ml.m5.large",
        image_uri="111122223333.dkr.ecr.us-east-1.amazonaws.com/speech@sha256:" + "0" * 64,
        artifact_key="models/speech/model.tar.gz",
        initial_instance_count=1,
        foundation=foundation,
        asynchronous=INFERENCE,
    )


def test_answers_are_encrypted_and_topics_hear_where_they_lie(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=props)

    assert only("AWS::SageMaker::EndpointConfig")["AsyncInferenceConfig"] == {
        "ClientConfig": {"MaxConcurrentInvocationsPerInstance": 4},
        "OutputConfig": {
            "KmsKeyId": props.foundation.data_key_arn,
            "S3OutputPath": f"s3://{BUCKET}/inference/speech/output/",
            "S3FailurePath": f"s3://{BUCKET}/inference/speech/failure/",
            "NotificationConfig": {"SuccessTopic": SUCCESS, "ErrorTopic": ERROR},
        },
    }


def test_the_role_reads_requests_writes_answers_and_tells_of_them(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=props)

    statements = only("AWS::IAM::ManagedPolicy")["PolicyDocument"]["Statement"]
    found = {
        statement["Sid"]: (statement["Action"], _flat(statement["Resource"]), statement.get("Condition"))
        for statement in statements
    }
    s3 = {"StringEquals": {"kms:ViaService": {"Fn::Sub": "s3.${AWS::Region}.amazonaws.com"}}}
    sns = {"StringEquals": {"kms:ViaService": {"Fn::Sub": "sns.${AWS::Region}.amazonaws.com"}}}
    prefix = f"arn:AWS::Partition:s3:::{BUCKET}"
    assert {sid: found[sid] for sid in found if sid.endswith(("Requests", "Answers", "Notifications"))} == {
        "ReadRequests": ("s3:GetObject", [f"{prefix}/inference/speech/input/*"], None),
        "ListRequests": (
            "s3:ListBucket",
            [prefix],
            {"StringLike": {"s3:prefix": "inference/speech/input/*"}},
        ),
        "WriteAnswers": (
            ["s3:AbortMultipartUpload", "s3:PutObject"],
            [f"{prefix}/inference/speech/output/*", f"{prefix}/inference/speech/failure/*"],
            None,
        ),
        "EncryptAnswers": ("kms:GenerateDataKey", [props.foundation.data_key_arn], s3),
        "TellOfAnswers": ("sns:Publish", [SUCCESS, ERROR], None),
        "EncryptNotifications": (
            ["kms:Decrypt", "kms:GenerateDataKey"],
            [props.foundation.operations_key_arn],
            sns,
        ),
    }
    assert {finding for _, finding in open_findings(stack)} == set()


def test_an_endpoint_that_answers_at_once_may_do_none_of_it(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=replace(props, asynchronous=None))

    assert "AsyncInferenceConfig" not in only("AWS::SageMaker::EndpointConfig")
    document = repr(only("AWS::IAM::ManagedPolicy"))
    assert "sns:Publish" not in document
    assert "s3:PutObject" not in document


def test_failed_invocations_call_a_new_fleet_back(
    stack: Stack, only: Only, props: RealtimeEndpointProps
) -> None:
    rollout = Rollout(
        strategy="canary", first_share_percent=50, wait_interval_s=600, max_execution_timeout_s=3600
    )
    endpoint = RealtimeEndpoint(stack, "Endpoint", props=replace(props, rollout=rollout))
    endpoint.add_alarms(AlarmThresholds(max_invocation_failure_rate_percent=0))

    deployment = only("AWS::SageMaker::Endpoint")["DeploymentConfig"]
    assert len(deployment["AutoRollbackConfiguration"]["Alarms"]) == 1
    statements = only("AWS::IAM::ManagedPolicy")["PolicyDocument"]["Statement"]
    [watched] = [statement["Resource"] for statement in statements if statement["Sid"] == "WatchDeployment"]
    alarm = "arn:${AWS::Partition}:cloudwatch:${AWS::Region}:${AWS::AccountId}:alarm:"
    assert watched == [{"Fn::Sub": f"{alarm}speech-dev-AllTraffic-InvocationFailures-*"}]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"input_prefix": "inference/*/"}, "input_prefix must be a plain prefix"),
        ({"output_prefix": "inference"}, "output_prefix must be a plain prefix that ends with a slash"),
        ({"max_concurrent_invocations_per_instance": 1001}, "must lie between 1 and 1000, got 1001"),
    ],
)
def test_what_would_be_refused_is_refused_here(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(INFERENCE, **changes)


def test_topics_are_encrypted_and_take_messages_over_tls_only(stack: Stack, resources: Resources) -> None:
    key = "arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-00000000000e"
    InferenceTopics(stack, "Topics", props=InferenceTopicsProps(operations_key_arn=key))

    assert [topic["KmsMasterKeyId"] for topic in resources("AWS::SNS::Topic").values()] == [key, key]
    for policy in resources("AWS::SNS::TopicPolicy").values():
        account, tls = policy["PolicyDocument"]["Statement"]
        assert (account["Effect"], account["Action"]) == ("Allow", "sns:Publish")
        assert account["Principal"] == {
            "AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}
        }
        assert (tls["Effect"], tls["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})
    assert {finding for _, finding in open_findings(stack)} == set()


def test_a_topic_that_exists_is_not_made(stack: Stack, only: Only) -> None:
    props = InferenceTopicsProps(operations_key_arn="key", success_topic_arn=SUCCESS)
    topics = InferenceTopics(stack, "Topics", props=props)

    assert topics.success_topic_arn == SUCCESS
    assert only("AWS::SNS::Topic") == {"KmsMasterKeyId": "key"}


@pytest.mark.parametrize("may_sleep", [True, False])
def test_alarms_watch_the_queue_by_its_endpoint_and_losses_by_the_variant(
    stack: Stack, resources: Resources, *, may_sleep: bool
) -> None:
    thresholds = AlarmThresholds(
        max_age_of_oldest_request_s=900,
        max_backlog_without_capacity=0,
        max_invocation_failure_rate_percent=0,
        max_expired_requests=1,
        max_notification_failures=2,
        max_response_upload_failures=0,
        max_memory_utilization_percent=90,
    )
    props = EndpointAlarmProps(
        endpoint_name="speech-dev",
        variant_name="primary",
        thresholds=thresholds,
        alarm_topic_arn="arn:aws:sns:us-east-1:111122223333:alarms",
        instances_report=not may_sleep,
    )
    EndpointAlarms(stack, "Alarms", props=props)

    of_queue = {"EndpointName": "speech-dev"}
    of_variant = {**of_queue, "VariantName": "primary"}
    silent = "notBreaching"
    of_instances = (silent, None) if may_sleep else ("missing", [props.alarm_topic_arn])
    found = {
        alarm["MetricName"]: (
            alarm["Namespace"],
            {pair["Name"]: pair["Value"] for pair in alarm["Dimensions"]},
            alarm["Statistic"],
            alarm["Threshold"],
            (alarm["Period"], alarm["DatapointsToAlarm"], alarm["EvaluationPeriods"]),
            (alarm["TreatMissingData"], alarm.get("InsufficientDataActions")),
        )
        for alarm in resources("AWS::CloudWatch::Alarm").values()
        if "MetricName" in alarm
    }
    (failures,) = (alarm for alarm in resources("AWS::CloudWatch::Alarm").values() if "Metrics" in alarm)
    share, *queries = failures["Metrics"]
    assert share["Expression"] == "IF(errors >= 1, 100 * errors / (FILL(requests, 0) + errors), 0)"
    assert {query["MetricStat"]["Metric"]["MetricName"] for query in queries} == {
        "InvocationFailures",
        "InvocationsProcesssed",
    }
    requests, waking, loss = (
        (evaluation.period_s, evaluation.datapoints_to_alarm, evaluation.evaluation_periods)
        for evaluation in (OF_REQUESTS, OF_WAKING, OF_LOSS)
    )
    sagemaker, quiet = "AWS/SageMaker", (silent, None)
    assert found == {
        "ApproximateAgeOfOldestRequest": (sagemaker, of_queue, "Maximum", 900, requests, quiet),
        "HasBacklogWithoutCapacity": (sagemaker, of_queue, "Maximum", 0, waking, quiet),
        "ExpiredRequests": (sagemaker, of_variant, "Sum", 1, loss, quiet),
        "NotificationFailures": (sagemaker, of_variant, "Sum", 2, loss, quiet),
        "ResponseUploadFailures": (sagemaker, of_variant, "Sum", 0, loss, quiet),
        "MemoryUtilization": (
            "/aws/sagemaker/Endpoints",
            of_variant,
            "Maximum",
            90,
            (60, 10, 15),
            of_instances,
        ),
    }


def _flat(value: Any) -> list[str]:
    """Return resources as text, with what is joined put together and references by their names."""
    return [_text(part) for part in (value if isinstance(value, list) else [value])]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    ((function, arguments),) = value.items()
    return "".join(map(_text, arguments[1])) if function == "Fn::Join" else str(arguments)

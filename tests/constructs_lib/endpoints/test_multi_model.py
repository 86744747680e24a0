"""An endpoint of many models: its container, what its role may read, and the alarms on loads."""

from typing import Any

import pytest
from aws_cdk import Stack

from constructs_lib.alarms.endpoint_alarms import EndpointAlarmProps, EndpointAlarms
from constructs_lib.alarms.endpoint_thresholds import AlarmThresholds
from constructs_lib.endpoints.production_variant import ProductionVariant
from constructs_lib.endpoints.realtime_endpoint import RealtimeEndpoint, RealtimeEndpointProps
from constructs_lib.endpoints.serving_model import MultiModel
from constructs_lib.foundation.references import FoundationReferences
from tests.constructs_lib.judges import open_findings
from tests.constructs_lib.resources import Only, Resources, statements_by_sid

pytestmark = pytest.mark.cdk

BUCKET = "demo-dev-artifacts-111122223333-us-east-1"
IMAGE = "111122223333.dkr.ecr.us-east-1.amazonaws.com/sales@sha256:" + "0" * 64


def props(foundation: FoundationReferences, **changes: Any) -> RealtimeEndpointProps:
    values: dict[str, Any] = {
        "endpoint_name": "sales-dev",
        "instance_type": "ml.r5.large",
        "image_uri": IMAGE,
        "artifact_key": "models/sales/",
        "foundation": foundation,
        "multi_model": MultiModel(),
    }
    return RealtimeEndpointProps(**(values | changes))


@pytest.mark.parametrize(("cache", "setting"), [(True, "Enabled"), (False, "Disabled")])
def test_all_models_lie_below_one_url(
    stack: Stack, only: Only, foundation: FoundationReferences, cache: bool, setting: str
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=props(foundation, multi_model=MultiModel(cache=cache)))

    assert only("AWS::SageMaker::Model")["PrimaryContainer"] == {
        "Image": IMAGE,
        "Mode": "MultiModel",
        "ModelDataUrl": f"s3://{BUCKET}/models/sales/",
        "MultiModelConfig": {"ModelCacheSetting": setting},
    }
    assert open_findings(stack) == set()


def test_the_role_reads_and_lists_what_is_below_the_prefix(
    stack: Stack, only: Only, foundation: FoundationReferences
) -> None:
    RealtimeEndpoint(stack, "Endpoint", props=props(foundation))

    statements = statements_by_sid(only)
    arn = ["arn:", {"Ref": "AWS::Partition"}]
    assert statements["ReadArtifact"] == {
        "Sid": "ReadArtifact",
        "Effect": "Allow",
        "Action": "s3:GetObject",
        "Resource": {"Fn::Join": ["", [*arn, f":s3:::{BUCKET}/models/sales/*"]]},
    }
    assert statements["ListArtifact"] == {
        "Sid": "ListArtifact",
        "Effect": "Allow",
        "Action": "s3:ListBucket",
        "Resource": {"Fn::Join": ["", [*arn, f":s3:::{BUCKET}"]]},
        "Condition": {"StringLike": {"s3:prefix": "models/sales/*"}},
    }


def test_many_models_are_no_single_object(foundation: FoundationReferences) -> None:
    with pytest.raises(ValueError, match="many models lie below a prefix that ends in a slash"):
        props(foundation, artifact_key="models/sales/model.tar.gz")


def test_callers_get_no_stream(stack: Stack, foundation: FoundationReferences) -> None:
    endpoint = RealtimeEndpoint(stack, "Endpoint", props=props(foundation))
    (statement,) = endpoint.invoke_statements()
    assert statement["Action"] == ["sagemaker:InvokeEndpoint"]
    with pytest.raises(ValueError, match="an endpoint of many writes no stream"):
        endpoint.invoke_statements(streams=True)


def test_no_other_variant_goes_beside_many_models(foundation: FoundationReferences) -> None:
    other = ProductionVariant(
        variant_name="other",
        instance_type="ml.r5.large",
        image_uri=IMAGE,
        artifact_key="models/b/model.tar.gz",
    )
    with pytest.raises(ValueError, match="an endpoint of many models has one variant"):
        props(foundation, other_variants=[other])


def test_alarms_on_the_wait_for_a_model_and_on_too_few_hits(stack: Stack, resources: Resources) -> None:
    EndpointAlarms(
        stack,
        "Alarms",
        props=EndpointAlarmProps(
            endpoint_name="sales-dev",
            variant_name="primary",
            thresholds=AlarmThresholds(max_model_loading_wait_time_ms=9000, min_model_cache_hit_percent=95),
            alarm_topic_arn="arn:aws:sns:us-east-1:111122223333:alarms",
        ),
    )

    wait, hits = (
        found
        for name in ("MetricName", "Metrics")
        for found in resources("AWS::CloudWatch::Alarm").values()
        if name in found
    )
    watched = ("Namespace", "Statistic", "ComparisonOperator", "Threshold", "TreatMissingData", "Dimensions")
    of_variant = [
        {"Name": "EndpointName", "Value": "sales-dev"},
        {"Name": "VariantName", "Value": "primary"},
    ]
    assert [wait[key] for key in watched] == [
        "AWS/SageMaker", "Maximum", "GreaterThanThreshold", 9_000_000, "notBreaching", of_variant
    ]  # fmt: skip
    share, *queries = hits["Metrics"]
    assert share["Expression"] == "IF((1 - hits) * requests >= 20, 100 * hits, 100)"
    assert {query["Id"]: query["MetricStat"]["Stat"] for query in queries} == {
        "hits": "Average",
        "requests": "SampleCount",
    }
    assert (hits["ComparisonOperator"], hits["Threshold"]) == ("LessThanThreshold", 95)
    assert "below 95 % of the requests in 1 of 4" in hits["AlarmDescription"]

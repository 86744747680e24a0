from collections.abc import Callable
from typing import Any

import pytest
from aws_cdk import RemovalPolicy, Stack

from constructs_lib.foundation.buckets import Buckets, BucketsProps

ARTIFACTS, CHECKPOINTS, ACCESS_LOGS = "demo-artifacts", "demo-checkpoints", "demo-access-logs"


def _props(**changes: Any) -> BucketsProps:
    values: dict[str, Any] = {
        "artifact_bucket_name": ARTIFACTS,
        "checkpoint_bucket_name": CHECKPOINTS,
        "access_log_bucket_name": ACCESS_LOGS,
        "data_key_arn": "arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-00000000000d",
        "checkpoint_expiry_days": 30,
        "noncurrent_version_expiry_days": 90,
        "removal_policy": RemovalPolicy.RETAIN,
    }
    return BucketsProps(**values | changes)


@pytest.mark.cdk
def test_whatever_is_current_in_the_artifact_bucket_never_expires(
    stack: Stack, resources: Callable[[str], dict[str, Any]]
) -> None:
    Buckets(stack, "Buckets", props=_props())

    expiring = {
        bucket["BucketName"]
        for bucket in resources("AWS::S3::Bucket").values()
        if any("ExpirationInDays" in rule for rule in bucket["LifecycleConfiguration"]["Rules"])
    }
    assert expiring == {CHECKPOINTS, ACCESS_LOGS}


@pytest.mark.cdk
def test_requests_and_answers_expire_and_models_beside_them_do_not(
    stack: Stack, resources: Callable[[str], dict[str, Any]]
) -> None:
    Buckets(stack, "Buckets", props=_props(inference_data_expiry_days=7))

    (bucket,) = (
        bucket for bucket in resources("AWS::S3::Bucket").values() if bucket["BucketName"] == ARTIFACTS
    )
    expiring = [rule for rule in bucket["LifecycleConfiguration"]["Rules"] if "ExpirationInDays" in rule]
    assert [(rule["Prefix"], rule["ExpirationInDays"]) for rule in expiring] == [("inference/", 7)]
    # In a versioned bucket an expired object stays as a noncurrent version, for 90 days more by the rule of artifacts.
    assert expiring[0]["NoncurrentVersionExpiration"] == {"NoncurrentDays": 1}


@pytest.mark.parametrize(
    "name",
    [
        "checkpoint_expiry_days",
        "noncurrent_version_expiry_days",
        "access_log_expiry_days",
        "inference_data_expiry_days",
    ],
)
def test_a_lifetime_below_one_day_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be at least 1, got 0$"):
        _props(**{name: 0})


def test_a_name_that_is_used_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="three buckets need three names"):
        _props(checkpoint_bucket_name=ARTIFACTS)

from typing import Any

import pytest
from aws_cdk import App, Environment, RemovalPolicy, Stack
from aws_cdk.assertions import Match, Template

from constructs_lib.buckets import Buckets, BucketsProps

pytestmark = pytest.mark.cdk

KEY_ARN = "arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-00000000000d"
ARTIFACTS, CHECKPOINTS, ACCESS_LOGS = "demo-artifacts", "demo-checkpoints", "demo-access-logs"


def _props(**changes: Any) -> BucketsProps:
    values: dict[str, Any] = {
        "artifact_bucket_name": ARTIFACTS,
        "checkpoint_bucket_name": CHECKPOINTS,
        "access_log_bucket_name": ACCESS_LOGS,
        "data_key_arn": KEY_ARN,
        "checkpoint_expiry_days": 30,
        "noncurrent_version_expiry_days": 90,
        "removal_policy": RemovalPolicy.RETAIN,
    }
    return BucketsProps(**values | changes)


def _template(context: dict[str, Any], props: BucketsProps) -> Template:
    app = App(context=context, analytics_reporting=False)
    stack = Stack(app, "Stack", env=Environment(account="111122223333", region="us-east-1"))
    Buckets(stack, "Buckets", props=props)
    return Template.from_stack(stack)


@pytest.fixture(scope="module")
def template(cdk_context: dict[str, Any]) -> Template:
    return _template(cdk_context, _props())


@pytest.fixture(scope="module")
def buckets(template: Template) -> dict[str, dict[str, Any]]:
    found = template.find_resources("AWS::S3::Bucket").items()
    return {
        resource["Properties"]["BucketName"]: {**resource, "LogicalId": logical_id}
        for logical_id, resource in found
    }


def _rules(bucket: dict[str, Any]) -> dict[str, Any]:
    return {rule["Id"]: rule for rule in bucket["Properties"]["LifecycleConfiguration"]["Rules"]}


def _encryption(bucket: dict[str, Any]) -> dict[str, Any]:
    (rule,) = bucket["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert isinstance(rule, dict)
    return rule


def _policy_statements(template: Template, bucket: dict[str, Any]) -> list[dict[str, Any]]:
    (policy,) = [
        policy
        for policy in template.find_resources("AWS::S3::BucketPolicy").values()
        if policy["Properties"]["Bucket"] == {"Ref": bucket["LogicalId"]}
    ]
    statements: list[dict[str, Any]] = policy["Properties"]["PolicyDocument"]["Statement"]
    return statements


def test_there_are_three_buckets(buckets: dict[str, Any]) -> None:
    assert set(buckets) == {ARTIFACTS, CHECKPOINTS, ACCESS_LOGS}


def test_no_bucket_is_public_or_has_acls(template: Template) -> None:
    template.all_resources_properties(
        "AWS::S3::Bucket",
        {
            "PublicAccessBlockConfiguration": {
                "BlockPublicAcls": True,
                "BlockPublicPolicy": True,
                "IgnorePublicAcls": True,
                "RestrictPublicBuckets": True,
            },
            "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
            "AccessControl": Match.absent(),
        },
    )


@pytest.mark.parametrize("name", [ARTIFACTS, CHECKPOINTS, ACCESS_LOGS])
def test_every_bucket_accepts_tls_only(template: Template, buckets: dict[str, Any], name: str) -> None:
    arn = {"Fn::GetAtt": [buckets[name]["LogicalId"], "Arn"]}
    assert {
        "Sid": "TlsOnly",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [arn, {"Fn::Join": ["", [arn, "/*"]]}],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    } in _policy_statements(template, buckets[name])


@pytest.mark.parametrize("name", [ARTIFACTS, CHECKPOINTS])
def test_data_is_encrypted_with_the_data_key_and_a_bucket_key(buckets: dict[str, Any], name: str) -> None:
    assert _encryption(buckets[name]) == {
        "BucketKeyEnabled": True,
        "ServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": KEY_ARN},
    }


def test_access_logs_are_encrypted_the_only_way_that_log_delivery_supports(buckets: dict[str, Any]) -> None:
    assert _encryption(buckets[ACCESS_LOGS]) == {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}


def test_only_artifacts_keep_old_versions(buckets: dict[str, Any]) -> None:
    assert buckets[ARTIFACTS]["Properties"]["VersioningConfiguration"] == {"Status": "Enabled"}
    assert "VersioningConfiguration" not in buckets[CHECKPOINTS]["Properties"]


def test_replaced_artifacts_expire_and_current_ones_never(buckets: dict[str, Any]) -> None:
    rules = _rules(buckets[ARTIFACTS])

    assert rules["expire-noncurrent-versions"]["NoncurrentVersionExpiration"] == {"NoncurrentDays": 90}
    assert not any("ExpirationInDays" in rule for rule in rules.values())


def test_checkpoints_and_access_logs_expire(buckets: dict[str, Any]) -> None:
    assert _rules(buckets[CHECKPOINTS])["expire-checkpoints"]["ExpirationInDays"] == 30
    assert _rules(buckets[ACCESS_LOGS])["expire-access-logs"]["ExpirationInDays"] == 365


def test_forgotten_uploads_are_aborted_everywhere(buckets: dict[str, Any]) -> None:
    for bucket in buckets.values():
        rule = _rules(bucket)["abort-incomplete-uploads"]
        assert (rule["Status"], rule["AbortIncompleteMultipartUpload"]) == (
            "Enabled",
            {"DaysAfterInitiation": 7},
        )


@pytest.mark.parametrize("name", [ARTIFACTS, CHECKPOINTS])
def test_access_is_logged_to_where_log_delivery_may_write(
    template: Template, buckets: dict[str, Any], name: str
) -> None:
    log_bucket = buckets[ACCESS_LOGS]
    logging = buckets[name]["Properties"]["LoggingConfiguration"]
    statements = _policy_statements(template, log_bucket)
    source = {"Fn::Sub": f"arn:${{AWS::Partition}}:s3:::{name}"}

    assert logging == {
        "DestinationBucketName": {"Ref": log_bucket["LogicalId"]},
        "LogFilePrefix": f"{name}/",
    }
    (statement,) = [s for s in statements if s["Condition"].get("ArnLike") == {"aws:SourceArn": source}]
    assert statement["Principal"] == {"Service": "logging.s3.amazonaws.com"}
    assert statement["Action"] == "s3:PutObject"
    assert statement["Condition"]["StringEquals"] == {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
    assert statement["Resource"] == {
        "Fn::Join": ["", [{"Fn::GetAtt": [log_bucket["LogicalId"], "Arn"]}, f"/{name}/*"]]
    }


@pytest.mark.parametrize(
    ("removal_policy", "deletion_policy"),
    [(RemovalPolicy.RETAIN, "Retain"), (RemovalPolicy.DESTROY, "Delete")],
)
def test_the_removal_policy_is_that_of_the_props(
    cdk_context: dict[str, Any], removal_policy: RemovalPolicy, deletion_policy: str
) -> None:
    found = _template(cdk_context, _props(removal_policy=removal_policy)).find_resources("AWS::S3::Bucket")

    assert {bucket["DeletionPolicy"] for bucket in found.values()} == {deletion_policy}


def test_nothing_but_buckets_and_policies_is_made(template: Template) -> None:
    kinds = {resource["Type"] for resource in template.to_json()["Resources"].values()}
    assert kinds == {"AWS::S3::Bucket", "AWS::S3::BucketPolicy"}


@pytest.mark.parametrize(
    "name", ["checkpoint_expiry_days", "noncurrent_version_expiry_days", "access_log_expiry_days"]
)
def test_a_lifetime_below_one_day_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be at least 1, got 0$"):
        _props(**{name: 0})


def test_a_name_that_is_used_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="three buckets need three names"):
        _props(checkpoint_bucket_name=ARTIFACTS)

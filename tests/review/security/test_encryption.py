from collections.abc import Mapping
from typing import Any

import pytest

from sizewell.review.model import SecurityChange
from sizewell.review.security import compare_security
from tests.review.builders import pair, resource, template

Json = Mapping[str, Any]
KEY = {"Fn::GetAtt": ["Key", "Arn"]}


def changes(base: Json | None, head: Json | None, kind: str) -> tuple[SecurityChange, ...]:
    def one(properties: Json | None) -> dict[str, Any]:
        return template() if properties is None else template(R=resource(kind, {"X": 1, **properties}))

    return compare_security(pair(one(base), one(head))).others


def rules(base: Json | None, head: Json | None, kind: str) -> list[tuple[str, str]]:
    return [(c.rule, c.direction) for c in changes(base, head, kind)]


def bucket(algorithm: str, key: Any = None) -> dict[str, Any]:
    default = {"SSEAlgorithm": algorithm, **({"KMSMasterKeyID": key} if key else {})}
    return {
        "BucketEncryption": {
            "ServerSideEncryptionConfiguration": [{"ServerSideEncryptionByDefault": default}]
        }
    }


@pytest.mark.parametrize(
    ("kind", "strong", "weak"),
    [
        ("AWS::Logs::LogGroup", {"KmsKeyId": KEY}, {}),
        ("AWS::SNS::Topic", {"KmsMasterKeyId": KEY}, {"KmsMasterKeyId": "alias/aws/sns"}),
        ("AWS::SNS::Topic", {"KmsMasterKeyId": "alias/aws/sns"}, {}),
        ("AWS::SQS::Queue", {"KmsMasterKeyId": KEY}, {"SqsManagedSseEnabled": True}),
        ("AWS::SQS::Queue", {}, {"SqsManagedSseEnabled": False}),
        ("AWS::Lambda::Function", {"KmsKeyArn": KEY}, {}),
        ("AWS::RDS::DBInstance", {"StorageEncrypted": True}, {"StorageEncrypted": False}),
        ("AWS::EC2::Volume", {"Encrypted": True}, {}),
        ("AWS::S3::Bucket", bucket("aws:kms", KEY), bucket("AES256")),
        ("AWS::S3::Bucket", bucket("aws:kms", KEY), {}),
        ("AWS::DynamoDB::Table", {"SSESpecification": {"SSEEnabled": True}}, {}),
        (
            "AWS::DynamoDB::Table",
            {"SSESpecification": {"SSEEnabled": True}},
            {"SSESpecification": {"SSEEnabled": False}},
        ),
        ("AWS::StepFunctions::StateMachine", {"EncryptionConfiguration": {"KmsKeyId": KEY}}, {}),
        (
            "AWS::EC2::Instance",
            {"BlockDeviceMappings": [{"DeviceName": "a", "Ebs": {"Encrypted": True}}]},
            {"BlockDeviceMappings": [{"DeviceName": "a", "Ebs": {"Encrypted": False}}]},
        ),
        (
            "AWS::Logs::LogGroup",
            {"KmsKeyId": KEY},
            {"KmsKeyId": {"Fn::If": ["C", KEY, {"Ref": "AWS::NoValue"}]}},
        ),
    ],
)
def test_a_weaker_setting_is_lost_and_the_other_way_round_gained(kind: str, strong: Json, weak: Json) -> None:
    assert rules(strong, weak, kind) == [("encryption-lost", "weaker")]
    assert rules(weak, strong, kind) == [("encryption-gained", "stronger")]


@pytest.mark.parametrize(
    ("kind", "base", "head"),
    [
        ("AWS::S3::Bucket", bucket("AES256"), {}),
        ("AWS::SQS::Queue", {"SqsManagedSseEnabled": True}, {}),
        ("AWS::RDS::DBInstance", {"StorageEncrypted": True}, {"StorageEncrypted": "true"}),
        ("AWS::Logs::LogGroup", {"KmsKeyId": KEY}, {"KmsKeyId": {"Ref": "Other"}}),
        (
            "AWS::EC2::Instance",
            {"BlockDeviceMappings": [{"DeviceName": "a", "Ebs": {"Encrypted": True}}, {"DeviceName": "b"}]},
            {"BlockDeviceMappings": [{"DeviceName": "b"}, {"DeviceName": "a", "Ebs": {"Encrypted": True}}]},
        ),
        (
            "AWS::EC2::Instance",
            {"BlockDeviceMappings": [{"DeviceName": "a", "Ebs": {"Encrypted": True}}]},
            {},
        ),
    ],
)
def test_what_protects_alike_is_no_change(kind: str, base: Json, head: Json) -> None:
    assert rules(base, head, kind) == []


def test_both_sides_are_shown() -> None:
    (change,) = changes({"KmsKeyId": KEY}, {}, "AWS::Logs::LogGroup")
    assert (change.base, change.head) == ("KmsKeyId: ${Key.Arn}", "KmsKeyId: not set")
    assert (change.logical_id, change.subject) == ("R", "R")


@pytest.mark.parametrize("properties", [{}, {"Encrypted": False}])
def test_a_new_volume_in_the_clear_is_reported(properties: Json) -> None:
    assert rules(None, properties, "AWS::EC2::Volume") == [("encryption-lost", "weaker")]


@pytest.mark.parametrize("properties", [{"Encrypted": True}, {"KmsKeyId": KEY}, {"SnapshotId": "snap-1"}])
def test_a_new_volume_that_is_encrypted_is_silent(properties: Json) -> None:
    assert rules(None, properties, "AWS::EC2::Volume") == []


def test_a_removed_volume_is_silent() -> None:
    assert rules({"Encrypted": True}, None, "AWS::EC2::Volume") == []


def endpoint_config(instance_type: str, **rest: Any) -> dict[str, Any]:
    return {"ProductionVariants": [{"VariantName": "primary", "InstanceType": instance_type}], **rest}


def test_local_disks_take_no_key() -> None:
    with_key, without = endpoint_config("ml.m5.large", KmsKeyId=KEY), endpoint_config("ml.g5.2xlarge")
    kind = "AWS::SageMaker::EndpointConfig"
    assert rules(with_key, without, kind) == [("encryption-by-hardware", "neutral")]
    assert rules(without, with_key, kind) == [("encryption-by-hardware", "neutral")]
    assert rules(with_key, endpoint_config("ml.m5.xlarge"), kind) == [("encryption-lost", "weaker")]

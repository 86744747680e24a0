"""What the account has already, roles of its own, and patterns of names: what is refused, and where."""

from collections.abc import Callable
from typing import Any

import pytest

LoadDev = Callable[[str], Any]
MessageFor = Callable[[str], str]

KEY = "arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f"
TOPIC = "arn:aws:sns:us-east-1:111122223333:company-alarms"
ROLE = "arn:aws:iam::111122223333:role/company/models"
PRODUCTION = (
    "policy: {production: true, min_endpoint_instances: 2, min_availability_zones: 2}\n"
    "network: {mode: new, availability_zones: 2}\n"
)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("data_key_arn", KEY.replace("111122223333", "444455556666")),
        ("operations_key_arn", f"{KEY.rpartition('/')[0]}/mrk-0123456789abcdef0123456789abcdef"),
        ("artifact_bucket", "models.company.example"),
        ("access_log_bucket", "company-logs"),
        ("alarm_topic_arn", TOPIC),
    ],
)
def test_what_exists_is_taken(load_dev: LoadDev, key: str, value: str) -> None:
    existing = load_dev(f"existing: {{{key}: '{value}'}}\n").environment.existing
    assert existing.model_dump(exclude_none=True) == {key: value}


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        (
            "data_key_arn",
            KEY.replace("us-east-1", "us-west-2"),
            "the key is in the region us-west-2, but this environment is in us-east-1",
        ),
        (
            "operations_key_arn",
            KEY.replace("aws:", "aws-cn:"),
            "the key is in the partition aws-cn, but this environment is in aws",
        ),
        ("data_key_arn", "arn:aws:kms:us-east-1:111122223333:alias/models", "such as arn:aws:kms:"),
        ("data_key_arn", f"{KEY}*", "such as arn:aws:kms:"),
        ("artifact_bucket", "Models", "such as company-models"),
        ("artifact_bucket", "models..company", "S3 takes no two dots side by side"),
        ("artifact_bucket", "192.168.5.4", "S3 takes no name in the form of an IP address"),
        ("checkpoint_bucket", "xn--models", "S3 takes no name that begins with xn--"),
        ("checkpoint_bucket", "models--x-s3", "S3 keeps names that end with --x-s3"),
        (
            "alarm_topic_arn",
            TOPIC.replace("us-east-1", "us-west-2"),
            "the topic is in the region us-west-2, but this environment is in us-east-1",
        ),
        (
            "alarm_topic_arn",
            TOPIC.replace("111122223333", "444455556666"),
            "the topic is in the account 444455556666, but rules of EventBridge publish to a topic of their own account, here "
            "111122223333: name one of it, and let the other account subscribe to it",
        ),
        ("alarm_topic_arn", f"{TOPIC}.fifo", "standard (not FIFO)"),
        (
            "endpoint_security_group_id",
            "sg-0123456789abcdef0",
            "a security group belongs to a VPC, and network.mode: new makes another one",
        ),
        ("training_security_group_id", "sg-0123456789abcdef0", "a security group belongs to a VPC"),
    ],
)
def test_what_aws_would_refuse(message_for: MessageFor, key: str, value: str, reason: str) -> None:
    message = message_for(f"existing:\n  {key}: '{value}'\n")
    assert message.startswith(f"config/dev.yaml:2  existing.{key}\n")
    assert reason in message


def test_groups_are_taken_in_a_network_that_exists(load_dev: LoadDev) -> None:
    subnets = "[subnet-0123456789abcdef0, subnet-0123456789abcdef1]"
    loaded = load_dev(
        f"network: {{mode: existing, vpc_id: vpc-0123456789abcdef0, subnet_ids: {subnets}}}\n"
        "existing: {training_security_group_id: sg-0123456789abcdef0}\n"
    )
    assert loaded.environment.existing.training_security_group_id == "sg-0123456789abcdef0"


def test_one_bucket_cannot_be_two(message_for: MessageFor) -> None:
    message = message_for("existing:\n  artifact_bucket: ours\n  checkpoint_bucket: ours\n")
    assert message == (
        "config/dev.yaml:3  existing.checkpoint_bucket\n"
        "  ours is artifact_bucket already: each is a bucket of its own"
    )


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ("  access_log_bucket: logs\n", "4  existing.access_log_bucket"),
        ("names:\n  bucket: 'ml-{purpose}'\n", "5  names.bucket"),
    ],
)
def test_what_is_about_buckets_of_ours_needs_one(message_for: MessageFor, more: str, place: str) -> None:
    message = message_for(f"existing:\n  artifact_bucket: models\n  checkpoint_bucket: states\n{more}")
    assert message.startswith(f"config/dev.yaml:{place}\n  has no effect: ")


@pytest.mark.parametrize(
    ("bucket", "key"),
    [("checkpoint_bucket", "checkpoint_expiry_days"), ("artifact_bucket", "noncurrent_version_expiry_days")],
)
def test_lifetimes_are_for_buckets_of_ours(
    message_for: MessageFor, load_dev: LoadDev, bucket: str, key: str
) -> None:
    message = message_for(f"existing: {{{bucket}: ours}}\nstorage:\n  {key}: 7\n")
    assert message.startswith(f"config/dev.yaml:3  storage.{key}\n  has no effect on existing.{bucket}, ")
    assert f"write {key}: null in the environment's file" in message
    load_dev(f"existing: {{{bucket}: ours}}\n")  # a default is nobody's word


def test_whoever_owns_the_topic_of_production_listens(message_for: MessageFor, load_dev: LoadDev) -> None:
    assert "nobody hears of an alarm in production" in message_for(PRODUCTION)
    load_dev(f"{PRODUCTION}existing: {{alarm_topic_arn: '{TOPIC}'}}\n")


@pytest.mark.parametrize("workload", ["support-bert", "nightly-lora"])
def test_a_role_of_the_account_is_taken(load_dev: LoadDev, workload: str) -> None:
    loaded = load_dev(f"workloads: {{{workload}: {{execution_role_arn: '{ROLE}'}}}}\n")
    assert loaded.environment.workloads[workload].execution_role_arn == ROLE


@pytest.mark.parametrize("workload", ["support-bert", "nightly-lora"])
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (
            ROLE.replace("111122223333", "444455556666"),
            "the role is in the account 444455556666, but a role is passed within its account only, here 111122223333",
        ),
        (
            ROLE.replace("aws:", "aws-us-gov:"),
            "the role is in the partition aws-us-gov, but this environment is in aws",
        ),
        ("arn:aws:iam::111122223333:role/*", "such as arn:aws:iam::111122223333:role/models"),
        ("models", "such as arn:aws:iam::111122223333:role/models"),
    ],
)
def test_roles_that_cannot_be_passed(message_for: MessageFor, workload: str, value: str, reason: str) -> None:
    message = message_for(f"workloads:\n  {workload}:\n    execution_role_arn: '{value}'\n")
    assert message.startswith(f"config/dev.yaml:3  workloads.{workload}.execution_role_arn\n")
    assert reason in message


@pytest.mark.parametrize(
    ("key", "pattern", "reason"),
    [
        (
            "stack",
            "ml-{workload}-{enviroment}",
            "there is no placeholder {enviroment} here; did you mean {environment}?",
        ),
        (
            "workload",
            "{workload}-{purpose}",
            "there is no placeholder {purpose} here; take {workload}, {platform}, {environment}, {account}, {region}",
        ),
        ("bucket", "{workload}-{purpose}", "there is no placeholder {workload} here"),
        ("stack", "ml-{environment}", "{workload} is missing: without it, all would have one name"),
        ("workload", "ml-{environment}", "{workload} is missing"),
        ("bucket", "ml-{environment}", "{purpose} is missing"),
        ("stack", "ml-{workload", "has a brace too many or too few"),
        ("stack", "{{workload}}", "has a brace too many or too few"),
        ("workload", "ml_{workload}", "takes no underscores"),
        ("workload", "ML-{workload}", "expected text"),
        ("bucket", "ml.{purpose}", "expected text"),
    ],
)
def test_patterns_that_make_no_names(message_for: MessageFor, key: str, pattern: str, reason: str) -> None:
    message = message_for(f"names:\n  {key}: '{pattern}'\n")
    assert message.startswith(f"config/dev.yaml:2  names.{key}\n")
    assert reason in message

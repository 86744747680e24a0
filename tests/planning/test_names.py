"""Names are never cut, so the longest must fit."""

import pytest

from sizewell.planning.names import Names

LONGEST = Names("p" * 12, "e" * 8, "111122223333", "ap-northeast-1")
LONGEST_WORKLOAD = LONGEST.workload("w" * 26)


@pytest.mark.parametrize("purpose", ["artifacts", "checkpoints", "access-logs"])
def test_longest_bucket_name_fits(purpose: str) -> None:
    assert len(LONGEST.bucket(purpose)) <= 63


def test_longest_endpoint_and_state_machine_names_fit() -> None:
    assert len(LONGEST_WORKLOAD) <= 63


def test_longest_training_job_name_fits_with_its_unique_part() -> None:
    assert len(f"{LONGEST_WORKLOAD}-{'0' * 12}") <= 63


def test_names_begin_with_platform_and_environment() -> None:
    names = Names("demo", "prod", "111122223333", "us-east-1")
    assert names.foundation_stack == "demo-prod-foundation"
    assert names.workload("support-bert") == "demo-prod-support-bert"
    assert names.bucket("artifacts") == "demo-prod-artifacts-111122223333-us-east-1"
    assert names.parameter_prefix == "/demo/prod/foundation"


@pytest.mark.parametrize(
    ("region", "partition", "domain"),
    [
        ("eu-central-1", "aws", "amazonaws.com"),
        ("cn-northwest-1", "aws-cn", "amazonaws.com.cn"),
        ("us-gov-west-1", "aws-us-gov", "amazonaws.com"),
    ],
)
def test_image_lives_in_the_partition_of_the_region(region: str, partition: str, domain: str) -> None:
    names = Names("demo", "dev", "111122223333", region)
    assert (
        names.image_uri("444455556666", "team/bert", "1.0")
        == f"444455556666.dkr.ecr.{region}.{domain}/team/bert:1.0"
    )
    assert (
        names.repository_arn("444455556666", "team/bert")
        == f"arn:{partition}:ecr:{region}:444455556666:repository/team/bert"
    )

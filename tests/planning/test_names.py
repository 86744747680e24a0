"""Names are never cut, so the longest must fit."""

import pytest

from sizewell.config.environment import MAX_PREFIX_CHARACTERS
from sizewell.config.names import NamePatterns
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.build import build_plan
from sizewell.planning.errors import PlanError
from sizewell.planning.names import Names
from tests.instance_selection.builders import catalog, gpu_instance
from tests.planning.builders import endpoint, environment, training_job

PRICED = catalog(gpu_instance(), usd_per_hour={"ml.g9.xlarge": 1.0})
LONGEST = Names("p" * 18, "e" * (MAX_PREFIX_CHARACTERS - 18), "111122223333", "ap-northeast-1")
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


def planned(names: dict[str, str], **given: object) -> object:
    workloads = {"plants": endpoint(), "plants-train": training_job()}
    return build_plan(environment(workloads, names=names, **given), PRICED)


def test_patterns_fill_every_name() -> None:
    patterns = NamePatterns(
        stack="Acme-{account}-{workload}",
        workload="acme-{workload}-{environment}-{region}",
        bucket="acme-{purpose}-{platform}",
    )
    names = Names("demo", "prod", "111122223333", "us-east-1", patterns)
    assert names.foundation_stack == "Acme-111122223333-foundation"
    assert names.stack("chat") == "Acme-111122223333-chat"
    assert names.workload("chat") == "acme-chat-prod-us-east-1"
    assert names.bucket("access-logs") == "acme-access-logs-demo"
    assert names.wildcards().model_dump() == {
        "stack": "Acme-111122223333-*",
        "workload": "acme-*-prod-us-east-1",
        "bucket": "acme-*-demo",
    }


def test_the_plan_takes_them() -> None:
    plan = planned({"stack": "Acme-{workload}", "workload": "{workload}-acme", "bucket": "acme-{purpose}"})
    (one,), (job,), foundation = plan.endpoints, plan.of(TrainingJobPlan), plan.foundation  # type: ignore[attr-defined]
    assert foundation.stack_name == "Acme-foundation"
    assert (one.stack_name, one.endpoint_name) == ("Acme-plants", "plants-acme")
    assert (job.stack_name, job.state_machine_name, job.job_name_prefix) == (
        "Acme-plants-train",
        "plants-train-acme",
        "plants-train-acme",
    )
    assert (foundation.artifact_bucket_name, foundation.access_log_bucket_name) == (
        "acme-artifacts",
        "acme-access-logs",
    )


@pytest.mark.parametrize(
    ("names", "key", "reason"),
    [
        ({"stack": f"{'a' * 118}-{{workload}}"}, "stack", "129 characters, and AWS takes 128"),
        (
            {"stack": "1-{workload}"},
            "stack",
            "calls the stack of foundation 1-foundation: a name begins with a letter",
        ),
        ({"workload": f"{'a' * 57}-{{workload}}"}, "workload", "64 characters, and AWS takes 63"),
        (
            {"workload": f"{'a' * 38}-{{workload}}"},
            "workload",
            "calls the training jobs of plants-train "
            f"{'a' * 38}-plants-train: 51 characters, and AWS takes 50",
        ),
        ({"workload": "a--{workload}"}, "workload", "single hyphens"),
        ({"workload": "{workload}-"}, "workload", "ends with a letter or digit"),
        ({"workload": "{workload}"}, "workload", "has nothing beside {workload}"),
        ({"workload": "{workload}{workload}"}, "workload", "has nothing beside {workload}"),
        ({"bucket": f"{'a' * 52}-{{purpose}}"}, "bucket", "-checkpoints (64 characters): S3 takes 3 to 63"),
        ({"bucket": "sthree-{purpose}"}, "bucket", "S3 takes no name that begins with sthree-"),
    ],
)
def test_patterns_whose_names_aws_refuses_are_faults_of_the_pattern(
    names: dict[str, str], key: str, reason: str
) -> None:
    with pytest.raises(PlanError) as raised:
        planned(names)
    (fault,) = raised.value.faults
    assert fault.key_path == ("names", key)
    assert reason in fault.reason


def test_names_at_their_limits_are_taken() -> None:
    planned(
        {
            "stack": f"{'a' * 115}-{{workload}}",
            "workload": f"{'a' * 37}-{{workload}}",
            "bucket": f"{'a' * 51}-{{purpose}}",
        }
    )


def test_a_bucket_that_exists_is_not_made_under_its_name() -> None:
    with pytest.raises(PlanError) as raised:
        planned({"bucket": "acme-{purpose}"}, existing={"artifact_bucket": "acme-checkpoints"})
    (fault,) = raised.value.faults
    assert fault.key_path == ("existing", "artifact_bucket")
    planned({"bucket": "acme-{purpose}"}, existing={"artifact_bucket": "acme-artifacts"})

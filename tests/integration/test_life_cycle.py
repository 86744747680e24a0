"""What a platform lives through: the same again, changes of every kind, failures, names that are taken, the end.

The tests of one environment build on each other, in the order of this file.
"""

from dataclasses import dataclass
from typing import Any

import pytest

from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from tests.integration.changed_configuration import (
    ADDED,
    ANOTHER_COUNT,
    ANOTHER_MODEL,
    ANOTHER_TYPE,
    NEW_ARTIFACT_KEY,
    REMOVED,
    change_configuration,
    endpoint_of,
)
from tests.integration.harness import Admin, Deployment, Template, only_resource
from tests.integration.running import as_planned, running, set_count

#: What changes nothing at SageMaker or Application Auto Scaling begins so.
READING = ("Describe", "List")


@dataclass(frozen=True)
class Updated:
    """What ran before a pull request was deployed, after the load had come, and the environment after it."""

    before: dict[str, dict[str, Any]]
    changed: Deployment


@pytest.fixture(scope="session")
def changed(deployed: Deployment) -> Deployment:
    """The same environment with a pull request that changes one thing of every kind: not deployed yet."""
    folder = deployed.folder / "change"
    folder.mkdir()
    assembly = change_configuration(deployed.plan, folder)
    return Deployment(cloud=deployed.cloud, assembly=assembly, folder=folder)


@pytest.fixture(scope="session")
def updated(deployed: Deployment, changed: Deployment) -> Updated:
    """Three endpoints after one deployment changed each of them, two of them with all instances of their range."""
    for name in (ANOTHER_MODEL, ANOTHER_TYPE):
        endpoint = endpoint_of(deployed.plan, name)
        assert endpoint.scaling is not None
        set_count(deployed, endpoint, endpoint.scaling.max_instance_count)
    endpoints = [endpoint_of(changed.plan, name) for name in (ANOTHER_MODEL, ANOTHER_COUNT, ANOTHER_TYPE)]
    before = {endpoint.name: running(deployed, endpoint) for endpoint in endpoints}
    changed.sizewell_deploy(*(endpoint.stack_name for endpoint in endpoints))
    return Updated(before, changed)


def names_of(deployment: Deployment, operation: str, answer: str, member: str) -> list[str]:
    """Return the names of everything of a kind that belongs to the platform."""
    pages = deployment.client("sagemaker").get_paginator(operation).paginate()
    return sorted(item[member] for page in pages for item in page[answer])


def test_deploying_again_changes_nothing(deployed: Deployment, admin: Admin) -> None:
    result = deployed.deploy()
    stacks = [deployed.plan.foundation.stack_name, *(w.stack_name for w in deployed.plan.workloads)]
    assert result.stderr.count("(no changes)") + result.stdout.count("(no changes)") == len(stacks)
    changing = [call["operation"] for call in admin.calls() if not call["operation"].startswith(READING)]
    assert changing == []


@pytest.mark.parametrize("deployed", ["prod"], indirect=True)  # in the others, "no changes" has said so
def test_the_difference_is_empty(deployed: Deployment) -> None:
    result = deployed.cdk("diff", "--fail")
    assert "Number of stacks with differences: 0" in result.stdout + result.stderr


def test_another_model_is_deployed_without_touching_count_and_scaling(updated: Updated) -> None:
    changed, before = updated.changed, updated.before[ANOTHER_MODEL]
    endpoint = endpoint_of(changed.plan, ANOTHER_MODEL)
    assert endpoint.scaling is not None
    after = running(changed, endpoint)
    assert after["artifact"].endswith(NEW_ARTIFACT_KEY)
    assert after["config"] != before["config"]
    assert after["count"] == before["count"] == endpoint.scaling.max_instance_count
    assert as_planned(endpoint).items() <= after.items()
    configs = names_of(changed, "list_endpoint_configs", "EndpointConfigs", "EndpointConfigName")
    assert before["config"] not in configs


def test_other_bounds_are_registered(updated: Updated) -> None:
    endpoint = endpoint_of(updated.changed.plan, ANOTHER_COUNT)
    after = running(updated.changed, endpoint)
    assert as_planned(endpoint).items() <= after.items()
    assert after["bounds"] != updated.before[ANOTHER_COUNT]["bounds"]


def test_another_instance_type_is_deployed_and_the_count_is_kept(updated: Updated) -> None:
    before = updated.before[ANOTHER_TYPE]
    endpoint = endpoint_of(updated.changed.plan, ANOTHER_TYPE)
    assert endpoint.scaling is not None
    after = running(updated.changed, endpoint)
    assert before["type"] != after["type"]
    assert after["count"] == before["count"] == endpoint.scaling.max_instance_count
    assert as_planned(endpoint).items() <= after.items()


def test_a_workload_goes_when_its_stack_is_destroyed(deployed: Deployment, changed: Deployment) -> None:
    (removed,) = [job for job in deployed.plan.of(TrainingJobPlan) if job.name == REMOVED]
    assert REMOVED not in [job.name for job in changed.plan.of(TrainingJobPlan)]
    deployed.destroy(removed.stack_name)
    machines = deployed.client("stepfunctions").list_state_machines()["stateMachines"]
    assert removed.state_machine_name not in [machine["name"] for machine in machines]
    with pytest.raises(Exception, match="does not exist"):
        deployed.stack(removed.stack_name)


def test_a_taken_name_fails_leaves_nothing_and_works_once_it_is_free(
    deployed: Deployment, changed: Deployment, admin: Admin
) -> None:
    added = endpoint_of(changed.plan, ADDED)
    sagemaker = deployed.client("sagemaker")
    other = running(deployed, endpoint_of(deployed.plan, ANOTHER_MODEL))["config"]
    sagemaker.create_endpoint(EndpointName=added.endpoint_name, EndpointConfigName=other)
    waiting = {"EndpointName": added.endpoint_name, "WaiterConfig": {"Delay": 1, "MaxAttempts": 300}}
    sagemaker.get_waiter("endpoint_in_service").wait(**waiting)
    configs_before = names_of(deployed, "list_endpoint_configs", "EndpointConfigs", "EndpointConfigName")

    result = changed.deploy(added.stack_name, check=False)

    assert result.returncode == 1
    assert "Cannot create already existing endpoint" in result.stdout + result.stderr
    assert changed.stack(added.stack_name)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert sagemaker.describe_endpoint(EndpointName=added.endpoint_name)["EndpointConfigName"] == other
    configs = names_of(deployed, "list_endpoint_configs", "EndpointConfigs", "EndpointConfigName")
    assert configs == configs_before

    sagemaker.delete_endpoint(EndpointName=added.endpoint_name)
    sagemaker.get_waiter("endpoint_deleted").wait(**waiting)
    # Not cdk deploy: what is left of the stack is protected in production.
    changed.sizewell_deploy(added.stack_name)
    assert as_planned(added).items() <= running(changed, added).items()


def test_a_failure_in_the_middle_leaves_the_earlier_state_serving(changed: Deployment, admin: Admin) -> None:
    endpoint = endpoint_of(changed.plan, ANOTHER_MODEL)
    before = running(changed, endpoint)
    configs = names_of(changed, "list_endpoint_configs", "EndpointConfigs", "EndpointConfigName")
    models = names_of(changed, "list_models", "Models", "ModelName")

    def third_model(template: Template) -> None:
        source = only_resource(template, "AWS::SageMaker::Model")["PrimaryContainer"]["ModelDataSource"]
        source["S3DataSource"]["S3Uri"] = {
            "Fn::Sub": "s3://${FoundationArtifactBucketName}/models/third.tar.gz"
        }

    broken = changed.edited(endpoint.stack_name, third_model, name="third-model")
    admin.script(
        "endpoint",
        endpoint.endpoint_name,
        "fail",
        "The primary container did not pass the ping health check.",
    )

    result = changed.deploy(endpoint.stack_name, assembly=broken, check=False)

    assert result.returncode == 1
    assert "did not pass the ping health check" in result.stdout + result.stderr
    assert changed.stack(endpoint.stack_name)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert running(changed, endpoint) == before
    assert names_of(changed, "list_endpoint_configs", "EndpointConfigs", "EndpointConfigName") == configs
    assert names_of(changed, "list_models", "Models", "ModelName") == models


def test_the_way_back_takes_in_what_was_retained(deployed: Deployment, changed: Deployment) -> None:
    """``docs/guides/deploying.md``, "When an environment goes away": the name of a log group is still taken."""
    (removed,) = [job for job in deployed.plan.of(TrainingJobPlan) if job.name == REMOVED]
    if deployed.plan.foundation.retain_state:
        refused = deployed.deploy(removed.stack_name, check=False)
        assert (refused.returncode, "already exists." in refused.stdout + refused.stderr) == (1, True)
    deployed.sizewell_deploy(flags=("--import-existing-resources",))
    group = f"/aws/vendedlogs/states/{removed.state_machine_name}"
    assert group in deployed.physical_ids(removed.stack_name).values()
    changed.destroy(endpoint_of(changed.plan, ADDED).stack_name)
    for endpoint in deployed.plan.endpoints:
        assert as_planned(endpoint).items() <= running(deployed, endpoint).items()


def test_destroying_leaves_what_the_policy_retains_and_nothing_else(deployed: Deployment) -> None:
    plan = deployed.plan
    key_count = 2
    deployed.destroy()
    for operation, answer, member in (
        ("list_endpoints", "Endpoints", "EndpointName"),
        ("list_endpoint_configs", "EndpointConfigs", "EndpointConfigName"),
        ("list_models", "Models", "ModelName"),
    ):
        assert names_of(deployed, operation, answer, member) == []
    autoscaling = deployed.client("application-autoscaling")
    assert autoscaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"] == []
    assert deployed.client("stepfunctions").list_state_machines()["stateMachines"] == []
    assert [
        r for r in deployed.client("iam").list_roles()["Roles"] if plan.environment in r["RoleName"]
    ] == []
    buckets = [bucket["Name"] for bucket in deployed.client("s3").list_buckets()["Buckets"]]
    ours = sorted(name for name in buckets if name.startswith(f"{plan.platform}-{plan.environment}-"))
    kms = deployed.client("kms")
    states = [
        kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"]["KeyState"] for key in kms.list_keys()["Keys"]
    ]
    groups = [
        group["logGroupName"]
        for group in deployed.client("logs").describe_log_groups()["logGroups"]
        if f"{plan.platform}-{plan.environment}" in group["logGroupName"]
    ]
    foundation = plan.foundation
    if foundation.retain_state:
        named = [
            foundation.access_log_bucket_name,
            foundation.artifact_bucket_name,
            foundation.checkpoint_bucket_name,
        ]
        assert ours == sorted(named)
        assert states.count("Enabled") == key_count
        assert len(groups) >= len(plan.endpoints) + len(plan.of(TrainingJobPlan))
    else:
        assert ours == []
        assert "Enabled" not in states
        assert groups == []

"""The stack of a training that AWS Batch runs: its instances, its roles, and what is tried again."""

import json
import subprocess
from typing import Any

import pytest

from sizewell.planning import load_plan
from sizewell.targets.batch.job.plan_model import BatchJobPlan
from tests.targets.conftest import Synthesized, configuration_of, of_type, resources

pytestmark = pytest.mark.cdk
Template = dict[str, Any]


@pytest.fixture(scope="module")
def template(synthesized: Synthesized) -> Template:
    """The resources of a training on GPUs."""
    return resources(synthesized("batch-job", "prod"), "labs-prod-tune-mail")


@pytest.fixture(scope="module")
def plan() -> BatchJobPlan:
    (_, planned) = load_plan(configuration_of("batch-job"), "prod").of(BatchJobPlan)
    return planned


def properties(template: Template, resource_type: str, part_of_id: str = "") -> Any:
    (found,) = of_type(template, resource_type, part_of_id)
    return found


def actions(policy: Any) -> list[str]:
    return [action for statement in policy["PolicyDocument"]["Statement"] for action in statement["Action"]]


def test_spot_gives_way_while_a_run_on_demand_still_meets_the_deadline(plan: BatchJobPlan) -> None:
    spot, on_demand = plan.attempts
    assert (spot.spot, on_demand.spot) == (True, False)
    assert on_demand.ends_after_s == plan.deadline_s == 24 * 3600
    on_demand_hours = plan.selection.chosen.estimate.on_demand_hours
    assert on_demand_hours is not None
    assert spot.ends_after_s < plan.deadline_s - on_demand_hours * 3600
    assert spot.usd_per_hour is not None
    assert on_demand.usd_per_hour is not None
    assert spot.usd_per_hour < on_demand.usd_per_hour


@pytest.mark.parametrize(("part_of_id", "kind"), [("Spot", "SPOT"), ("OnDemand", "EC2")])
def test_an_environment_launches_the_types_of_the_plan_and_keeps_none(
    template: Template, plan: BatchJobPlan, part_of_id: str, kind: str
) -> None:
    environment = properties(template, "AWS::Batch::ComputeEnvironment", part_of_id)
    resources = environment["ComputeResources"]
    assert (resources["Type"], resources["MinvCpus"]) == (kind, 0)
    assert resources["InstanceTypes"] == list(plan.instance_pools)
    assert resources["MaxvCpus"] >= 2 * plan.container.vcpus
    assert resources["Ec2Configuration"] == [{"ImageType": "ECS_AL2023_NVIDIA"}]
    assert "ComputeEnvironmentName" not in environment
    # A running job is not ended by an update before its deadline.
    assert environment["UpdatePolicy"]["JobExecutionTimeoutMinutes"] * 60 >= plan.deadline_s


def test_instances_are_encrypted_and_have_room_and_time_for_a_checkpoint(
    template: Template, plan: BatchJobPlan
) -> None:
    data = properties(template, "AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
    (disk,) = data["BlockDeviceMappings"]
    assert disk["Ebs"]["Encrypted"]
    assert disk["Ebs"]["VolumeSize"] == plan.volume_size_gib
    assert data["MetadataOptions"] == {"HttpTokens": "required", "HttpPutResponseHopLimit": 1}
    assert "ECS_CONTAINER_STOP_TIMEOUT=2m" in data["UserData"]["Fn::Base64"]


def test_a_script_that_reaches_the_role_of_its_instance_reads_nothing_with_it(template: Template) -> None:
    role = properties(template, "AWS::IAM::ManagedPolicy", "InstanceRole")
    assert all(action.startswith("ecs:") for action in actions(role))
    assert not any("*" in action or "RunTask" in action for action in actions(role))
    for statement in role["PolicyDocument"]["Statement"]:
        named = "AWSBatch*" in json.dumps(statement["Resource"])
        assert named or statement["Action"] == ["ecs:DiscoverPollEndpoint"]


def test_only_checkpoints_can_be_deleted(template: Template) -> None:
    role = properties(template, "AWS::IAM::ManagedPolicy", "JobJobRole")
    (deleting,) = (
        statement
        for statement in role["PolicyDocument"]["Statement"]
        if "s3:DeleteObject" in statement["Action"]
    )
    assert json.dumps(deleting["Resource"]).count("CheckpointBucket") == 1
    assert "ArtifactBucket" not in json.dumps(deleting["Resource"])


def test_a_job_definition_is_no_longer_than_batch_takes(template: Template) -> None:
    definition = properties(template, "AWS::Batch::JobDefinition")
    assert len(json.dumps(definition).encode()) < 24 * 1024


def test_only_lost_hosts_are_tried_again(template: Template) -> None:
    retries = properties(template, "AWS::Batch::JobDefinition")["RetryStrategy"]["EvaluateOnExit"]
    # The first that matches decides, there are five at most, and what matches nothing is tried again, too.
    assert retries == [
        {"Action": "RETRY", "OnStatusReason": "Host EC2*"},
        {"Action": "EXIT", "OnReason": "OutOfMemoryError*"},
        {"Action": "RETRY", "OnExitCode": "143"},
        {"Action": "RETRY", "OnExitCode": "137"},
        {"Action": "EXIT", "OnStatusReason": "*"},
    ]


#: As inference images of AWS have it, without the wait at its end: https://github.com/aws/sagemaker-pytorch-inference-toolkit.
SPLITS = "import shlex, subprocess, sys; sys.exit(subprocess.call(shlex.split(' '.join(sys.argv[1:]))))"


@pytest.mark.parametrize(
    "entry_point",
    [[], ["bash", "-c", 'eval "$@"', "entry-point"], ["python3", "-c", SPLITS]],
    ids=["none", "eval", "splits"],
)
def test_the_program_starts_behind_either_entry_point(template: Template, entry_point: list[str]) -> None:
    command = properties(template, "AWS::Batch::JobDefinition")["ContainerProperties"]["Command"]
    program = "import os, sys; sys.exit(7 if 'SIZEWELL_PROGRAM' not in os.environ else 1)"
    ran = subprocess.run([*entry_point, *command], env={"SIZEWELL_PROGRAM": program, "PATH": "/usr/bin:/bin"})
    assert ran.returncode == 7

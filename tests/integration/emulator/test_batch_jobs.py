"""Jobs of AWS Batch: stacks make, change and delete what they need, AWS's refusals hold, and state machines are executed.

Those are the ladder of a training, and the array of a batch transform.
"""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from constructs_lib.jobs.batch_jobs import TRAINING_BY_BATCH
from constructs_lib.jobs.batch_training import batch_training_definition
from constructs_lib.jobs.job_state_machine_definition import TIMEOUT_PLACEHOLDER
from constructs_lib.jobs.transform_by_batch import transform_by_batch_definition
from tests.constructs_lib.jobs.test_batch_training import PROPS
from tests.constructs_lib.jobs.test_transform_by_batch import PROPS as TRANSFORM_PROPS
from tests.integration.emulator.lab import ROLE_OF_NOBODY, Json, Lab
from tests.integration.harness import Admin
from tests.integration.readers import READERS
from tests.integration.readers.compare import comparable, differences
from tests.integration.readers.reading import read
from tests.localcloud.processes import until

pytestmark = pytest.mark.usefixtures("admin")

NAME = PROPS.job.job_name
TRAINING_INPUT = {"hyperparameters": {"epochs": "5"}}
#: What an update does, no description says.
UNSHOWN = ("ReplaceComputeEnvironment", "ResourceRetentionPolicy")


def role(service: str) -> Json:
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    return {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": document}}


def environment(lab: Lab, kind: str, strategy: str) -> Json:
    resources = {
        "Type": kind,
        "AllocationStrategy": strategy,
        "InstanceTypes": ["g5.xlarge", "g6.xlarge"],
        "MinvCpus": 0,
        "MaxvCpus": 8,
        "Ec2Configuration": [{"ImageType": "ECS_AL2023_NVIDIA"}],
        "InstanceRole": {"Fn::GetAtt": ["Profile", "Arn"]},
        "SecurityGroupIds": [lab.group],
        "Subnets": [lab.subnet],
        "Tags": {"workload": "mail"},
    }
    properties = {
        "Type": "MANAGED",
        "State": "ENABLED",
        "ReplaceComputeEnvironment": False,
        "UpdatePolicy": {"TerminateJobsOnUpdate": False, "JobExecutionTimeoutMinutes": 240},
        "ComputeResources": resources,
    }
    return {"Type": "AWS::Batch::ComputeEnvironment", "Properties": properties}


def queue(environment_id: str, wait_s: int) -> Json:
    action = {"State": "RUNNABLE", "Action": "CANCEL", "MaxTimeSeconds": wait_s}
    properties = {
        "Priority": 1,
        "ComputeEnvironmentOrder": [{"ComputeEnvironment": {"Ref": environment_id}, "Order": 1}],
        "JobStateTimeLimitActions": [{**action, "Reason": "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY"}],
    }
    return {"Type": "AWS::Batch::JobQueue", "Properties": properties}


def resources(lab: Lab, name: str = NAME) -> Json:
    container = {
        "Image": PROPS.job.image_uri,
        "Command": ["python3", "-c", "pass"],
        "Environment": [{"Name": "HARDWARE", "Value": "cuda"}],
        "JobRoleArn": {"Fn::GetAtt": ["Tasks", "Arn"]},
        "ResourceRequirements": [{"Type": "VCPU", "Value": "4"}, {"Type": "MEMORY", "Value": "14000"}],
        "LinuxParameters": {"SharedMemorySize": 7000},
        "LogConfiguration": {"LogDriver": "awslogs", "Options": {"awslogs-group": "g"}},
    }
    again = [
        {"Action": "RETRY", "OnStatusReason": "Host EC2*"},
        {"Action": "EXIT", "OnReason": "OutOfMemoryError*"},
        {"Action": "RETRY", "OnExitCode": "143"},
        {"Action": "RETRY", "OnExitCode": "137"},
        {"Action": "EXIT", "OnStatusReason": "*"},
    ]
    definition = {
        "JobDefinitionName": name,
        "Type": "container",
        "PlatformCapabilities": ["EC2"],
        "ResourceRetentionPolicy": {"SkipDeregisterOnUpdate": True},
        "RetryStrategy": {"Attempts": 10, "EvaluateOnExit": again},
        "ContainerProperties": container,
        "Tags": {"workload": "mail"},
    }
    return {
        "Instances": role("ec2.amazonaws.com"),
        "Tasks": role("ecs-tasks.amazonaws.com"),
        "Profile": {"Type": "AWS::IAM::InstanceProfile", "Properties": {"Roles": [{"Ref": "Instances"}]}},
        "Spot": environment(lab, "SPOT", "SPOT_PRICE_CAPACITY_OPTIMIZED"),
        "OnDemand": environment(lab, "EC2", "BEST_FIT_PROGRESSIVE_ORDERED"),
        "SpotQueue": queue("Spot", 600),
        "OnDemandQueue": queue("OnDemand", 14_400),
        "Definition": {"Type": "AWS::Batch::JobDefinition", "Properties": definition},
    }


@pytest.fixture(scope="module")
def ids(lab: Lab) -> dict[str, str]:
    """The physical ids of a stack that all executions share."""
    status, reasons = lab.stack("create", "mail", resources(lab))
    assert status == "CREATE_COMPLETE", reasons
    return lab.physical_ids("mail")


def run(lab: Lab, ids: dict[str, str], name: str) -> tuple[Json, list[Json]]:
    """Return how an execution of a training ended, and the jobs that it started, in their order."""
    definition = batch_training_definition(PROPS, partition="aws")
    return executed(lab, ids, name, json.dumps(definition).replace(NAME, name), TRAINING_INPUT)


def transformed(lab: Lab, ids: dict[str, str], name: str) -> tuple[Json, list[Json]]:
    """Return the same of a batch transform."""
    definition = transform_by_batch_definition(TRANSFORM_PROPS, partition="aws")
    text = json.dumps(definition).replace(TRANSFORM_PROPS.job.job_name, name)
    return executed(lab, ids, name, text, {})


def executed(lab: Lab, ids: dict[str, str], name: str, text: str, given: Json) -> tuple[Json, list[Json]]:
    for placeholder, value in (
        ("JobDefinitionArn", ids["Definition"]),
        ("OutputUri", "s3://artifacts/output/mail/"),
        ("SpotQueueArn", ids["SpotQueue"]),
        ("OnDemandQueueArn", ids["OnDemandQueue"]),
        (TIMEOUT_PLACEHOLDER, TRAINING_BY_BATCH.task_timeout),
    ):
        text = text.replace(f"${{{placeholder}}}", value)
    states = lab("stepfunctions")
    machine = states.create_state_machine(name=name, definition=text, roleArn=lab.role_of_lambda)
    arn = states.start_execution(stateMachineArn=machine["stateMachineArn"], input=json.dumps(given))[
        "executionArn"
    ]
    execution: Json = until(
        lambda: states.describe_execution(executionArn=arn), lambda found: bool(found["status"] != "RUNNING")
    )
    batch: Any = lab("batch")
    found = [
        job["jobId"]
        for one in (ids["SpotQueue"], ids["OnDemandQueue"])
        for job in batch.list_jobs(jobQueue=one, filters=[{"name": "JOB_NAME", "values": [f"{name}-*"]}])[
            "jobSummaryList"
        ]
    ]
    return execution, batch.describe_jobs(jobs=found)["jobs"] if found else []


def test_resources_are_read_back_as_they_were_declared(lab: Lab, ids: dict[str, str]) -> None:
    declared = resources(lab)
    for name in ("Spot", "OnDemand", "SpotQueue", "OnDemandQueue", "Definition"):
        resource_type = declared[name]["Type"]
        answer = lab("cloudcontrol").get_resource(TypeName=resource_type, Identifier=ids[name])
        resolved = json.loads(answer["ResourceDescription"]["Properties"])
        properties = {key: resolved[key] for key in declared[name]["Properties"] if key not in UNSHOWN}
        shown = read(READERS[resource_type], lab, ids[name], properties)
        assert list(differences(comparable(properties), comparable(shown))) == [], name


def test_a_run_succeeds_on_spot(lab: Lab, ids: dict[str, str]) -> None:
    execution, (job,) = run(lab, ids, "mail-ok")
    assert (execution["status"], job["status"], job["jobQueue"]) == (
        "SUCCEEDED",
        "SUCCEEDED",
        ids["SpotQueue"],
    )
    variables = {each["name"]: each["value"] for each in job["container"]["environment"]}
    name = execution["executionArn"].rpartition(":")[2]
    assert variables["RUN_NAME"] == name
    assert json.loads(variables["HYPERPARAMETERS"]) == {"epochs": "5"}
    assert variables["HARDWARE"] == "cuda"
    output = json.loads(execution["output"])
    assert output["ModelArtifacts"] == f"s3://artifacts/output/mail/{name}/output/model.tar.gz"
    # Ten minutes at half a dollar an hour.
    assert (output["TrainingTimeInSeconds"], output["UsdOfInstances"]) == (600, 0.08)


def test_a_job_goes_on_when_its_host_is_lost(lab: Lab, ids: dict[str, str], admin: Admin) -> None:
    admin.script("batch", "mail-lost-", "interrupted")
    execution, (job,) = run(lab, ids, "mail-lost")
    assert execution["status"] == "SUCCEEDED"
    exits = [attempt["container"].get("exitCode") for attempt in job["attempts"]]
    assert exits == [None, 143, 0]
    output = json.loads(execution["output"])
    assert (output["Interruptions"], output["TrainingTimeInSeconds"]) == (2, 1800)


@pytest.mark.parametrize("outcome", ["capacity", "hosts_lost"])
def test_without_spot_it_goes_on_on_demand(lab: Lab, ids: dict[str, str], admin: Admin, outcome: str) -> None:
    name = f"mail-{outcome.replace('_', '-')}"
    admin.script("batch", f"{name}-", outcome)
    execution, jobs = run(lab, ids, name)
    assert execution["status"] == "SUCCEEDED"
    assert [(job["jobQueue"], job["status"]) for job in jobs] == [
        (ids["SpotQueue"], "FAILED"),
        (ids["OnDemandQueue"], "SUCCEEDED"),
    ]
    output = json.loads(execution["output"])
    assert output["ManagedSpot"] is False
    spot_s = 6000 if outcome == "hosts_lost" else 0
    assert output["TrainingTimeInSeconds"] == spot_s + 600
    assert output["UsdOfInstances"] == pytest.approx(spot_s / 3600 * 0.5 + 600 / 3600 * 2, abs=0.01)


def test_a_script_that_fails_is_not_run_again(lab: Lab, ids: dict[str, str], admin: Admin) -> None:
    admin.script("batch", "mail-bad-", "failed")
    execution, (job,) = run(lab, ids, "mail-bad")
    assert (execution["status"], execution["error"]) == ("FAILED", "TrainingFailed")
    told = json.loads(execution["cause"])
    assert told["Error"] == "TrainingJobFailed"
    assert told["Cause"].startswith("Essential container in task exited; exit code 1; log stream ")
    assert len(job["attempts"]) == 1


@pytest.mark.parametrize("outcomes", [("hang", "hang"), ("capacity", "hang"), ("capacity", "capacity")])
def test_a_job_that_has_not_ended_at_its_deadline_is_stopped(
    lab: Lab, ids: dict[str, str], admin: Admin, outcomes: tuple[str, str]
) -> None:
    name = f"mail-late-{'-'.join(outcomes)}"
    for outcome in outcomes:
        admin.script("batch", f"{name}-", outcome)
    execution, jobs = run(lab, ids, name)
    told = json.loads(execution["cause"])
    assert told["Error"] == "DeadlineExceeded"
    assert [job["status"] for job in jobs] == ["FAILED", "FAILED"]
    assert told["TrainingJobName"] == jobs[-1]["jobName"]


def test_a_request_whose_answer_is_lost_leaves_no_second_job(
    lab: Lab, ids: dict[str, str], admin: Admin
) -> None:
    admin.script("batch", "mail-once-", "hang")
    admin.fault("batch", "SubmitJob", "after", "error")
    execution, jobs = run(lab, ids, "mail-once")
    assert execution["status"] == "SUCCEEDED"
    # The first one was found and stopped, then the attempt was made anew.
    assert sorted(job["status"] for job in jobs) == ["FAILED", "SUCCEEDED"]
    assert {job["jobQueue"] for job in jobs} == {ids["SpotQueue"]}


def test_the_jobs_of_an_array_end_as_one(lab: Lab, ids: dict[str, str], admin: Admin) -> None:
    admin.script("batch", "score-ok-", "interrupted")
    execution, (job,) = transformed(lab, ids, "score-ok")
    assert (execution["status"], job["status"]) == ("SUCCEEDED", "SUCCEEDED")
    assert job["arrayProperties"]["size"] == TRANSFORM_PROPS.instance_count
    children = [f"{job['jobId']}:{index}" for index in range(TRANSFORM_PROPS.instance_count)]
    found = lab("batch").describe_jobs(jobs=children)["jobs"]
    assert [child["status"] for child in found] == ["SUCCEEDED"] * TRANSFORM_PROPS.instance_count
    # The host of the first one was lost, which Batch tries again.
    assert [len(child["attempts"]) for child in found] == [3, 1, 1]
    output = json.loads(execution["output"])
    name = execution["executionArn"].rpartition(":")[2]
    assert output["S3OutputPath"] == f"s3://artifacts/output/mail/{name}/"
    assert output["UsdOfInstances"] == "unknown"


def test_an_array_fails_with_one_of_its_jobs(lab: Lab, ids: dict[str, str], admin: Admin) -> None:
    admin.script("batch", "score-bad-", "failed")
    execution, (job,) = transformed(lab, ids, "score-bad")
    assert (execution["status"], execution["error"]) == ("FAILED", "TransformFailed")
    assert json.loads(execution["cause"])["TransformJobName"] == job["jobName"]


@pytest.mark.parametrize("outcome", ["hang", "capacity"])
def test_an_array_that_has_not_ended_at_its_deadline_is_stopped(
    lab: Lab, ids: dict[str, str], admin: Admin, outcome: str
) -> None:
    admin.script("batch", f"score-late-{outcome}-", outcome)
    execution, (job,) = transformed(lab, ids, f"score-late-{outcome}")
    assert json.loads(execution["cause"])["Error"] == "DeadlineExceeded"
    assert job["status"] == "FAILED"


def test_an_array_of_one_is_refused(lab: Lab, ids: dict[str, str]) -> None:
    batch: Any = lab("batch")
    with pytest.raises(batch.exceptions.ClientException, match="2 to 10000"):
        batch.submit_job(
            jobName="alone",
            jobQueue=ids["OnDemandQueue"],
            jobDefinition=ids["Definition"],
            arrayProperties={"size": 1},
        )


def test_an_update_is_a_new_revision_and_leaves_the_old_one_to_who_runs_it(lab: Lab) -> None:
    made = resources(lab, "demo-updated")
    assert lab.stack("create", "updated", made)[0] == "CREATE_COMPLETE"
    old = lab.physical_ids("updated")["Definition"]
    changed = copy.deepcopy(made)
    changed["Definition"]["Properties"]["ContainerProperties"]["Command"] = ["true"]
    changed["Spot"]["Properties"]["ComputeResources"]["InstanceTypes"] = ["g6.xlarge"]
    before = lab.physical_ids("updated")["Spot"]
    assert lab.stack("update", "updated", changed)[0] == "UPDATE_COMPLETE"
    ids = lab.physical_ids("updated")
    assert ids["Definition"] == f"{old.rpartition(':')[0]}:2"
    (revision,) = lab("batch").describe_job_definitions(jobDefinitions=[old])["jobDefinitions"]
    assert revision["status"] == "ACTIVE"
    (found,) = lab("batch").describe_compute_environments(computeEnvironments=[before])["computeEnvironments"]
    assert found["computeResources"]["instanceTypes"] == ["g6.xlarge"]
    assert lab.stack("delete", "updated", {})[0] == "DELETE_COMPLETE"
    assert lab("batch").describe_job_queues(jobQueues=[ids["SpotQueue"]])["jobQueues"] == []


def _change(logical_id: str, *path: str, to: Any) -> Callable[[Json], None]:
    def change(made: Json) -> None:
        inside = made[logical_id]["Properties"]
        for key in path[:-1]:
            inside = inside[key]
        inside[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            _change("Spot", "ComputeResources", "AllocationStrategy", to="BEST_FIT_PROGRESSIVE_ORDERED"),
            "does not go",
        ),
        (_change("Spot", "ComputeResources", "MinvCpus", to=9), "minvCpus"),
        (_change("Spot", "ComputeResources", "Subnets", to=["subnet-0"]), "subnet-0"),
        (_change("Definition", "ContainerProperties", "JobRoleArn", to=ROLE_OF_NOBODY), "cannot be assumed"),
        (_change("Definition", "ContainerProperties", "Command", to=["x" * 24 * 1024]), "24576 bytes"),
        (
            _change(
                "Definition", "ContainerProperties", "Environment", to=[{"Name": "AWS_BATCH_X", "Value": "1"}]
            ),
            "reserved",
        ),
    ],
)
def test_what_aws_refuses_is_refused(lab: Lab, change: Callable[[Json], None], words: str) -> None:
    made = resources(lab, lab.name("refused"))
    change(made)
    status, reasons = lab.stack("create", lab.name("refused"), made)
    assert status == "ROLLBACK_COMPLETE"
    assert words in reasons

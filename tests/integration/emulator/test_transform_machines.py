"""The state machine of a batch transform, executed: success, failure, no capacity, a missed deadline."""

import json
from typing import Any

import pytest

from constructs_lib.jobs.batch_transform import transform_state_machine_definition
from constructs_lib.jobs.job_kind import TRANSFORM
from constructs_lib.jobs.job_state_machine_definition import TIMEOUT_PLACEHOLDER
from constructs_lib.jobs.transform_job import TransformAttempt, TransformInput, TransformJobProps
from tests.integration.emulator.lab import LARGE, SMALL, Json, Lab
from tests.integration.harness import Admin
from tests.localcloud.processes import until

pytestmark = pytest.mark.usefixtures("admin")


DEADLINE_PASSED = (
    "The last job had not ended when its deadline passed, and was stopped, or too little time was left before the deadline to "
    "start another"
)


def run(lab: Lab, prefix: str) -> tuple[Json, list[Json]]:
    """Return how an execution of a machine with two attempts ended, and the jobs that it started, in their order."""
    props = TransformJobProps(
        job_name_prefix=prefix,
        attempts=(
            TransformAttempt(instance_type=SMALL, max_concurrent_transforms=2),
            TransformAttempt(instance_type=LARGE, instance_count=2),
        ),
        data=TransformInput(key_prefix="rows/in", content_type="text/csv"),
        output_key_prefix="rows/out",
        deadline_s=3600,
        join_input=True,
        input_filter="$[1:]",
        job_tags={"workload": "scores"},
    )
    text = json.dumps(transform_state_machine_definition(props, partition="aws"))
    for name, value in (
        ("ModelName", lab.model()),
        ("DataKeyArn", lab.key),
        ("ArtifactBucketName", lab.bucket),
        (TIMEOUT_PLACEHOLDER, TRANSFORM.task_timeout),
    ):
        text = text.replace(f"${{{name}}}", value)
    states = lab("stepfunctions")
    machine = states.create_state_machine(name=prefix, definition=text, roleArn=lab.role_of_lambda)
    arn = states.start_execution(stateMachineArn=machine["stateMachineArn"], input="{}")["executionArn"]
    execution: Json = until(
        lambda: states.describe_execution(executionArn=arn), lambda found: bool(found["status"] != "RUNNING")
    )
    sagemaker: Any = lab("sagemaker")
    listed = sagemaker.list_transform_jobs(NameContains=prefix, SortBy="CreationTime", SortOrder="Ascending")
    names = [job["TransformJobName"] for job in listed["TransformJobSummaries"]]
    return execution, [sagemaker.describe_transform_job(TransformJobName=name) for name in names]


def test_a_run_succeeds_on_the_first_type(lab: Lab) -> None:
    execution, (job,) = run(lab, "scores-ok")
    assert (execution["status"], job["TransformJobStatus"]) == ("SUCCEEDED", "Completed")
    name = execution["executionArn"].rpartition(":")[2]
    assert job["TransformOutput"]["S3OutputPath"] == f"s3://{lab.bucket}/rows/out/{name}/"
    assert job["DataProcessing"] == {"InputFilter": "$[1:]", "JoinSource": "Input"}
    assert (job["BatchStrategy"], job["MaxConcurrentTransforms"]) == ("MultiRecord", 2)
    assert "TransformEndTime" in job
    output = json.loads(execution["output"])
    assert (output["TransformJobName"], output["UsdOfInstances"]) == (job["TransformJobName"], 0)


def test_without_capacity_the_next_type_is_tried(lab: Lab, admin: Admin) -> None:
    admin.script("transform", "scores-full", "capacity")
    execution, jobs = run(lab, "scores-full")
    assert execution["status"] == "SUCCEEDED"
    tried = [job["TransformResources"] for job in jobs]
    assert [(one["InstanceType"], one["InstanceCount"]) for one in tried] == [(SMALL, 1), (LARGE, 2)]


def test_a_quota_of_zero_tries_the_next_type(lab: Lab, admin: Admin) -> None:
    admin.script("transform", "scores-quota", "quota")
    execution, (job,) = run(lab, "scores-quota")
    assert (execution["status"], job["TransformResources"]["InstanceType"]) == ("SUCCEEDED", LARGE)


@pytest.mark.parametrize(
    ("outcome", "reason", "error", "cause"),
    [
        ("failed", "ClientError: See job logs", "TransformJobFailed", "ClientError: See job logs"),
        ("stopped", "", "TransformJobStopped", "Stopped"),
        ("hang", "", "DeadlineExceeded", DEADLINE_PASSED),
    ],
)
def test_what_went_wrong_is_the_cause(
    lab: Lab, admin: Admin, outcome: str, reason: str, error: str, cause: str
) -> None:
    prefix = f"scores-{outcome}"
    admin.script("transform", prefix, outcome, reason)
    execution, (job,) = run(lab, prefix)
    assert (execution["status"], execution["error"]) == ("FAILED", "TransformFailed")
    told = json.loads(execution["cause"])
    assert (told["Error"], told["Cause"]) == (error, cause)
    assert told["TransformJobName"] == job["TransformJobName"]


def test_every_type_without_capacity_is_named(lab: Lab, admin: Admin) -> None:
    for _ in range(2):
        admin.script("transform", "scores-none", "capacity")
    execution, jobs = run(lab, "scores-none")
    assert len(jobs) == 2
    assert json.loads(execution["cause"]) == {
        "Error": "CapacityExhausted",
        "Cause": f"No capacity in time or no quota for any instance type tried: {SMALL}, {LARGE}",
        "TransformTimeInSeconds": 0,
        "UsdOfInstances": 0,
    }


@pytest.mark.parametrize(("refused", "error"), [(1, "DeadlineExceeded"), (60, "JobNotStopped")])
def test_a_job_that_cannot_be_stopped_at_once_is_stopped_again_for_half_an_hour(
    lab: Lab, admin: Admin, refused: int, error: str
) -> None:
    prefix = f"scores-stuck{refused}"
    admin.script("transform", prefix, "hang")
    for _ in range(refused):
        admin.fault("sagemaker", "StopTransformJob", "before", "error")
    execution, (job,) = run(lab, prefix)
    told = json.loads(execution["cause"])
    assert (told["Error"], told["TransformJobName"]) == (error, job["TransformJobName"])
    assert job["TransformJobStatus"] == ("InProgress" if error == "JobNotStopped" else "Stopped")
    if error == "JobNotStopped":
        lab("sagemaker").stop_transform_job(TransformJobName=job["TransformJobName"])

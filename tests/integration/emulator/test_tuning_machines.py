"""The state machine of a tuning job, executed: success, failure, a missed deadline, an abort."""

import json
from typing import Any

import pytest

from constructs_lib.jobs.job_kind import TUNING
from constructs_lib.jobs.job_state_machine_definition import TIMEOUT_PLACEHOLDER
from constructs_lib.jobs.training_job_request import TrainingJobResources
from constructs_lib.jobs.tuning_workflow import tuning_state_machine_definition
from tests.constructs_lib.jobs.test_tuning import SEARCH, job
from tests.integration.emulator.lab import Json, Lab
from tests.integration.emulator.test_transform_machines import DEADLINE_PASSED
from tests.integration.harness import Admin
from tests.localcloud.processes import until

pytestmark = pytest.mark.usefixtures("admin")


def start(lab: Lab, prefix: str) -> str:
    """Start an execution of a machine that tunes on two types, and return its ARN."""
    resources = TrainingJobResources(
        training_role_arn=lab.role,
        subnet_ids=[lab.subnet],
        training_security_group_id=lab.group,
        data_key_arn=lab.key,
        artifact_bucket_name=lab.bucket,
        checkpoint_bucket_name=lab.bucket,
        mlflow_arn="",
    )
    definition = tuning_state_machine_definition(
        job(job_name_prefix=prefix), SEARCH, resources=resources, partition="aws"
    )
    states = lab("stepfunctions")
    text = json.dumps(definition).replace(f"${{{TIMEOUT_PLACEHOLDER}}}", TUNING.task_timeout)
    machine = states.create_state_machine(name=prefix, definition=text, roleArn=lab.role_of_lambda)
    arn: str = states.start_execution(stateMachineArn=machine["stateMachineArn"], input="{}")["executionArn"]
    return arn


def ended(lab: Lab, arn: str) -> Json:
    describe: Any = lab("stepfunctions").describe_execution
    found: Json = until(lambda: describe(executionArn=arn), lambda one: bool(one["status"] != "RUNNING"))
    return found


def tuning(lab: Lab, prefix: str) -> Json:
    api: Any = lab("sagemaker")
    (listed,) = api.list_hyper_parameter_tuning_jobs(NameContains=prefix)["HyperParameterTuningJobSummaries"]
    name = listed["HyperParameterTuningJobName"]
    found: Json = api.describe_hyper_parameter_tuning_job(HyperParameterTuningJobName=name)
    return found


def test_a_run_succeeds_with_one_job_for_all_types(lab: Lab) -> None:
    execution = ended(lab, start(lab, "tune-ok"))
    made = tuning(lab, "tune-ok")
    assert (execution["status"], made["HyperParameterTuningJobStatus"]) == ("SUCCEEDED", "Completed")
    assert json.loads(execution["output"])["UsdOfInstancesAtMost"] == 0
    assert len(made["HyperParameterTuningJobName"]) == len("tune-ok-") + 8
    name = execution["executionArn"].rpartition(":")[2]
    saved = made["TrainingJobDefinition"]["CheckpointConfig"]["S3Uri"]
    assert saved == f"s3://{lab.bucket}/weekly/{name}/cuda/"


@pytest.mark.parametrize(
    ("outcome", "error", "cause", "status"),
    [
        ("failed", "HyperParameterTuningJobFailed", "All training jobs failed.", "Failed"),
        ("stopped", "HyperParameterTuningJobStopped", "Stopped", "Stopped"),
        ("hang", "DeadlineExceeded", DEADLINE_PASSED, "Stopped"),
    ],
)
def test_what_went_wrong_is_the_cause(
    lab: Lab, admin: Admin, outcome: str, error: str, cause: str, status: str
) -> None:
    prefix = f"tune-{outcome}"
    admin.script("tuning", prefix, outcome, "All training jobs failed." if outcome == "failed" else "")
    execution = ended(lab, start(lab, prefix))
    assert (execution["status"], execution["error"]) == ("FAILED", "HyperParameterTuningFailed")
    told = json.loads(execution["cause"])
    assert (told["Error"], told["Cause"]) == (error, cause)
    until(lambda: tuning(lab, prefix), lambda one: one["HyperParameterTuningJobStatus"] == status)


def test_an_abort_stops_the_tuning(lab: Lab, admin: Admin) -> None:
    admin.script("tuning", "tune-abort", "hang")
    with admin.held("run tune-abort-") as held:
        arn = start(lab, "tune-abort")
        held.until_pause()
        lab("stepfunctions").stop_execution(executionArn=arn)
    until(lambda: tuning(lab, "tune-abort"), lambda one: one["HyperParameterTuningJobStatus"] == "Stopped")
    assert ended(lab, arn)["status"] == "ABORTED"

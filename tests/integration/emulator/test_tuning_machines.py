"""The state machine of a tuning job, executed: success, failure, a missed deadline, an abort."""

import json
from typing import Any

import pytest

from constructs_lib.training_job import TrainingAttempt, TrainingCheckpoint, TrainingCode, TrainingJobProps
from constructs_lib.training_job_request import TrainingJobResources
from constructs_lib.tuning_search import CategoricalRange, IntervalRange, TuningObjective, TuningSearch
from constructs_lib.tuning_state_machine import tuning_state_machine_definition
from tests.integration.emulator.lab import LARGE, SMALL, Json, Lab
from tests.integration.harness import Admin
from tests.localcloud.processes import until

pytestmark = pytest.mark.usefixtures("admin")


def start(lab: Lab, prefix: str) -> str:
    """Start an execution of a machine that tunes on two types, and return its ARN."""
    job = TrainingJobProps(
        job_name_prefix=prefix,
        image_uri="763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch:2.14",
        attempts=tuple(TrainingAttempt(instance_type=one, use_managed_spot=True) for one in (SMALL, LARGE)),
        output_key_prefix="output/tune",
        max_runtime_s=3600,
        max_wait_s=7200,
        code=TrainingCode(key_prefix="code/tune", command=("python", "train.py")),
        checkpoint=TrainingCheckpoint(key_prefix="tune", interval_minutes=10),
        hyperparameters={"momentum": "0.9"},
        job_tags={"workload": "tune"},
    )
    search = TuningSearch(
        strategy="Bayesian",
        objective=TuningObjective(metric_name="val_loss", goal="Minimize", regex="val_loss=([0-9.]+)"),
        ranges=(
            IntervalRange(name="rate", kind="Continuous", min_value="0.001", max_value="0.1"),
            CategoricalRange(name="shape", values=("wide", "deep")),
        ),
        max_jobs=6,
        max_parallel_jobs=2,
        max_runtime_s=36_000,
    )
    resources = TrainingJobResources(
        training_role_arn=lab.role,
        subnet_ids=[lab.subnet],
        first_subnet_id=lab.subnet,
        training_security_group_id=lab.group,
        data_key_arn=lab.key,
        artifact_bucket_name=lab.bucket,
        checkpoint_bucket_name=lab.bucket,
    )
    definition = tuning_state_machine_definition(job, search, resources=resources, partition="aws")
    states = lab("stepfunctions")
    machine = states.create_state_machine(
        name=prefix, definition=json.dumps(definition), roleArn=lab.role_of_lambda
    )
    arn: str = states.start_execution(stateMachineArn=machine["stateMachineArn"], input="{}")["executionArn"]
    return arn


def ended(lab: Lab, arn: str) -> Json:
    states = lab("stepfunctions")
    found: Json = until(
        lambda: states.describe_execution(executionArn=arn), lambda one: bool(one["status"] != "RUNNING")
    )
    return found


def job_of(lab: Lab, prefix: str) -> Json:
    sagemaker: Any = lab("sagemaker")
    (job,) = sagemaker.list_hyper_parameter_tuning_jobs(NameContains=prefix)[
        "HyperParameterTuningJobSummaries"
    ]
    found: Json = sagemaker.describe_hyper_parameter_tuning_job(
        HyperParameterTuningJobName=job["HyperParameterTuningJobName"]
    )
    return found


def test_a_run_succeeds_with_one_job_that_knows_all_types(lab: Lab) -> None:
    execution = ended(lab, start(lab, "tune-ok"))
    job = job_of(lab, "tune-ok")
    assert (execution["status"], job["HyperParameterTuningJobStatus"]) == ("SUCCEEDED", "Completed")
    assert len(job["HyperParameterTuningJobName"]) == len("tune-ok-") + 8
    training = job["TrainingJobDefinition"]
    resources = training["HyperParameterTuningResourceConfig"]
    assert [one["InstanceType"] for one in resources["InstanceConfigs"]] == [SMALL, LARGE]
    assert training["StaticHyperParameters"]["sagemaker_program"] == "train.py"
    name = execution["executionArn"].rpartition(":")[2]
    assert training["CheckpointConfig"]["S3Uri"] == f"s3://{lab.bucket}/tune/{name}/"


@pytest.mark.parametrize(
    ("outcome", "reason", "error", "cause"),
    [
        ("failed", "All training jobs failed.", "HyperParameterTuningJobFailed", "All training jobs failed."),
        ("stopped", "", "HyperParameterTuningJobStopped", "Stopped"),
        ("hang", "", "DeadlineExceeded", "The job was stopped: it had not ended when its deadline passed"),
    ],
)
def test_what_went_wrong_is_the_cause(
    lab: Lab, admin: Admin, outcome: str, reason: str, error: str, cause: str
) -> None:
    prefix = f"tune-{outcome}"
    admin.script("tuning", prefix, outcome, reason)
    execution = ended(lab, start(lab, prefix))
    assert (execution["status"], execution["error"]) == ("FAILED", "HyperParameterTuningFailed")
    told = json.loads(execution["cause"])
    job = job_of(lab, prefix)
    assert told == {
        "Error": error,
        "Cause": cause,
        "HyperParameterTuningJobName": job["HyperParameterTuningJobName"],
    }
    assert job["HyperParameterTuningJobStatus"] == ("Failed" if outcome == "failed" else "Stopped")


def test_an_abort_stops_the_tuning(lab: Lab, admin: Admin) -> None:
    admin.script("tuning", "tune-abort", "hang")
    with admin.held("run tune-abort-") as job:
        arn = start(lab, "tune-abort")
        job.until_pause()
        lab("stepfunctions").stop_execution(executionArn=arn)
        until(
            lambda: job_of(lab, "tune-abort"),
            lambda one: one["HyperParameterTuningJobStatus"] == "Stopping",
        )
    assert ended(lab, arn)["status"] == "ABORTED"
    until(lambda: job_of(lab, "tune-abort"), lambda one: one["HyperParameterTuningJobStatus"] == "Stopped")

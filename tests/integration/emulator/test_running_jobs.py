"""Training jobs that really run, as far as the reference script does not show it: failure, stop, and the end of the cloud."""

from contextlib import suppress

import pytest
from botocore.exceptions import ClientError

from sizewell_localcloud.cloud import LocalCloud
from tests.integration.emulator.job_requests import training_request
from tests.integration.emulator.lab import Json, Lab
from tests.integration.emulator.test_jobs import ended, run_job
from tests.integration.harness import Admin
from tests.localcloud import processes

#: Leaves its process and a child of it as a checkpoint, and never ends.
NEVER_ENDS = "sleep 86400 & echo $$ $! > $CHECKPOINTS/pids; wait"


def request_of(lab: Lab, script: str) -> Json:
    request = training_request(
        lab,
        CheckpointConfig={"S3Uri": f"s3://{lab.bucket}/{lab.name('checkpoints')}/"},
        Environment={"CHECKPOINTS": "/opt/ml/checkpoints"},
    )
    request["AlgorithmSpecification"]["ContainerEntrypoint"] = ["/bin/bash", "-c", script]
    return request


def start(lab: Lab, request: Json) -> list[int]:
    """Start a job that never ends, and return its processes once it runs."""
    Admin(lab.cloud).script("training", request["TrainingJobName"], "run")
    lab("sagemaker").create_training_job(**request)
    key = request["CheckpointConfig"]["S3Uri"].removeprefix(f"s3://{lab.bucket}/") + "pids"

    def saved() -> str:
        with suppress(ClientError):
            return str(lab("s3").get_object(Bucket=lab.bucket, Key=key)["Body"].read(), "utf-8")
        return ""

    return [int(pid) for pid in processes.until(saved, lambda text: text.endswith("\n")).split()]


NOTHING = {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": "s3://refusals/nothing/"}}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, "AlgorithmError: the loss is not a number, exit code: 3"),
        (
            {"InputDataConfig": [{"ChannelName": "training", "DataSource": NOTHING}]},
            "ClientError: Data download failed: no S3 objects found under s3://refusals/nothing/",
        ),
    ],
)
def test_a_failure_says_why(lab: Lab, admin: Admin, more: Json, reason: str) -> None:
    request = request_of(lab, "echo 'the loss is not a number' > /opt/ml/output/failure; exit 3")
    admin.script("training", request["TrainingJobName"], "run")
    job = run_job(lab, "TrainingJob", request | more)
    assert (job["TrainingJobStatus"], job["FailureReason"]) == ("Failed", reason)


def test_what_is_deleted_in_the_container_is_deleted_in_s3(lab: Lab, admin: Admin) -> None:
    """What lies in S3 is there at the start: https://docs.aws.amazon.com/sagemaker/latest/dg/model-checkpoints.html"""
    request = request_of(lab, "mv $CHECKPOINTS/old $CHECKPOINTS/new; rm $CHECKPOINTS/older")
    prefix = request["CheckpointConfig"]["S3Uri"].removeprefix(f"s3://{lab.bucket}/")
    for name in ("old", "older", "kept"):
        lab("s3").put_object(Bucket=lab.bucket, Key=f"{prefix}{name}", Body=b"1")
    admin.script("training", request["TrainingJobName"], "run")
    assert run_job(lab, "TrainingJob", request)["TrainingJobStatus"] == "Completed"
    found = lab("s3").list_objects_v2(Bucket=lab.bucket, Prefix=prefix)["Contents"]
    assert sorted(one["Key"] for one in found) == [f"{prefix}kept", f"{prefix}new"]


def test_without_an_entry_point_the_script_starts_as_the_training_toolkit_starts_it(
    lab: Lab, admin: Admin
) -> None:
    prefix = f"{lab.name('code')}/"
    script = b'#!/bin/bash\necho "${PWD##*/} $# $*" > "$SAGEMAKER_BASE_DIR/output/failure"; exit 3\n'
    lab("s3").put_object(Bucket=lab.bucket, Key=f"{prefix}launch.sh", Body=script)
    source = {"S3DataType": "S3Prefix", "S3Uri": f"s3://{lab.bucket}/{prefix}"}
    request = training_request(
        lab,
        InputDataConfig=[{"ChannelName": "code", "DataSource": {"S3DataSource": source}}],
        HyperParameters={
            "sagemaker_program": "launch.sh",
            "sagemaker_submit_directory": "/opt/ml/input/data/code",
            "sizewell_method": "full",
            "e": "two words; $HOME",
        },
    )
    admin.script("training", request["TrainingJobName"], "run")
    job = run_job(lab, "TrainingJob", request)
    assert job["FailureReason"] == (
        "AlgorithmError: code 4 -e two words; $HOME --sizewell_method full, exit code: 3"
    )


def test_a_stop_ends_all_processes_of_the_job(lab: Lab, admin: Admin) -> None:
    request = request_of(lab, NEVER_ENDS)
    pids = start(lab, request)
    lab("sagemaker").stop_training_job(TrainingJobName=request["TrainingJobName"])
    assert ended(lab, "TrainingJob", request["TrainingJobName"])["TrainingJobStatus"] == "Stopped"
    assert [processes.ended(pid) for pid in pids] == [True, True]


def test_a_job_does_not_outlive_the_cloud() -> None:
    with LocalCloud() as cloud:
        lab = Lab(cloud)
        pids = start(lab, request_of(lab, NEVER_ENDS))
        lab.close()
    assert [processes.ended(pid) for pid in pids] == [True, True]

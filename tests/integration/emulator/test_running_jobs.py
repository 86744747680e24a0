"""Training jobs that really run, as far as the reference script does not show it: failure, stop, and the end of the cloud."""

from contextlib import suppress

from botocore.exceptions import ClientError

from sizewell.localcloud.cloud import LocalCloud
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


def test_a_failure_is_told_in_the_words_of_the_script(lab: Lab, admin: Admin) -> None:
    request = request_of(lab, "echo 'the loss is not a number' > /opt/ml/output/failure; exit 3")
    admin.script("training", request["TrainingJobName"], "run")
    job = run_job(lab, "TrainingJob", request)
    assert job["TrainingJobStatus"] == "Failed"
    assert job["FailureReason"] == "AlgorithmError: the loss is not a number, exit code: 3"
    assert "ModelArtifacts" not in job


def test_data_that_is_not_there_fails_the_job(lab: Lab, admin: Admin) -> None:
    location = f"s3://{lab.bucket}/nothing/"
    source = {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": location}}
    request = request_of(lab, "true") | {
        "InputDataConfig": [{"ChannelName": "training", "DataSource": source}]
    }
    admin.script("training", request["TrainingJobName"], "run")
    reason = run_job(lab, "TrainingJob", request)["FailureReason"]
    assert reason == f"ClientError: Data download failed: no S3 objects found under {location}"


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

"""Jobs end as ordered, and those that AWS would refuse are refused."""

import json
import time

import pytest

from tests.integration.emulator.job_requests import job_requests, training_request
from tests.integration.emulator.lab import KEY_OF_NOBODY, ROLE_OF_NOBODY, Json, Lab, refusal
from tests.integration.harness import Admin

pytestmark = pytest.mark.usefixtures("admin")


def run_job(lab: Lab, prefix: str, request: Json) -> Json:
    """Start a job, wait for its end, and return its description."""
    call = {operation: getattr(lab("sagemaker"), method) for method, operation in _methods(lab).items()}
    call[f"Create{prefix}"](**request)
    while True:
        job: Json = call[f"Describe{prefix}"](**{f"{prefix}Name": request[f"{prefix}Name"]})
        if job[f"{prefix}Status"] in {"Completed", "Failed", "Stopped"}:
            return job
        time.sleep(0.01)


def _methods(lab: Lab) -> dict[str, str]:
    found: dict[str, str] = lab("sagemaker").meta.method_to_api_mapping
    return found


@pytest.mark.parametrize("kind", ["training", "processing", "transform", "tuning"])
@pytest.mark.parametrize(
    ("outcome", "status", "reason"),
    [
        ("completed", "Completed", None),
        ("failed", "Failed", "AlgorithmError: the loss is not a number"),
        ("capacity", "Failed", "CapacityError: Unable to provision requested ML compute capacity"),
        ("stopped", "Stopped", None),
    ],
)
def test_jobs_end_as_ordered(
    lab: Lab, admin: Admin, kind: str, outcome: str, status: str, reason: str | None
) -> None:
    prefix, request = job_requests(lab)[kind]
    admin.script(kind, request[f"{prefix}Name"], outcome, reason if outcome == "failed" and reason else "")
    job = run_job(lab, prefix, request)
    assert job[f"{prefix}Status"] == status
    assert (job.get("FailureReason") or "").startswith(reason or "")
    assert ("FailureReason" in job) == (reason is not None)


@pytest.mark.parametrize("kind", ["training", "processing", "transform", "tuning"])
def test_a_running_job_is_stopped(lab: Lab, admin: Admin, kind: str) -> None:
    prefix, request = job_requests(lab)[kind]
    name = request[f"{prefix}Name"]
    sagemaker = lab("sagemaker")
    methods = {operation: method for method, operation in _methods(lab).items()}
    admin.script(kind, name, "hang")
    getattr(sagemaker, methods[f"Create{prefix}"])(**request)
    getattr(sagemaker, methods[f"Stop{prefix}"])(**{f"{prefix}Name": name})
    while (job := getattr(sagemaker, methods[f"Describe{prefix}"])(**{f"{prefix}Name": name}))[
        f"{prefix}Status"
    ] == "Stopping":
        time.sleep(0.01)
    assert job[f"{prefix}Status"] == "Stopped"
    said = refusal(getattr(sagemaker, methods[f"Stop{prefix}"]), **{f"{prefix}Name": name})
    assert "status Stopped" in said


def test_a_spot_interruption_and_its_resumption(lab: Lab, admin: Admin) -> None:
    request = training_request(
        lab,
        EnableManagedSpotTraining=True,
        StoppingCondition={"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 7200},
        CheckpointConfig={"S3Uri": f"s3://{lab.bucket}/checkpoints/"},
    )
    admin.script("training", request["TrainingJobName"], "interrupted")
    job = run_job(lab, "TrainingJob", request)
    steps = [step["Status"] for step in job["SecondaryStatusTransitions"]]
    assert steps == [
        *("Starting", "Downloading", "Training", "Interrupted"),
        *("Starting", "Downloading", "Training", "Uploading", "Completed"),
    ]


def test_a_spot_job_that_waits_too_long(lab: Lab, admin: Admin) -> None:
    request = training_request(lab)
    admin.script("training", request["TrainingJobName"], "max_wait")
    job = run_job(lab, "TrainingJob", request)
    assert (job["TrainingJobStatus"], job["SecondaryStatus"]) == ("Stopped", "MaxWaitTimeExceeded")
    assert "TrainingStartTime" not in job


def test_a_quota_refuses_a_job(lab: Lab, admin: Admin) -> None:
    request = training_request(lab)
    admin.script("training", request["TrainingJobName"], "quota")
    said = refusal(lab("sagemaker").create_training_job, **request)
    assert said.startswith("ResourceLimitExceeded: The account-level service limit")


def test_outcomes_are_used_in_their_order_and_once(lab: Lab, admin: Admin) -> None:
    admin.script("training", "in-order", "failed")
    admin.script("training", "in-order", "stopped")
    ends = [
        run_job(lab, "TrainingJob", training_request(lab, TrainingJobName=f"in-order-{n}"))[
            "TrainingJobStatus"
        ]
        for n in range(3)
    ]
    assert ends == ["Failed", "Stopped", "Completed"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"RoleArn": ROLE_OF_NOBODY}, "Could not assume role"),
        (
            {"OutputDataConfig": {"S3OutputPath": "s3://nobodys/out"}},
            "Could not access the S3 bucket nobodys",
        ),
        ({"CheckpointConfig": {"S3Uri": "s3://nobodys/out"}}, "Could not access the S3 bucket nobodys"),
        (
            {"VpcConfig": {"Subnets": ["subnet-0"], "SecurityGroupIds": ["sg-0"]}},
            "subnet ID 'subnet-0' does not exist",
        ),
        (
            {"OutputDataConfig": {"S3OutputPath": "s3://refusals/out", "KmsKeyId": KEY_OF_NOBODY}},
            f"the key {KEY_OF_NOBODY} exists",
        ),
        (
            {"EnableManagedSpotTraining": True},
            "MaxWaitTimeInSeconds must be set when EnableManagedSpotTraining is true",
        ),
        (
            {"StoppingCondition": {"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 7200}},
            "MaxWaitTimeInSeconds can only be set when EnableManagedSpotTraining is true",
        ),
        (
            {
                "EnableManagedSpotTraining": True,
                "StoppingCondition": {"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 1800},
            },
            "greater than or equal to MaxRuntimeInSeconds",
        ),
        (
            {
                "ResourceConfig": {
                    "InstanceType": "ml.g5.xlarge",
                    "InstanceCount": 1,
                    "VolumeSizeInGB": 30,
                    "VolumeKmsKeyId": "(key)",
                }
            },
            "VolumeKmsKeyId is not supported for ml.g5.xlarge",
        ),
        (
            {"AlgorithmSpecification": {"TrainingInputMode": "File"}},
            "needs either TrainingImage or AlgorithmName",
        ),
    ],
)
def test_training_requests_that_are_refused(lab: Lab, change: Json, message: str) -> None:
    filled = json.loads(json.dumps(change).replace("(key)", lab.key))
    request = training_request(lab, **filled)
    assert message in refusal(lab("sagemaker").create_training_job, **request)
    said = refusal(lab("sagemaker").describe_training_job, TrainingJobName=request["TrainingJobName"])
    assert "Requested resource not found" in said

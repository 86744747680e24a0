"""Jobs end as ordered, and those that AWS would refuse are refused."""

import json

import pytest

from tests.integration.emulator.job_requests import job_requests, training_request
from tests.integration.emulator.lab import (
    KEY_OF_NOBODY,
    ROLE_OF_NOBODY,
    Json,
    Lab,
    refusal,
)
from tests.integration.harness import Admin
from tests.localcloud.processes import until

pytestmark = pytest.mark.usefixtures("admin")


def run_job(lab: Lab, prefix: str, request: Json) -> Json:
    """Start a job, wait for its end, and return its description."""
    getattr(lab("sagemaker"), _methods(lab)[f"Create{prefix}"])(**request)
    return ended(lab, prefix, request[f"{prefix}Name"])


def ended(lab: Lab, prefix: str, name: str) -> Json:
    """Wait for the end of a job, and return its description."""
    describe = getattr(lab("sagemaker"), _methods(lab)[f"Describe{prefix}"])
    job: Json = until(
        lambda: describe(**{f"{prefix}Name": name}),
        lambda job: job[f"{prefix}Status"] in {"Completed", "Failed", "Stopped"},
    )
    return job


def _methods(lab: Lab) -> dict[str, str]:
    """Return the methods of the client by operation."""
    return {operation: method for method, operation in lab("sagemaker").meta.method_to_api_mapping.items()}


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
    methods = _methods(lab)
    admin.script(kind, name, "hang")
    getattr(sagemaker, methods[f"Create{prefix}"])(**request)
    getattr(sagemaker, methods[f"Stop{prefix}"])(**{f"{prefix}Name": name})
    assert ended(lab, prefix, name)[f"{prefix}Status"] == "Stopped"
    (passed,) = (each for key, each in admin.statuses().items() if key.endswith(f"/{name}"))
    assert passed == ["InProgress", "Stopping", "Stopped"]
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


def test_an_order_outlives_a_request_that_is_refused(lab: Lab, admin: Admin) -> None:
    request = training_request(lab)
    admin.script("training", request["TrainingJobName"], "failed")
    refusal(lab("sagemaker").create_training_job, **request | {"RoleArn": ROLE_OF_NOBODY})
    assert run_job(lab, "TrainingJob", request)["TrainingJobStatus"] == "Failed"


def test_lists_are_filtered_sorted_and_cut_into_pages(lab: Lab, admin: Admin) -> None:
    prefix, listed = lab.name("listed-"), lab("sagemaker").list_training_jobs
    names = [f"{prefix}-{n:02}" for n in range(12)]
    admin.script("training", names[3], "failed")
    for name in names:
        run_job(lab, "TrainingJob", training_request(lab, TrainingJobName=name))

    def names_in(page: Json) -> list[str]:
        return [job["TrainingJobName"] for job in page["TrainingJobSummaries"]]

    first = listed(NameContains=prefix)
    assert names_in(first) == names[:10]
    second = listed(NameContains=prefix, NextToken=first["NextToken"])
    assert names_in(second) == names[10:]
    assert "NextToken" not in second
    newest = listed(NameContains=prefix, SortBy="Name", SortOrder="Descending", MaxResults=1)
    assert names_in(newest) == names[-1:]
    assert names_in(listed(NameContains=prefix, StatusEquals="Failed")) == [names[3]]
    assert "sorted otherwise" in refusal(listed, NextToken=newest["NextToken"])
    assert "Invalid NextToken" in refusal(listed, NextToken="nonsense")
    said = refusal(listed, NameContains=prefix, WarmPoolStatusEquals="InUse")
    assert said == "NotEmulated: Listing with WarmPoolStatusEquals is not emulated by the local cloud"


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

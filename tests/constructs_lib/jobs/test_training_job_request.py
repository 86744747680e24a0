from dataclasses import replace
from typing import Any

import pytest

from constructs_lib.jobs.training_job import FileSystemChannel, RequestMemberError, TrainingAttempt
from constructs_lib.jobs.training_job_request import training_job_request
from tests.constructs_lib.jobs.jsonata_states import evaluated
from tests.constructs_lib.jobs.training import ON_DEMAND, ON_DEMAND_ALONE, RESOURCES, SPOT, TWO_NODES, job

PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/june"


def request(attempt: TrainingAttempt, **changes: Any) -> dict[str, Any]:
    return training_job_request(job(**changes), attempt, resources=RESOURCES)


def made(body: dict[str, Any], execution_input: dict[str, Any] | None = None) -> Any:
    """Return a request as Step Functions makes it in an execution called run-7, for an attempt that has an hour left."""
    execution = {"Name": "run-7", "Input": execution_input or {}}
    stated = {"lr": "0.1", "epochs": "3"}
    return evaluated(
        body,
        context={"Execution": execution},
        variables={"job_name": "demo-1", "left_s": 3600, "hyperparameters": stated},
    )


def faults_of(body: dict[str, Any], operation: str = "CreateTrainingJob") -> str:
    """Return what the SDK says of a request: members that are unknown, missing, or of another type."""
    loaders, model = pytest.importorskip("botocore.loaders"), pytest.importorskip("botocore.model")
    named = made({operation.removeprefix("Create") + "Name": "{% $job_name %}", **body})
    api = model.ServiceModel(loaders.Loader().load_service_model("sagemaker", "service-2"))
    shape = api.operation_model(operation).input_shape
    report: str = pytest.importorskip("botocore.validate").ParamValidator().validate(named, shape)
    return report.generate_report()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize(
    ("attempt", "changes"), [(SPOT, {}), (ON_DEMAND, {}), (TWO_NODES, {}), (ON_DEMAND, ON_DEMAND_ALONE)]
)
def test_the_request_has_the_form_of_the_api(attempt: TrainingAttempt, changes: dict[str, Any]) -> None:
    assert faults_of(request(attempt, **changes)) == ""


def test_the_check_of_the_form_finds_a_member_that_is_unknown_or_missing() -> None:
    body = request(SPOT)
    body["ResourceConfig"]["KmsKeyId"] = "x"
    del body["OutputDataConfig"]
    assert 'Unknown parameter in ResourceConfig: "KmsKeyId"' in faults_of(body)
    assert 'Missing required parameter in input: "OutputDataConfig"' in faults_of(body)


def test_an_attempt_may_take_what_is_left_and_only_one_on_spot_waits() -> None:
    spot, on_demand = made(request(SPOT)), made(request(ON_DEMAND))
    assert spot["EnableManagedSpotTraining"] is True
    assert spot["StoppingCondition"] == {"MaxRuntimeInSeconds": 3600, "MaxWaitTimeInSeconds": 3600}
    assert on_demand["EnableManagedSpotTraining"] is False
    assert on_demand["StoppingCondition"] == {"MaxRuntimeInSeconds": 3600}


#: What no witness says that Step Functions takes of it, in a job that asks for nothing special.
UNPROVEN = ("RetryStrategy", "TensorBoardOutputConfig")


@pytest.mark.parametrize("attempt", [SPOT, ON_DEMAND, TWO_NODES])
def test_a_job_sends_no_member_that_is_unproven(attempt: TrainingAttempt) -> None:
    body = request(attempt)
    assert not set(UNPROVEN) & body.keys()
    assert body["AlgorithmSpecification"].keys() == {"TrainingImage", "TrainingInputMode"}
    assert body["ResourceConfig"].keys() <= {
        "InstanceType",
        "InstanceCount",
        "VolumeSizeInGB",
        "VolumeKmsKeyId",
    }


def test_hyperparameters_of_the_execution_win_over_the_stated_ones() -> None:
    given = made(request(SPOT), {"hyperparameters": {"epochs": "9", "warm": "1"}})["HyperParameters"]
    assert given == {"lr": "0.1", "epochs": "9", "warm": "1"}


def test_checkpoints_are_of_the_execution_and_the_hardware_or_of_the_one_that_is_resumed() -> None:
    body = request(SPOT)
    assert made(body)["CheckpointConfig"]["S3Uri"] == "s3://checkpoints/weekly/run-7/cuda/"
    resumed = made(body, {"resume": "run-3"})["CheckpointConfig"]
    assert resumed == {"S3Uri": "s3://checkpoints/weekly/run-3/cuda/", "LocalPath": "/opt/ml/checkpoints"}


@pytest.mark.parametrize(
    ("attempt", "takes_key"),
    [
        (SPOT, False),
        (ON_DEMAND, True),
        (replace(SPOT, has_local_nvme=False), True),
        (replace(ON_DEMAND, has_local_nvme=True), False),
    ],
)
def test_the_volume_key_is_left_out_for_local_nvme_disks(attempt: TrainingAttempt, takes_key: bool) -> None:
    assert ("VolumeKmsKeyId" in request(attempt)["ResourceConfig"]) is takes_key


def test_several_nodes_take_any_zone_and_encrypt_their_traffic() -> None:
    assert request(TWO_NODES)["VpcConfig"]["Subnets"] == ["subnet-a", "subnet-b"]
    assert "EnableInterContainerTrafficEncryption" not in request(ON_DEMAND)
    assert request(TWO_NODES)["EnableInterContainerTrafficEncryption"] is True
    assert (
        request(TWO_NODES, encrypt_inter_container_traffic=False)["EnableInterContainerTrafficEncryption"]
        is False
    )


def test_instances_wait_for_the_next_job() -> None:
    body = request(ON_DEMAND, attempts=(ON_DEMAND,), keep_alive_s=1800)
    assert body["ResourceConfig"]["KeepAlivePeriodInSeconds"] == 1800
    assert faults_of(body) == ""
    assert "KeepAlivePeriodInSeconds" not in request(ON_DEMAND)["ResourceConfig"]


@pytest.mark.parametrize(("attempt", "keep_alive_s"), [(SPOT, 60), (ON_DEMAND, 21601), (ON_DEMAND, -1)])
def test_what_cannot_wait_is_refused(attempt: TrainingAttempt, keep_alive_s: int) -> None:
    with pytest.raises(RequestMemberError, match="keep_alive_s"):
        job(attempts=(attempt,), keep_alive_s=keep_alive_s)


def test_what_tensorboard_reads_is_kept_by_execution_and_resumed() -> None:
    body = request(SPOT, tensorboard=True)
    assert made(body)["TensorBoardOutputConfig"] == {
        "S3OutputPath": "s3://artifacts/weekly/output/tensorboard/run-7/",
        "LocalPath": "/opt/ml/output/tensorboard",
    }
    resumed = made(body, {"resume": "run-1"})["TensorBoardOutputConfig"]["S3OutputPath"]
    assert resumed == "s3://artifacts/weekly/output/tensorboard/run-1/"
    assert faults_of(body) == ""


def test_a_job_runs_in_its_training_plan() -> None:
    body = request(ON_DEMAND, attempts=(ON_DEMAND,), training_plan_arn=PLAN)
    assert body["ResourceConfig"]["TrainingPlanArn"] == PLAN
    assert faults_of(body) == ""
    with pytest.raises(RequestMemberError, match="neither Spot nor a warm pool"):
        job(training_plan_arn=PLAN)


LUSTRE = FileSystemChannel(
    channel_name="training",
    file_system_type="FSxLustre",
    file_system_id="fs-0123456789abcdef0",
    directory_path="/fsx/plants",
    subnet_id="subnet-0123456789abcdef0",
)


@pytest.mark.parametrize("attempt", [SPOT, TWO_NODES])
def test_jobs_stay_in_the_subnet_of_their_lustre(attempt: TrainingAttempt) -> None:
    body = request(attempt, channels=(LUSTRE,))
    assert body["VpcConfig"]["Subnets"] == ["subnet-0123456789abcdef0"]


def test_a_job_is_in_one_zone_with_all_its_file_systems() -> None:
    other = replace(LUSTRE, channel_name="other", subnet_id="subnet-0123456789abcdef1")
    with pytest.raises(RequestMemberError, match="file systems in two subnets"):
        request(SPOT, channels=(LUSTRE, other))


def test_a_file_system_is_mounted_and_not_streamed() -> None:
    lustre = LUSTRE
    body = request(SPOT, channels=(lustre,))
    assert body["InputDataConfig"][0] == {
        "ChannelName": "training",
        "DataSource": {
            "FileSystemDataSource": {
                "FileSystemId": "fs-0123456789abcdef0",
                "FileSystemType": "FSxLustre",
                "FileSystemAccessMode": "ro",
                "DirectoryPath": "/fsx/plants",
            }
        },
        "InputMode": "File",
    }
    assert faults_of(body) == ""


def test_maps_are_sorted_so_that_the_template_is_stable() -> None:
    assert request(SPOT, job_tags={"b": "2", "a": "1"})["Tags"] == [
        {"Key": "a", "Value": "1"},
        {"Key": "b", "Value": "2"},
    ]


def test_what_is_not_asked_for_is_absent() -> None:
    body = request(ON_DEMAND, **ON_DEMAND_ALONE)
    absent = {"InputDataConfig", "CheckpointConfig", "Environment", "Tags"}
    assert not absent & set(body)


def test_metrics_are_found_in_what_the_script_prints() -> None:
    found = request(SPOT, metrics={"val_loss": "val=([0-9.]+)", "acc": "acc=([0-9.]+)"})
    assert found["AlgorithmSpecification"]["MetricDefinitions"] == [
        {"Name": "acc", "Regex": "acc=([0-9.]+)"},
        {"Name": "val_loss", "Regex": "val=([0-9.]+)"},
    ]
    assert "MetricDefinitions" not in request(SPOT)["AlgorithmSpecification"]

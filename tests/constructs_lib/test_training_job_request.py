import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from constructs_lib.training_job import (
    TrainingAttempt,
    TrainingChannel,
    TrainingCheckpoint,
    TrainingCode,
    TrainingJobProps,
)
from constructs_lib.training_job_request import TrainingJobResources, training_job_request

RESOURCES = TrainingJobResources(
    training_role_arn="arn:aws:iam::111122223333:role/training",
    subnet_ids=["subnet-a", "subnet-b"],
    first_subnet_id="subnet-a",
    training_security_group_id="sg-training",
    data_key_arn="arn:aws:kms:us-east-1:111122223333:key/data",
    artifact_bucket_name="artifacts",
    checkpoint_bucket_name="checkpoints",
    alarm_topic_arn="arn:aws:sns:us-east-1:111122223333:alarms",
)
SPOT = TrainingAttempt(instance_type="ml.g5.2xlarge", use_managed_spot=True, has_local_nvme=True)
ON_DEMAND = TrainingAttempt(instance_type="ml.p3.2xlarge", volume_size_gib=100)
TWO_NODES = TrainingAttempt(instance_type="ml.p4d.24xlarge", instance_count=2, has_local_nvme=True)


def members(names: str) -> dict[str, Any]:
    return dict.fromkeys(names.split())


# API reference CreateTrainingJob and the types it names. A nested dict stands for a type with a fixed set of members,
# None for a scalar, a list of scalars or a map with free keys.
S3_DATA_SOURCE: dict[str, Any] = members(
    "AttributeNames HubAccessConfig InstanceGroupNames ModelAccessConfig S3DataDistributionType S3DataType S3Uri"
)
CHANNEL: dict[str, Any] = members(
    "ChannelName CompressionType ContentType EnableFFM InputMode RecordWrapperType ShuffleConfig"
) | {"DataSource": {"FileSystemDataSource": None, "S3DataSource": S3_DATA_SOURCE}}
ALLOWED_MEMBERS: dict[str, Any] = {
    "AlgorithmSpecification": members(
        "AlgorithmName ContainerArguments ContainerEntrypoint EnableSageMakerMetricsTimeSeries MetricDefinitions "
        "TrainingImage TrainingImageConfig TrainingInputMode"
    ),
    "CheckpointConfig": {"LocalPath": None, "S3Uri": None},
    "EnableInterContainerTrafficEncryption": None,
    "EnableManagedSpotTraining": None,
    "EnableNetworkIsolation": None,
    "Environment": None,
    "HyperParameters": None,
    "InputDataConfig": CHANNEL,
    "OutputDataConfig": {"CompressionType": None, "KmsKeyId": None, "S3OutputPath": None},
    "ResourceConfig": members(
        "InstanceCount InstanceGroups InstancePlacementConfig InstanceType KeepAlivePeriodInSeconds TrainingPlanArn "
        "VolumeKmsKeyId VolumeSizeInGB"
    ),
    "RetryStrategy": {"MaximumRetryAttempts": None},
    "RoleArn": None,
    "StoppingCondition": members("MaxPendingTimeInSeconds MaxRuntimeInSeconds MaxWaitTimeInSeconds"),
    "Tags": {"Key": None, "Value": None},
    "TrainingJobName": None,
    "VpcConfig": {"SecurityGroupIds": None, "Subnets": None},
}


def job(**changes: Any) -> TrainingJobProps:
    values: dict[str, Any] = {
        "job_name_prefix": "demo-dev-weekly",
        "image_uri": "763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-training:2.5",
        "attempts": (SPOT, ON_DEMAND, TWO_NODES),
        "output_key_prefix": "weekly/output",
        "max_runtime_s": 7200,
        "max_wait_s": 14400,
        "channels": (
            TrainingChannel(channel_name="training", key_prefix="datasets/weekly"),
            TrainingChannel(channel_name="shared", key_prefix="all"),
        ),
        "code": TrainingCode(
            key_prefix="code/weekly", command=("torchrun", "--nproc_per_node=gpu", "train.py")
        ),
        "checkpoint": TrainingCheckpoint(key_prefix="weekly", interval_minutes=10),
        "hyperparameters": {"lr": "0.1", "epochs": "3"},
        "environment_variables": {"LOG_LEVEL": "info"},
        "job_tags": {"Workload": "weekly"},
    }
    return TrainingJobProps(**(values | changes))


def request(attempt: TrainingAttempt, **changes: Any) -> dict[str, Any]:
    return training_job_request(job(**changes), attempt, resources=RESOURCES)


def unknown_members(value: Any, allowed: dict[str, Any], path: str = "") -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        for key, child in item.items():
            name = key.removesuffix(".$")
            if name not in allowed:
                yield f"{path}{name}"
            elif allowed[name] is not None:
                yield from unknown_members(child, allowed[name], f"{path}{name}.")


@pytest.mark.parametrize("attempt", [SPOT, ON_DEMAND, TWO_NODES])
def test_the_request_holds_only_members_of_the_api(attempt: TrainingAttempt) -> None:
    assert list(unknown_members(request(attempt), ALLOWED_MEMBERS)) == []


def test_the_check_for_unknown_members_finds_one() -> None:
    body = request(SPOT)
    body["ResourceConfig"]["KmsKeyId"] = "x"
    assert list(unknown_members(body, ALLOWED_MEMBERS)) == ["ResourceConfig.KmsKeyId"]


@pytest.mark.parametrize("attempt", [SPOT, ON_DEMAND, TWO_NODES])
def test_what_the_api_requires_is_there(attempt: TrainingAttempt) -> None:
    body = request(attempt)
    required = {
        "TrainingJobName.$",
        "AlgorithmSpecification",
        "OutputDataConfig",
        "ResourceConfig",
        "RoleArn",
    }
    assert required | {"StoppingCondition"} <= set(body)


def test_a_spot_attempt_waits_and_an_on_demand_attempt_does_not() -> None:
    spot, on_demand = request(SPOT), request(ON_DEMAND)
    assert spot["EnableManagedSpotTraining"] is True
    assert spot["StoppingCondition"] == {"MaxRuntimeInSeconds": 7200, "MaxWaitTimeInSeconds": 14400}
    assert on_demand["EnableManagedSpotTraining"] is False
    assert on_demand["StoppingCondition"] == {"MaxRuntimeInSeconds": 7200}


def test_the_volume_key_is_left_out_for_local_nvme_disks() -> None:
    assert "VolumeKmsKeyId" not in request(SPOT)["ResourceConfig"]
    assert request(ON_DEMAND)["ResourceConfig"] == {
        "InstanceType": "ml.p3.2xlarge",
        "InstanceCount": 1,
        "VolumeSizeInGB": 100,
        "VolumeKmsKeyId": RESOURCES.data_key_arn,
    }


def test_the_checkpoint_is_that_of_the_execution_and_the_same_for_every_attempt() -> None:
    location = "States.Format('s3://checkpoints/weekly/{}/', $$.Execution.Name)"
    for attempt in (SPOT, ON_DEMAND, TWO_NODES):
        assert request(attempt)["CheckpointConfig"] == {
            "S3Uri.$": location,
            "LocalPath": "/opt/ml/checkpoints",
        }


def test_the_container_is_told_where_and_how_often_to_save() -> None:
    assert request(SPOT)["Environment"] == {
        "LOG_LEVEL": "info",
        "SIZEWELL_CHECKPOINT_DIR": "/opt/ml/checkpoints",
        "SIZEWELL_CHECKPOINT_INTERVAL_MINUTES": "10",
    }


def test_the_job_has_the_name_that_was_made_before_it() -> None:
    assert request(SPOT)["TrainingJobName.$"] == "$.TrainingJobName"


def test_several_nodes_share_a_zone_and_encrypt_their_traffic() -> None:
    assert request(TWO_NODES)["VpcConfig"]["Subnets"] == ["subnet-a"]
    assert request(TWO_NODES)["EnableInterContainerTrafficEncryption"] is True
    assert (
        request(TWO_NODES, encrypt_inter_container_traffic=False)["EnableInterContainerTrafficEncryption"]
        is False
    )


def test_a_single_node_may_run_in_any_zone_and_has_no_traffic_to_encrypt() -> None:
    assert request(ON_DEMAND)["VpcConfig"] == {
        "SecurityGroupIds": ["sg-training"],
        "Subnets": ["subnet-a", "subnet-b"],
    }
    assert "EnableInterContainerTrafficEncryption" not in request(ON_DEMAND)


def test_the_model_is_encrypted_with_the_data_key() -> None:
    assert request(SPOT)["OutputDataConfig"] == {
        "S3OutputPath": "s3://artifacts/weekly/output/",
        "KmsKeyId": RESOURCES.data_key_arn,
    }


def test_channels_stream_from_the_artifact_bucket() -> None:
    training, shared, _ = request(SPOT)["InputDataConfig"]
    assert request(SPOT)["AlgorithmSpecification"]["TrainingInputMode"] == "FastFile"
    assert training == {
        "ChannelName": "training",
        "DataSource": {
            "S3DataSource": {
                "S3DataType": "S3Prefix",
                "S3Uri": "s3://artifacts/datasets/weekly/",
                "S3DataDistributionType": "FullyReplicated",
            }
        },
    }
    assert shared["DataSource"]["S3DataSource"]["S3Uri"] == "s3://artifacts/all/"


def test_the_script_is_copied_and_its_command_runs_beside_it() -> None:
    code = request(SPOT)["InputDataConfig"][-1]
    assert (code["ChannelName"], code["InputMode"]) == ("code", "File")
    assert code["DataSource"]["S3DataSource"]["S3Uri"] == "s3://artifacts/code/weekly/"
    assert request(SPOT)["AlgorithmSpecification"]["ContainerEntrypoint"] == [
        "/bin/bash",
        "-c",
        'cd /opt/ml/input/data/code && exec "$@"',
        "train",
        "torchrun",
        "--nproc_per_node=gpu",
        "train.py",
    ]


def test_the_entry_point_hands_every_word_to_the_command_unread(tmp_path: Path) -> None:
    words = ("printf", "%s\\n", "two words", "*", "&& exit 1", "$(exit 1)", "'")
    job = request(SPOT, code=TrainingCode(key_prefix="code", command=words))
    entrypoint = [
        word.replace("/opt/ml/input/data/code", str(tmp_path))
        for word in job["AlgorithmSpecification"]["ContainerEntrypoint"]
    ]
    ended = subprocess.run(entrypoint, capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == list(words[2:])
    assert (
        subprocess.run([*entrypoint[:4], "pwd"], capture_output=True, text=True, check=True).stdout
        == f"{tmp_path}\n"
    )


def test_maps_are_sorted_so_that_the_template_is_stable() -> None:
    assert list(request(SPOT)["HyperParameters"]) == ["epochs", "lr"]
    assert request(SPOT, job_tags={"b": "2", "a": "1"})["Tags"] == [
        {"Key": "a", "Value": "1"},
        {"Key": "b", "Value": "2"},
    ]


def test_what_is_not_asked_for_is_absent() -> None:
    body = request(
        ON_DEMAND,
        attempts=(ON_DEMAND,),
        max_wait_s=None,
        channels=(),
        code=None,
        checkpoint=None,
        hyperparameters={},
        environment_variables={},
        job_tags={},
    )
    assert "ContainerEntrypoint" not in body["AlgorithmSpecification"]
    absent = {"InputDataConfig", "CheckpointConfig", "HyperParameters", "Environment", "Tags"}
    assert not absent & set(body)

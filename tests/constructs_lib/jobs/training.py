"""A training job that uses everything: Spot, an attempt on demand, several nodes, data, code, a checkpoint."""

from typing import Any

from constructs_lib.jobs.training_job import (
    TrainingAttempt,
    TrainingChannel,
    TrainingCheckpoint,
    TrainingCode,
    TrainingJobProps,
)
from constructs_lib.jobs.training_job_request import TrainingJobResources

IMAGE = "763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-training:2.5"
SPOT = TrainingAttempt(
    instance_type="ml.g5.2xlarge",
    image_uri=IMAGE,
    ends_after_s=7200,
    use_managed_spot=True,
    hardware="cuda",
    usd_per_hour=1.5,
)
ON_DEMAND = TrainingAttempt(
    instance_type="ml.p3.2xlarge",
    image_uri=IMAGE,
    ends_after_s=14400,
    volume_size_gib=100,
    hardware="cuda",
    usd_per_hour=4.0,
)
TWO_NODES = TrainingAttempt(
    instance_type="ml.p4d.24xlarge",
    image_uri=IMAGE,
    ends_after_s=14400,
    instance_count=2,
    hardware="cuda",
    usd_per_hour=25.0,
)
RESOURCES = TrainingJobResources(
    training_role_arn="arn:aws:iam::111122223333:role/training",
    subnet_ids=["subnet-a", "subnet-b"],
    training_security_group_id="sg-training",
    data_key_arn="arn:aws:kms:us-east-1:111122223333:key/data",
    artifact_bucket_name="artifacts",
    checkpoint_bucket_name="checkpoints",
    mlflow_arn="arn:aws:sagemaker:us-east-1:111122223333:mlflow-app/app-1",
)
#: Leaves out what is optional.
ON_DEMAND_ALONE: dict[str, Any] = {
    "attempts": (ON_DEMAND,),
    "channels": (),
    "code": None,
    "checkpoint": None,
    "hyperparameters": {},
    "environment_variables": {},
    "job_tags": {},
}


def job(**changes: Any) -> TrainingJobProps:
    values: dict[str, Any] = {
        "job_name_prefix": "demo-dev-weekly",
        "attempts": (SPOT, ON_DEMAND, TWO_NODES),
        "output_key_prefix": "weekly/output",
        "channels": (TrainingChannel(channel_name="training", key_prefix="datasets/weekly"),),
        "code": TrainingCode(key_prefix="code/weekly", command=("bash", "launch.sh")),
        "checkpoint": TrainingCheckpoint(key_prefix="weekly", interval_minutes=10),
        "hyperparameters": {"lr": "0.1", "epochs": "3"},
        "environment_variables": {"LOG_LEVEL": "info"},
        "job_tags": {"Workload": "weekly"},
    }
    return TrainingJobProps(**(values | changes))

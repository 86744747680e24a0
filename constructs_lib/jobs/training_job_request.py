"""The body of a SageMaker ``CreateTrainingJob`` request, built as plain data.

CloudFormation has no training-job resource, so the request is embedded in a Step Functions task. Members:
https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTrainingJob.html
"""

from collections.abc import Mapping
from dataclasses import dataclass

from constructs_lib.jobs.job_state_machine_definition import EXECUTION_NAME, LEFT_S
from constructs_lib.jobs.training_job import (
    FileSystemChannel,
    TrainingAttempt,
    TrainingJobProps,
)
from sizewell.facts.mlflow import EXPERIMENT_VARIABLE, TAGS_VARIABLE, TRACKING_URI_VARIABLE
from sizewell.facts.training_jobs import CHECKPOINT_DIR_VARIABLE, CHECKPOINT_INTERVAL_VARIABLE, CODE_CHANNEL

#: What people may start an execution with: hyperparameters that win over the stated ones, and the name of the execution whose
#: checkpoints it resumes from.
HYPERPARAMETERS, RESUME = "hyperparameters", "resume"
_INPUT = "$states.context.Execution.Input"
#: The stated hyperparameters and those of the execution, which win.
ALL_HYPERPARAMETERS = f"$merge([${HYPERPARAMETERS}, {_INPUT}.{HYPERPARAMETERS}])"
#: The name of the run: that of the execution, or of the earlier one that it resumes.
RUN_NAME = f"$exists({_INPUT}.{RESUME}) ? {_INPUT}.{RESUME} : {EXECUTION_NAME}"
# The tags of a run in MLflow, which are texts. The ARN of an execution names environment and workload as well.
_EXECUTION_TAG = "'execution': $states.context.Execution.Id"
_RUN_TAGS = (
    f"{{{_EXECUTION_TAG}, 'instance_type': $instance_type, 'instance_count': $string($instance_count), "
    "'managed_spot': $string($managed_spot)}, "
    "$usd_per_hour > 0 ? {'usd_per_hour_on_demand': $string($round($instance_count * $usd_per_hour, 4))} : {}"
)


@dataclass(frozen=True, kw_only=True)
class TrainingJobResources:
    """The identifiers that a training job and its workflow name: real ones, or placeholders for them."""

    training_role_arn: str
    subnet_ids: list[str]
    training_security_group_id: str
    data_key_arn: str
    artifact_bucket_name: str
    checkpoint_bucket_name: str
    mlflow_arn: str


def training_job_request(
    props: TrainingJobProps,
    attempt: TrainingAttempt,
    *,
    resources: TrainingJobResources,
    is_typed: bool = True,
) -> dict[str, object]:
    """Return the ``CreateTrainingJob`` body of one attempt, without its name, with expressions for the values of each execution.

    An experiment needs ``run_variables`` of the attempt; ``is_typed`` False does without, where SageMaker takes one of several
    types.

    The checkpoint location is that of the execution: the next attempt on the same kind of hardware resumes where the previous
    one stopped, but next week's execution does not start from last week's last checkpoint. ``RESUME`` names an earlier
    execution instead.
    """
    artifacts = f"s3://{resources.artifact_bucket_name}"
    request: dict[str, object] = {
        "AlgorithmSpecification": _algorithm(props, attempt),
        "RoleArn": resources.training_role_arn,
        "ResourceConfig": _resource_config(props, attempt, volume_key_arn=resources.data_key_arn),
        "OutputDataConfig": {
            "S3OutputPath": f"{artifacts}/{props.output_key_prefix}/",
            "KmsKeyId": resources.data_key_arn,
        },
        "StoppingCondition": _stopping_condition(attempt),
        "EnableManagedSpotTraining": attempt.use_managed_spot,
        "EnableNetworkIsolation": props.enable_network_isolation,
        "VpcConfig": {
            "SecurityGroupIds": [resources.training_security_group_id],
            "Subnets": resources.subnet_ids if props.subnet_id is None else [props.subnet_id],
        },
    }
    if attempt.instance_count > 1:
        request["EnableInterContainerTrafficEncryption"] = props.encrypt_inter_container_traffic
    channels = [
        _mounted(channel)
        if isinstance(channel, FileSystemChannel)
        else _channel(channel.channel_name, f"{artifacts}/{channel.key_prefix}/")
        for channel in props.channels
    ]
    if props.code is not None:
        code = _channel(CODE_CHANNEL, f"{artifacts}/{props.code.key_prefix}/")
        channels.append(code | {"InputMode": "File"})
    if channels:
        request["InputDataConfig"] = channels
    if props.checkpoint is not None:
        location = f"s3://{resources.checkpoint_bucket_name}/{props.checkpoint.key_prefix}/"
        request["CheckpointConfig"] = {
            "S3Uri": f"{{% '{location}' & ({RUN_NAME}) & '/{attempt.hardware}/' %}}",
            "LocalPath": props.checkpoint.local_path,
        }
    if props.tensorboard:
        location = f"{artifacts}/{props.output_key_prefix}/tensorboard/"
        request["TensorBoardOutputConfig"] = {
            "S3OutputPath": f"{{% '{location}' & ({RUN_NAME}) & '/' %}}",
            "LocalPath": "/opt/ml/output/tensorboard",
        }
    request["HyperParameters"] = f"{{% {ALL_HYPERPARAMETERS} %}}"
    environment = _environment(props)
    if props.experiment is not None:
        environment |= _experiment(props.experiment.name, resources.mlflow_arn, is_typed=is_typed)
    if environment:
        request["Environment"] = environment
    if props.job_tags:
        request["Tags"] = [{"Key": key, "Value": value} for key, value in sorted(props.job_tags.items())]
    return request


def _algorithm(props: TrainingJobProps, attempt: TrainingAttempt) -> dict[str, object]:
    """Return the image, the default input mode of the channels, and the metrics."""
    algorithm: dict[str, object] = {"TrainingImage": attempt.image_uri, "TrainingInputMode": "FastFile"}
    if props.metrics:
        algorithm["MetricDefinitions"] = metric_definitions(props.metrics)
    return algorithm


def metric_definitions(metrics: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the metrics as the API takes them."""
    return [{"Name": name, "Regex": regex} for name, regex in sorted(metrics.items())]


def _resource_config(
    props: TrainingJobProps, attempt: TrainingAttempt, *, volume_key_arn: str
) -> dict[str, object]:
    """Return the instances, their volume, and how long they wait for the next job.

    ``VolumeKmsKeyId`` is refused for types with local disks, which are encrypted by their own hardware key:
    https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ResourceConfig.html
    """
    config: dict[str, object] = {
        "InstanceType": attempt.instance_type,
        "InstanceCount": attempt.instance_count,
        "VolumeSizeInGB": attempt.volume_size_gib,
    }
    if attempt.volume_takes_key:
        config["VolumeKmsKeyId"] = volume_key_arn
    if props.training_plan_arn is not None:
        config["TrainingPlanArn"] = props.training_plan_arn
    if props.keep_alive_s:
        config["KeepAlivePeriodInSeconds"] = props.keep_alive_s
    return config


def _stopping_condition(attempt: TrainingAttempt) -> dict[str, object]:
    """Return the time limits; the API refuses a wait limit without managed Spot, and with it one below the runtime."""
    condition: dict[str, object] = {"MaxRuntimeInSeconds": LEFT_S}
    if attempt.use_managed_spot:
        condition["MaxWaitTimeInSeconds"] = LEFT_S
    return condition


def _channel(channel_name: str, s3_uri: str) -> dict[str, object]:
    return {
        "ChannelName": channel_name,
        "DataSource": {
            "S3DataSource": {
                "S3DataType": "S3Prefix",
                "S3Uri": s3_uri,
                "S3DataDistributionType": "FullyReplicated",
            }
        },
    }


def _mounted(channel: FileSystemChannel) -> dict[str, object]:
    """Return the channel of a file system: only objects of S3 can be streamed, whatever the input mode of the job.

    https://docs.aws.amazon.com/sagemaker/latest/dg/model-access-training-data.html
    """
    return {
        "ChannelName": channel.channel_name,
        "DataSource": {
            "FileSystemDataSource": {
                "FileSystemId": channel.file_system_id,
                "FileSystemType": channel.file_system_type,
                "FileSystemAccessMode": "ro",
                "DirectoryPath": channel.directory_path,
            }
        },
        "InputMode": "File",
    }


def _environment(props: TrainingJobProps) -> dict[str, str]:
    """Return the container's environment: the user's variables and the checkpoint contract."""
    environment = dict(props.environment_variables)
    if props.checkpoint is not None:
        environment[CHECKPOINT_DIR_VARIABLE] = props.checkpoint.local_path
        environment[CHECKPOINT_INTERVAL_VARIABLE] = str(props.checkpoint.interval_minutes)
    return dict(sorted(environment.items()))


def run_variables(attempt: TrainingAttempt) -> dict[str, object]:
    """Return what an execution knows of the instances of an attempt."""
    return {
        "instance_type": attempt.instance_type,
        "instance_count": attempt.instance_count,
        "managed_spot": attempt.use_managed_spot,
        "usd_per_hour": attempt.usd_per_hour or 0,
    }


def _experiment(name: str, mlflow_arn: str, *, is_typed: bool) -> dict[str, str]:
    """Return where the script records its run, and what it cannot know of itself: where it runs, and for how much.

    How long it took, and what SageMaker billed, is in the output of the execution, which the run names.
    """
    tags = f"$merge([{_RUN_TAGS}])" if is_typed else f"{{{_EXECUTION_TAG}}}"
    return {
        EXPERIMENT_VARIABLE: name,
        TAGS_VARIABLE: f"{{% $string({tags}) %}}",
        TRACKING_URI_VARIABLE: mlflow_arn,
    }

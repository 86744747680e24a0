"""What the plan says of training jobs: requests, logs and schedules, in the words of the services."""

from sizewell.planning.training_plan_model import TrainingAttemptPlan, TrainingJobPlan
from tests.integration.readers.common import Properties, present
from tests.integration.readers.plan_foundation import Foundation

CHECKPOINTS = "/opt/ml/checkpoints"
#: What is left until the end of an attempt.
LIMIT = "{% $left_s %}"


def request(
    plan: TrainingJobPlan, attempt: TrainingAttemptPlan, role_arn: str, foundation: Foundation
) -> Properties:
    """Return the ``CreateTrainingJob`` request of one attempt, with the expressions that an execution works out."""
    several = attempt.instance_count > 1
    key = foundation.data_key_arn if attempt.encrypt_volume_with_key else None
    return present(
        TrainingJobName="{% $job_name %}",
        AlgorithmSpecification=_algorithm(plan, attempt),
        RoleArn=role_arn,
        ResourceConfig=present(
            InstanceType=attempt.instance_type,
            InstanceCount=attempt.instance_count,
            VolumeSizeInGB=attempt.volume_size_gib,
            VolumeKmsKeyId=key,
        ),
        InputDataConfig=_channels(plan, foundation),
        OutputDataConfig={
            "S3OutputPath": f"s3://{foundation.plan.artifact_bucket_name}/{plan.output_prefix}/",
            "KmsKeyId": foundation.data_key_arn,
        },
        CheckpointConfig=_checkpoint(plan, attempt, foundation),
        StoppingCondition=present(
            MaxRuntimeInSeconds=LIMIT, MaxWaitTimeInSeconds=LIMIT if attempt.spot else None
        ),
        EnableManagedSpotTraining=attempt.spot,
        EnableNetworkIsolation=plan.network_isolation,
        EnableInterContainerTrafficEncryption=True if several else None,
        VpcConfig={
            "SecurityGroupIds": [foundation.group_id("training")],
            "Subnets": foundation.parameters["subnet-ids"].split(","),
        },
        HyperParameters="{% $merge([$hyperparameters, $states.context.Execution.Input.hyperparameters]) %}",
        Environment=_environment(plan),
        Tags=[{"Key": key, "Value": value} for key, value in sorted(plan.job_tags.items())],
    )


def hyperparameters(plan: TrainingJobPlan) -> dict[str, str]:
    """Return those of the plan, and where the training toolkit of the image finds the script."""
    if plan.code is None:
        return plan.hyperparameters
    return plan.hyperparameters | {
        "sagemaker_program": plan.code.command[-1],
        "sagemaker_submit_directory": "/opt/ml/input/data/code",
    }


def _algorithm(plan: TrainingJobPlan, attempt: TrainingAttemptPlan) -> Properties:
    metrics = [{"Name": name, "Regex": regex} for name, regex in plan.metrics.items()]
    return present(
        TrainingImage=attempt.image.uri,
        TrainingInputMode="FastFile",
        MetricDefinitions=metrics,
    )


def _channels(plan: TrainingJobPlan, foundation: Foundation) -> list[Properties]:
    channels = [_channel(name, str(prefix), foundation) for name, prefix in plan.channels.items()]
    if plan.code:
        channels.append(_channel("code", plan.code.prefix, foundation) | {"InputMode": "File"})
    return channels


def _channel(name: str, prefix: str, foundation: Foundation) -> Properties:
    source = {
        "S3DataType": "S3Prefix",
        "S3Uri": f"s3://{foundation.plan.artifact_bucket_name}/{prefix}/",
        "S3DataDistributionType": "FullyReplicated",
    }
    return {"ChannelName": name, "DataSource": {"S3DataSource": source}}


def _checkpoint(plan: TrainingJobPlan, attempt: TrainingAttemptPlan, foundation: Foundation) -> Properties:
    if plan.checkpoint is None:
        return {}
    location = f"s3://{foundation.plan.checkpoint_bucket_name}/{plan.checkpoint.prefix}/"
    given = "$states.context.Execution.Input.resume"
    return {
        "S3Uri": (
            f"{{% '{location}' & ($exists({given}) ? {given} : $states.context.Execution.Name) "
            f"& '/{attempt.hardware}/' %}}"
        ),
        "LocalPath": CHECKPOINTS,
    }


def _environment(plan: TrainingJobPlan) -> dict[str, str]:
    if plan.checkpoint is None:
        return plan.environment
    return plan.environment | {
        "SIZEWELL_CHECKPOINT_DIR": CHECKPOINTS,
        "SIZEWELL_CHECKPOINT_INTERVAL_MINUTES": str(plan.checkpoint.interval_minutes),
    }


def state_machine(plan: TrainingJobPlan, foundation: Foundation) -> Properties:
    """Return everything but the definition and the role."""
    group = f"/aws/vendedlogs/states/{plan.state_machine_name}"
    destination = {"CloudWatchLogsLogGroup": {"LogGroupArn": foundation.arn("logs", f"log-group:{group}:*")}}
    return {
        "StateMachineName": plan.state_machine_name,
        "StateMachineType": "STANDARD",
        "LoggingConfiguration": {
            "Level": "ALL",
            "IncludeExecutionData": False,
            "Destinations": [destination],
        },
        "TracingConfiguration": {"Enabled": True},
        "EncryptionConfiguration": {
            "Type": "CUSTOMER_MANAGED_KMS_KEY",
            "KmsKeyId": foundation.data_key_arn,
            "KmsDataKeyReusePeriodSeconds": 300,
        },
    }


def schedule(plan: TrainingJobPlan, role_arn: str, queue_arn: str, foundation: Foundation) -> Properties:
    assert plan.schedule is not None
    return {
        "ScheduleExpression": plan.schedule.expression,
        "ScheduleExpressionTimezone": plan.schedule.time_zone,
        "State": "ENABLED" if plan.schedule.enabled else "DISABLED",
        "FlexibleTimeWindow": {"Mode": "OFF"},
        "Target": {
            "Arn": foundation.arn("states", f"stateMachine:{plan.state_machine_name}"),
            "RoleArn": role_arn,
            "Input": "{}",
            "DeadLetterConfig": {"Arn": queue_arn},
            "RetryPolicy": {"MaximumEventAgeInSeconds": 3600, "MaximumRetryAttempts": 5},
        },
    }


def dead_letter_queue(foundation: Foundation) -> Properties:
    """Return a queue that keeps a message as long as SQS can."""
    return {"KmsMasterKeyId": foundation.operations_key_arn, "MessageRetentionPeriod": 14 * 24 * 3600}

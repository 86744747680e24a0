"""The Step Functions state machine that runs transform jobs, and the body of their ``CreateTransformJob`` requests.

CloudFormation has no transform-job resource that could run again, so the request is embedded in a Step Functions task.
Members: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTransformJob.html
"""

from dataclasses import dataclass

from aws_cdk import RemovalPolicy, Stack
from constructs import Construct

from constructs_lib.job_cost import USD, cost_totals, seconds_between
from constructs_lib.job_kind import TRANSFORM
from constructs_lib.job_state_machine import JobStateMachine, JobStateMachineProps
from constructs_lib.job_state_machine_definition import (
    EXECUTION_NAME,
    JobAttempt,
    job_state_machine_definition,
)
from constructs_lib.references import FoundationReferences
from constructs_lib.state_language import State
from constructs_lib.transform_job import TransformAttempt, TransformJobProps

# "You are billed for the time interval between" them (API reference, DescribeTransformJob).
_PAID_S = seconds_between("TransformStartTime", "TransformEndTime")


@dataclass(frozen=True, kw_only=True)
class TransformStateMachineProps:
    """People start the machine by ``state_machine_name``, and hear of it by ``workload_name``; its log is kept
    ``log_retention_days``.

    ``removal_policy`` says what becomes of the log group when the stack goes.
    """

    state_machine_name: str
    workload_name: str
    job: TransformJobProps
    model_name: str
    log_retention_days: int
    removal_policy: RemovalPolicy
    foundation: FoundationReferences


class TransformStateMachine(JobStateMachine):
    """Transforms on the first instance type that has capacity."""

    def __init__(self, scope: Construct, construct_id: str, *, props: TransformStateMachineProps) -> None:
        super().__init__(
            scope,
            construct_id,
            props=JobStateMachineProps(
                state_machine_name=props.state_machine_name,
                workload_name=props.workload_name,
                kind=TRANSFORM,
                job_name_prefix=props.job.job_name_prefix,
                definition=transform_state_machine_definition(props.job, partition=Stack.of(scope).partition),
                values={
                    "ModelName": props.model_name,
                    "DataKeyArn": props.foundation.data_key_arn,
                    "ArtifactBucketName": props.foundation.artifact_bucket_name,
                },
                passed_role_arn=None,
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                foundation=props.foundation,
            ),
        )


def transform_state_machine_definition(props: TransformJobProps, *, partition: str) -> State:
    """Return the state machine definition as plain data, with placeholders for what the deployment knows."""
    attempts = tuple(
        JobAttempt(
            request=transform_job_request(props, attempt),
            ends_after_s=props.deadline_s,
            instance_count=attempt.instance_count,
            tried=attempt.instance_type,
            usd_per_hour=attempt.usd_per_hour and attempt.instance_count * attempt.usd_per_hour,
        )
        for attempt in props.attempts
    )
    return job_state_machine_definition(
        TRANSFORM,
        attempts,
        job_name_prefix=props.job_name_prefix,
        partition=partition,
        totals={"transform_s": _PAID_S, **cost_totals(_PAID_S)},
        spent={"TransformTimeInSeconds": "$transform_s", "UsdOfInstances": USD},
    )


def transform_job_request(props: TransformJobProps, attempt: TransformAttempt) -> dict[str, object]:
    """Return the ``CreateTransformJob`` body of one attempt, without its name.

    Results go to the folder of the execution: the next run leaves them alone.
    """
    data = props.data
    output = f"s3://${{ArtifactBucketName}}/{props.output_key_prefix}/"
    transform_output: dict[str, object] = {
        "S3OutputPath": f"{{% '{output}' & {EXECUTION_NAME} & '/' %}}",
        "KmsKeyId": "${DataKeyArn}",
        # Results of rows that were split at line ends are lines again.
        "AssembleWith": "Line" if data.split_type == "Line" else "None",
    }
    if props.accept is not None:
        transform_output["Accept"] = props.accept
    resources: dict[str, object] = {
        "InstanceType": attempt.instance_type,
        "InstanceCount": attempt.instance_count,
    }
    if attempt.volume_takes_key:
        # Refused for types with local disks, which their hardware encrypts (API reference, TransformResources).
        resources["VolumeKmsKeyId"] = "${DataKeyArn}"
    request: dict[str, object] = {
        "ModelName": "${ModelName}",
        "TransformInput": {
            "DataSource": {
                "S3DataSource": {
                    "S3DataType": "S3Prefix",
                    "S3Uri": f"s3://${{ArtifactBucketName}}/{data.key_prefix}/",
                }
            },
            "ContentType": data.content_type,
            "SplitType": data.split_type,
            "CompressionType": data.compression_type,
        },
        "TransformOutput": transform_output,
        "TransformResources": resources,
        "MaxConcurrentTransforms": attempt.max_concurrent_transforms,
        "MaxPayloadInMB": props.max_payload_mb,
        "ModelClientConfig": {
            "InvocationsTimeoutInSeconds": attempt.invocation_timeout_s,
            "InvocationsMaxRetries": props.invocation_retries,
        },
    }
    if props.batch_strategy is not None:
        request["BatchStrategy"] = props.batch_strategy
    filters = {"InputFilter": props.input_filter, "OutputFilter": props.output_filter}
    processing = {member: path for member, path in filters.items() if path is not None}
    if props.join_input:
        processing["JoinSource"] = "Input"
    if processing:
        request["DataProcessing"] = processing
    if props.job_tags:
        request["Tags"] = [{"Key": key, "Value": value} for key, value in sorted(props.job_tags.items())]
    return request

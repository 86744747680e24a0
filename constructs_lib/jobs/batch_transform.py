"""Everything that one batch transform needs, in one construct, with the body of its ``CreateTransformJob`` requests.

CloudFormation has no transform-job resource that could run again, so the request is embedded in a Step Functions task.
Members: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateTransformJob.html
"""

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import RemovalPolicy, Stack
from constructs import Construct

from constructs_lib.endpoints.serving_model import (
    ContainerProps,
    PipelineContainer,
    ServingModelProps,
    check_containers,
    decryption_key_arns,
    read_locations,
    repository_arns,
    serving_model,
)
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.job_cost import USD, cost_totals, seconds_between
from constructs_lib.jobs.job_kind import TRANSFORM
from constructs_lib.jobs.job_role import JobRole, JobRoleProps
from constructs_lib.jobs.job_state_machine import JobStateMachine, JobStateMachineProps
from constructs_lib.jobs.job_state_machine_definition import (
    EXECUTION_NAME,
    JobAttempt,
    job_state_machine_definition,
)
from constructs_lib.jobs.sagemaker_jobs import SageMakerJobs
from constructs_lib.jobs.transform_job import TransformAttempt, TransformJobProps
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from constructs_lib.workflows.scheduled_workflow import schedule_and_watch
from constructs_lib.workflows.state_language import State
from constructs_lib.workflows.workflow_events import StartEvents


@dataclass(frozen=True, kw_only=True)
class BatchTransformProps(ContainerProps):
    """A model, the job that runs data through it, and the name people start it by.

    ``ContainerProps`` describes its container; its artifact is one model.tar.gz. A row passes the containers of
    ``before`` first, and its answer those of ``after``, on the same instances. ``network_isolation`` keeps containers from all
    calls but SageMaker's own. ``schedule`` None means that only people start the workflow. ``log_retention_days`` and
    ``removal_policy`` are for the log of its executions, which outlives its stack: it says why something failed.
    ``execution_role_arn`` names a role of the account that SageMaker assumes for model and jobs; None makes one that may do
    no more than they need.
    """

    workload_name: str
    state_machine_name: str
    job: TransformJobProps
    foundation: FoundationReferences
    before: Sequence[PipelineContainer] = ()
    after: Sequence[PipelineContainer] = ()
    network_isolation: bool = True
    schedule: TrainingScheduleTiming | None = None
    events: StartEvents | None = None
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    execution_role_arn: str | None = None

    def __post_init__(self) -> None:
        """Check what the containers are made of."""
        check_containers(self.containers, packed_only=True)

    @property
    def containers(self) -> tuple[ContainerProps, ...]:
        """All of them, in the order of a row."""
        return (*self.before, self, *self.after)


class BatchTransform(Construct):
    """Model, execution role, state machine, schedule and alarms of one batch transform."""

    def __init__(self, scope: Construct, construct_id: str, *, props: BatchTransformProps) -> None:
        super().__init__(scope, construct_id)
        model = serving_model(
            self,
            "Model",
            props=ServingModelProps(
                containers=props.containers,
                execution_role_arn=props.execution_role_arn or self._add_role(props),
                network_isolation=props.network_isolation,
                foundation=props.foundation,
                names_artifact_by_url=True,
            ),
        )
        machine = TransformStateMachine(
            self,
            "Workflow",
            props=TransformStateMachineProps(
                state_machine_name=props.state_machine_name,
                workload_name=props.workload_name,
                job=props.job,
                model_name=model.attr_model_name,
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                foundation=props.foundation,
            ),
        )
        self.state_machine_arn = machine.state_machine_arn
        schedule_and_watch(self, TRANSFORM.workflow, machine.state_machine_arn, props)

    def _add_role(self, props: BatchTransformProps) -> str:
        foundation, job = props.foundation, props.job
        artifacts = foundation.artifact_bucket_name
        role = JobRole(
            self,
            "ModelRole",
            props=JobRoleProps(
                kind=TRANSFORM,
                job_name_prefix=job.job_name_prefix,
                image_repository_arns=repository_arns(self, props.containers),
                reads=(
                    *read_locations(props.containers, foundation),
                    (artifacts, f"{job.data.key_prefix}/"),
                ),
                writes=((artifacts, f"{job.output_key_prefix}/"),),
                security_group="endpoint",
                security_group_id=foundation.endpoint_security_group_id,
                data_key_arn=foundation.data_key_arn,
                decryption_key_arns=decryption_key_arns(props.containers),
            ),
        )
        return role.role_arn


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
        SageMakerJobs(TRANSFORM, partition),
        attempts,
        job_name_prefix=props.job_name_prefix,
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

"""The Step Functions state machine that trains."""

from dataclasses import dataclass

from aws_cdk import Fn, RemovalPolicy, Stack
from constructs import Construct

from constructs_lib.job_kind import TRAINING
from constructs_lib.job_state_machine import JobStateMachine, JobStateMachineProps
from constructs_lib.references import FoundationReferences, mlflow_arn_of
from constructs_lib.training_job import TrainingJobProps
from constructs_lib.training_job_request import TrainingJobResources
from constructs_lib.training_state_machine_definition import training_state_machine_definition


@dataclass(frozen=True, kw_only=True)
class TrainingStateMachineProps:
    """People start the machine by ``state_machine_name``, and hear of it by ``workload_name``; its log is kept
    ``log_retention_days``.

    ``removal_policy`` says what becomes of the log group when the stack goes.
    """

    state_machine_name: str
    workload_name: str
    job: TrainingJobProps
    training_role_arn: str
    log_retention_days: int
    removal_policy: RemovalPolicy
    foundation: FoundationReferences
    report_success: bool = False


#: What a request names before it is deployed.
PLACEHOLDERS = TrainingJobResources(
    training_role_arn="${TrainingRoleArn}",
    subnet_ids=["${SubnetIds}"],
    training_security_group_id="${TrainingSecurityGroupId}",
    data_key_arn="${DataKeyArn}",
    artifact_bucket_name="${ArtifactBucketName}",
    checkpoint_bucket_name="${CheckpointBucketName}",
    mlflow_arn="${MlflowArn}",
)


class TrainingStateMachine(JobStateMachine):
    """Trains on the first instance type that has capacity."""

    def __init__(self, scope: Construct, construct_id: str, *, props: TrainingStateMachineProps) -> None:
        definition = training_state_machine_definition(
            props.job, resources=PLACEHOLDERS, partition=Stack.of(scope).partition
        )
        super().__init__(
            scope,
            construct_id,
            props=JobStateMachineProps(
                state_machine_name=props.state_machine_name,
                workload_name=props.workload_name,
                kind=TRAINING,
                job_name_prefix=props.job.job_name_prefix,
                definition=definition,
                values=placeholder_values(props),
                passed_role_arn=props.training_role_arn,
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                foundation=props.foundation,
                training_plan_arn=props.job.training_plan_arn,
                file_systems=props.job.file_systems,
                report_success=props.report_success,
                reads_metrics=any(attempt.gpu_count for attempt in props.job.attempts),
            ),
        )


def placeholder_values(props: TrainingStateMachineProps) -> dict[str, str]:
    """Return what the placeholders of the definition stand for."""
    foundation = props.foundation
    values = {
        "TrainingRoleArn": props.training_role_arn,
        "TrainingSecurityGroupId": foundation.training_security_group_id,
        "DataKeyArn": foundation.data_key_arn,
        "ArtifactBucketName": foundation.artifact_bucket_name,
    }
    # To read a reference is to add a parameter to the template, which must then be used (cfn-lint: W2001).
    if props.job.subnet_id is None:
        # It stands between the quotes of one list element.
        values["SubnetIds"] = Fn.join('","', foundation.subnet_ids)
    if props.job.checkpoint is not None:
        values["CheckpointBucketName"] = foundation.checkpoint_bucket_name
    if props.job.experiment is not None:
        values["MlflowArn"] = mlflow_arn_of(foundation)
    return values

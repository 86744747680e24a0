"""The execution role of a training job: its data and code to read, its models and checkpoints to write."""

from dataclasses import dataclass

from constructs import Construct

from constructs_lib.job_kind import TRAINING
from constructs_lib.job_role import JobRole, JobRoleProps
from constructs_lib.policies import allow
from constructs_lib.references import FoundationReferences, mlflow_arn_of
from constructs_lib.training_job import TrainingChannel, TrainingJobProps
from sizewell.facts.mlflow import APP_ACTIONS, SERVER_ACTIONS


@dataclass(frozen=True, kw_only=True)
class TrainingRoleProps:
    """``image_repository_arns`` are the ECR repositories of the training images, in whatever account they are."""

    job: TrainingJobProps
    image_repository_arns: tuple[str, ...]
    foundation: FoundationReferences


class TrainingRole(JobRole):
    """A role that SageMaker assumes; ``role_arn`` is for the ``CreateTrainingJob`` request."""

    def __init__(self, scope: Construct, construct_id: str, *, props: TrainingRoleProps) -> None:
        job, foundation = props.job, props.foundation
        artifacts = foundation.artifact_bucket_name
        reads = [
            (artifacts, f"{channel.key_prefix}/")
            for channel in job.channels
            if isinstance(channel, TrainingChannel)
        ]
        if job.code is not None:
            reads.append((artifacts, f"{job.code.key_prefix}/"))
        checkpoints = []
        if job.checkpoint is not None:
            checkpoints.append((foundation.checkpoint_bucket_name, f"{job.checkpoint.key_prefix}/"))
        writes = [(artifacts, f"{job.output_key_prefix}/"), *checkpoints]
        calls = []
        if (experiment := job.experiment) is not None:
            actions = APP_ACTIONS if experiment.is_app else SERVER_ACTIONS
            calls.append(allow(actions, mlflow_arn_of(foundation)))
            if experiment.artifact_prefix is not None:
                writes.append((artifacts, f"{experiment.artifact_prefix}/"))
        super().__init__(
            scope,
            construct_id,
            props=JobRoleProps(
                kind=TRAINING,
                job_name_prefix=job.job_name_prefix,
                image_repository_arns=props.image_repository_arns,
                reads=tuple(reads),
                writes=tuple(writes),
                # "If a checkpoint is deleted in the SageMaker container, it will also be deleted in the S3 folder", and what
                # lies there is written into the container at the start of a job:
                # https://docs.aws.amazon.com/sagemaker/latest/dg/model-checkpoints.html
                deletes=tuple(checkpoints),
                security_group="training",
                security_group_id=foundation.training_security_group_id,
                data_key_arn=foundation.data_key_arn,
                calls=tuple(calls),
                file_systems=job.file_systems,
            ),
        )

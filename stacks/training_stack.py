"""The stack of one training job."""

from typing import Any

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.foundation.foundation_parameters import read_foundation_references
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.training_job import (
    FileSystemChannel,
    TrainingAttempt,
    TrainingChannel,
    TrainingCheckpoint,
    TrainingCode,
    TrainingExperiment,
    TrainingJobProps,
)
from constructs_lib.jobs.training_workflow import TrainingWorkflow, TrainingWorkflowProps
from sizewell.facts.mlflow import ARTIFACT_PREFIX, is_app
from sizewell.kinds.training_job.plan_model import TrainingJobPlan
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.training_plan_model import TrainedModelPlan
from sizewell.stacks.removal import removal_policy
from sizewell.stacks.schedule_timing import schedule_timing, start_events


class TrainingStack(Stack):
    """State machine, schedule and alarms of one workload."""

    foundation: FoundationReferences
    """What the foundation publishes, such as the alarm topic: tokens of this stack."""
    training: TrainingWorkflow

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        plan: TrainedModelPlan,
        foundation_plan: FoundationPlan,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.foundation = read_foundation_references(self, foundation_plan.parameter_prefix)
        self.training = self._add_workflow(
            plan,
            TrainingWorkflowProps(
                workload_name=plan.name,
                state_machine_name=plan.state_machine_name,
                job=_job_props(plan, foundation_plan),
                image_repository_arns=tuple(
                    dict.fromkeys(attempt.image.repository_arn for attempt in plan.attempts)
                ),
                schedule=schedule_timing(plan.schedule),
                events=start_events(plan.starts_on),
                log_retention_days=foundation_plan.log_retention_days,
                removal_policy=removal_policy(foundation_plan),
                foundation=self.foundation,
                execution_role_arn=plan.execution_role_arn,
                report_success=plan.report_success,
            ),
        )

    def _add_workflow(self, _: TrainedModelPlan, props: TrainingWorkflowProps) -> TrainingWorkflow:
        return TrainingWorkflow(self, "Training", props=props)


def _job_props(plan: TrainedModelPlan, foundation: FoundationPlan) -> TrainingJobProps:
    return TrainingJobProps(
        job_name_prefix=plan.job_name_prefix,
        attempts=tuple(
            TrainingAttempt(
                instance_type=attempt.instance_type,
                image_uri=attempt.image.uri,
                ends_after_s=attempt.ends_after_s,
                hardware=attempt.hardware,
                usd_per_hour=attempt.usd_per_hour,
                gpu_count=attempt.gpu_count,
                instance_count=attempt.instance_count,
                volume_size_gib=attempt.volume_size_gib,
                has_local_nvme=not attempt.encrypt_volume_with_key,
                use_managed_spot=attempt.spot,
            )
            for attempt in plan.attempts
        ),
        output_key_prefix=plan.output_prefix,
        channels=tuple(
            TrainingChannel(channel_name=name, key_prefix=source)
            if isinstance(source, str)
            else FileSystemChannel(
                channel_name=name,
                file_system_type=source.type,
                file_system_id=source.id,
                directory_path=source.directory,
                subnet_id=source.subnet_id,
            )
            for name, source in plan.channels.items()
        ),
        code=TrainingCode(key_prefix=plan.code.prefix, command=plan.code.command) if plan.code else None,
        checkpoint=TrainingCheckpoint(
            key_prefix=plan.checkpoint.prefix, interval_minutes=plan.checkpoint.interval_minutes
        )
        if plan.checkpoint
        else None,
        hyperparameters=plan.hyperparameters,
        metrics=plan.metrics,
        environment_variables=plan.environment,
        experiment=_experiment(plan.experiment, foundation) if plan.experiment else None,
        enable_network_isolation=plan.network_isolation,
        encrypt_inter_container_traffic=plan.encrypt_inter_container_traffic,
        job_tags=plan.job_tags,
        **_of_training_job(plan),
    )


def _experiment(name: str, foundation: FoundationPlan) -> TrainingExperiment:
    arn = foundation.existing.mlflow_arn
    return TrainingExperiment(
        name=name,
        is_app=arn is None or is_app(arn),
        artifact_prefix=ARTIFACT_PREFIX if arn is None else None,
    )


def _of_training_job(plan: TrainedModelPlan) -> dict[str, Any]:
    """Return what CreateTrainingJob takes, and a tuning job does not."""
    if not isinstance(plan, TrainingJobPlan):
        return {}
    return {
        "keep_alive_s": 60 * (plan.keep_alive_minutes or 0),
        "tensorboard": plan.tensorboard,
        "training_plan_arn": plan.training_plan_arn,
    }

"""The stack of one training job."""

from typing import Any

from constructs import Construct

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
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.planning.training_plan_model import TrainedModelPlan
from sizewell.stacks.schedule_timing import start_props
from sizewell.stacks.workload_stack import WorkloadStack, props_of


class TrainingStack(WorkloadStack):
    """State machine, schedule and alarms of one workload."""

    training: TrainingWorkflow

    def __init__(self, scope: Construct, construct_id: str, *, plan: TrainedModelPlan, **kwargs: Any) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.training = self._add_workflow(
            plan,
            self.props(
                TrainingWorkflowProps,
                plan,
                workload_name=plan.name,
                job=_job_props(plan, self.foundation_plan),
                image_repository_arns=tuple(
                    dict.fromkeys(attempt.image.repository_arn for attempt in plan.attempts)
                ),
                **start_props(plan),
            ),
        )

    def _add_workflow(self, _: TrainedModelPlan, props: TrainingWorkflowProps) -> TrainingWorkflow:
        return TrainingWorkflow(self, "Training", props=props)


def _job_props(plan: TrainedModelPlan, foundation: FoundationPlan) -> TrainingJobProps:
    return props_of(
        TrainingJobProps,
        plan,
        attempts=tuple(
            props_of(
                TrainingAttempt,
                attempt,
                image_uri=attempt.image.uri,
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
        environment_variables=plan.environment,
        experiment=_experiment(plan.experiment, foundation) if plan.experiment else None,
        enable_network_isolation=plan.network_isolation,
        keep_alive_s=60 * (getattr(plan, "keep_alive_minutes", None) or 0),
    )


def _experiment(name: str, foundation: FoundationPlan) -> TrainingExperiment:
    arn = foundation.existing.mlflow_arn
    return TrainingExperiment(
        name=name,
        is_app=arn is None or is_app(arn),
        artifact_prefix=ARTIFACT_PREFIX if arn is None else None,
    )

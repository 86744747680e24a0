"""The stack of one processing job."""

from typing import Any

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.foundation.foundation_parameters import read_foundation_references
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.processing_job import (
    ProcessingAttempt,
    ProcessingInput,
    ProcessingJobProps,
    ProcessingOutput,
)
from constructs_lib.jobs.processing_workflow import ProcessingWorkflow, ProcessingWorkflowProps
from constructs_lib.jobs.training_job import TrainingCode
from sizewell.kinds.processing_job.plan_model import ProcessingJobPlan
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.stacks.removal import removal_policy
from sizewell.stacks.schedule_timing import schedule_timing, start_events


class ProcessingStack(Stack):
    """State machine, schedule and alarms of one workload."""

    foundation: FoundationReferences
    """What the foundation publishes, such as the alarm topic: tokens of this stack."""
    processing: ProcessingWorkflow

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        plan: ProcessingJobPlan,
        foundation_plan: FoundationPlan,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.foundation = read_foundation_references(self, foundation_plan.parameter_prefix)
        self.processing = ProcessingWorkflow(
            self,
            "Processing",
            props=ProcessingWorkflowProps(
                workload_name=plan.name,
                state_machine_name=plan.state_machine_name,
                job=_job_props(plan),
                image_repository_arn=plan.image.repository_arn,
                schedule=schedule_timing(plan.schedule),
                events=start_events(plan.starts_on),
                log_retention_days=foundation_plan.log_retention_days,
                removal_policy=removal_policy(foundation_plan),
                foundation=self.foundation,
                execution_role_arn=plan.execution_role_arn,
            ),
        )


def _job_props(plan: ProcessingJobPlan) -> ProcessingJobProps:
    return ProcessingJobProps(
        job_name_prefix=plan.job_name_prefix,
        image_uri=plan.image.uri,
        attempts=tuple(
            ProcessingAttempt(
                instance_type=attempt.instance_type,
                instance_count=attempt.instance_count,
                volume_size_gib=attempt.volume_size_gib,
                has_local_nvme=not attempt.encrypt_volume_with_key,
                usd_per_hour=attempt.usd_per_hour,
            )
            for attempt in plan.attempts
        ),
        inputs={
            name: ProcessingInput(
                key_prefix=one.prefix, is_pipe=one.mode == "pipe", is_sharded=one.distribution == "sharded"
            )
            for name, one in plan.inputs.items()
        },
        outputs={
            name: ProcessingOutput(key_prefix=one.prefix, is_continuous=one.upload == "continuous")
            for name, one in plan.outputs.items()
        },
        code=TrainingCode(key_prefix=plan.code.prefix, command=plan.code.command) if plan.code else None,
        environment_variables=plan.environment,
        enable_network_isolation=plan.network_isolation,
        deadline_s=plan.deadline_s,
        job_tags=plan.job_tags,
    )

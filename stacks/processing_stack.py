"""The stack of one processing job."""

from typing import Any

from constructs import Construct

from constructs_lib.jobs.processing_job import (
    ProcessingAttempt,
    ProcessingInput,
    ProcessingJobProps,
    ProcessingOutput,
)
from constructs_lib.jobs.processing_workflow import ProcessingWorkflow, ProcessingWorkflowProps
from constructs_lib.jobs.training_job import TrainingCode
from sizewell.kinds.processing_job.plan_model import ProcessingJobPlan
from sizewell.stacks.schedule_timing import start_props
from sizewell.stacks.workload_stack import WorkloadStack, props_of


class ProcessingStack(WorkloadStack):
    """State machine, schedule and alarms of one workload."""

    processing: ProcessingWorkflow

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: ProcessingJobPlan, **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.processing = ProcessingWorkflow(
            self,
            "Processing",
            props=self.props(
                ProcessingWorkflowProps,
                plan,
                workload_name=plan.name,
                job=_job_props(plan),
                image_repository_arn=plan.image.repository_arn,
                **start_props(plan),
            ),
        )


def _job_props(plan: ProcessingJobPlan) -> ProcessingJobProps:
    return props_of(
        ProcessingJobProps,
        plan,
        image_uri=plan.image.uri,
        attempts=tuple(
            props_of(ProcessingAttempt, attempt, has_local_nvme=not attempt.encrypt_volume_with_key)
            for attempt in plan.attempts
        ),
        inputs={
            name: ProcessingInput(
                key_prefix=read.prefix, is_pipe=read.mode == "pipe", is_sharded=read.distribution == "sharded"
            )
            for name, read in plan.inputs.items()
        },
        outputs={
            name: ProcessingOutput(key_prefix=written.prefix, is_continuous=written.upload == "continuous")
            for name, written in plan.outputs.items()
        },
        code=TrainingCode(key_prefix=plan.code.prefix, command=plan.code.command) if plan.code else None,
        environment_variables=plan.environment,
        enable_network_isolation=plan.network_isolation,
    )

"""The stack of one batch transform."""

from typing import Any, Literal

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.foundation.foundation_parameters import read_foundation_references
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.batch_transform import BatchTransform, BatchTransformProps
from constructs_lib.jobs.transform_job import TransformAttempt, TransformInput, TransformJobProps
from sizewell.kinds.batch_transform.plan_model import BatchTransformPlan
from sizewell.planning.foundation_plan_model import FoundationPlan
from sizewell.stacks.model_containers import COMPRESSION, container_props, pipeline_props
from sizewell.stacks.removal import removal_policy
from sizewell.stacks.schedule_timing import schedule_timing, start_events

_SPLIT: dict[str, Literal["None", "Line", "RecordIO", "TFRecord"]] = {
    "none": "None",
    "line": "Line",
    "record-io": "RecordIO",
    "tf-record": "TFRecord",
}
_STRATEGY: dict[str, Literal["MultiRecord", "SingleRecord"]] = {
    "multi-record": "MultiRecord",
    "single-record": "SingleRecord",
}


class BatchTransformStack(Stack):
    """Model, state machine, schedule and alarms of one workload."""

    foundation: FoundationReferences
    """What the foundation publishes, such as the alarm topic: tokens of this stack."""
    transform: BatchTransform

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        plan: BatchTransformPlan,
        foundation_plan: FoundationPlan,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.foundation = read_foundation_references(self, foundation_plan.parameter_prefix)
        self.transform = BatchTransform(
            self,
            "Transform",
            props=BatchTransformProps(
                workload_name=plan.name,
                state_machine_name=plan.state_machine_name,
                **container_props(plan, self.foundation),
                **pipeline_props(plan.pipeline),
                network_isolation=plan.network_isolation,
                job=_job_props(plan),
                schedule=schedule_timing(plan.schedule),
                events=start_events(plan.starts_on),
                log_retention_days=foundation_plan.log_retention_days,
                removal_policy=removal_policy(foundation_plan),
                foundation=self.foundation,
                execution_role_arn=plan.execution_role_arn,
            ),
        )


def _job_props(plan: BatchTransformPlan) -> TransformJobProps:
    return TransformJobProps(
        job_name_prefix=plan.job_name_prefix,
        attempts=tuple(
            TransformAttempt(
                instance_type=attempt.instance_type,
                instance_count=attempt.instance_count,
                max_concurrent_transforms=attempt.max_concurrent_transforms,
                invocation_timeout_s=attempt.invocation_timeout_s,
                has_local_nvme=not attempt.encrypt_volume_with_key,
                usd_per_hour=attempt.usd_per_hour,
            )
            for attempt in plan.attempts
        ),
        data=TransformInput(
            key_prefix=plan.data.prefix,
            content_type=plan.data.content_type,
            split_type=_SPLIT[plan.data.split],
            compression_type=COMPRESSION[plan.data.compression],
        ),
        output_key_prefix=plan.output_prefix,
        deadline_s=plan.deadline_s,
        accept=plan.accept,
        batch_strategy=_STRATEGY[plan.strategy] if plan.strategy else None,
        max_payload_mb=plan.max_payload_mb,
        invocation_retries=plan.retries,
        join_input=plan.join == "input",
        input_filter=plan.input_filter,
        output_filter=plan.output_filter,
        job_tags=plan.job_tags,
    )

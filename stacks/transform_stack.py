"""The stack of one batch transform."""

from typing import Any, Literal

from constructs import Construct

from constructs_lib.jobs.batch_transform import BatchTransform, BatchTransformProps
from constructs_lib.jobs.transform_job import TransformAttempt, TransformInput, TransformJobProps
from sizewell.kinds.batch_transform.plan_model import BatchTransformPlan
from sizewell.stacks.model_containers import COMPRESSION, container_props, pipeline_props
from sizewell.stacks.schedule_timing import start_props
from sizewell.stacks.workload_stack import WorkloadStack, props_of

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


class BatchTransformStack(WorkloadStack):
    """Model, state machine, schedule and alarms of one workload."""

    transform: BatchTransform

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: BatchTransformPlan, **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.transform = BatchTransform(
            self,
            "Transform",
            props=self.props(
                BatchTransformProps,
                plan,
                workload_name=plan.name,
                **container_props(plan, self.foundation),
                **pipeline_props(plan.pipeline),
                job=_job_props(plan),
                **start_props(plan),
            ),
        )


def _job_props(plan: BatchTransformPlan) -> TransformJobProps:
    return props_of(
        TransformJobProps,
        plan,
        attempts=tuple(
            props_of(TransformAttempt, attempt, has_local_nvme=not attempt.encrypt_volume_with_key)
            for attempt in plan.attempts
        ),
        data=TransformInput(
            key_prefix=plan.data.prefix,
            content_type=plan.data.content_type,
            split_type=_SPLIT[plan.data.split],
            compression_type=COMPRESSION[plan.data.compression],
        ),
        output_key_prefix=plan.output_prefix,
        batch_strategy=_STRATEGY[plan.strategy] if plan.strategy else None,
        invocation_retries=plan.retries,
        join_input=plan.join == "input",
    )

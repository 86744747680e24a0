"""The stack of a batch transform that AWS Batch runs."""

from typing import Any

from constructs import Construct

from constructs_lib.clusters.batch_instances import BatchInstancesProps
from constructs_lib.clusters.batch_job import BatchJobProps
from constructs_lib.jobs.transform_by_batch import TransformByBatch, TransformByBatchProps
from sizewell.stacks.schedule_timing import start_props
from sizewell.stacks.workload_stack import WorkloadStack
from sizewell.targets.batch.transform_job.plan_model import PROGRAM, BatchTransformJobPlan
from sizewell.targets.contract import packed
from sizewell.targets.contract.transform import transform_variables


class TransformByBatchStack(WorkloadStack):
    """Instances, job definition, state machine, schedule and alarms of one workload."""

    transform: TransformByBatch

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: BatchTransformJobPlan, **kwargs: Any
    ) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.transform = TransformByBatch(
            self,
            "Transform",
            props=self.props(
                TransformByBatchProps,
                plan,
                workload_name=plan.name,
                usd_per_hour=plan.attempts[0].usd_per_hour,
                instances=self.props(
                    BatchInstancesProps,
                    plan,
                    instance_types=plan.instance_pools,
                    has_gpus=plan.gpu_count > 0,
                    max_vcpus=plan.max_vcpus,
                    longest_job_s=plan.deadline_s,
                    waits_s={False: plan.deadline_s},
                    instance_tags=plan.job_tags,
                ),
                job=self.props(
                    BatchJobProps,
                    plan.container,
                    job_name=plan.job_name,
                    image_uri=plan.image.uri,
                    repository_arn=plan.image.repository_arn,
                    program=packed(PROGRAM),
                    environment_variables=transform_variables(
                        plan, self.foundation.artifact_bucket_name, self.region
                    ),
                    input_key_prefixes=(plan.data.prefix,),
                    artifact_key=plan.artifact_key,
                    output_key_prefix=plan.output_prefix,
                    log_stream_prefix="transform",
                ),
                **start_props(plan),
            ),
        )

"""The stacks of what AWS Batch runs."""

from collections.abc import Mapping
from typing import Any

from constructs import Construct

from constructs_lib.clusters.batch_instances import BatchInstancesProps
from constructs_lib.clusters.batch_job import BatchJobProps
from constructs_lib.jobs.batch_training import BatchAttempt, BatchTraining, BatchTrainingProps
from constructs_lib.jobs.transform_by_batch import TransformByBatch, TransformByBatchProps
from sizewell.stacks.schedule_timing import start_props
from sizewell.stacks.workload_stack import WorkloadStack, props_of
from sizewell.targets.batch.job.plan_model import BatchJobPlan
from sizewell.targets.batch.jobs_plan_model import BatchJobsPlan
from sizewell.targets.batch.transform_job.plan_model import PROGRAM as TRANSFORM_PROGRAM
from sizewell.targets.batch.transform_job.plan_model import BatchTransformJobPlan
from sizewell.targets.contract import packed
from sizewell.targets.contract.trainer import training_variables
from sizewell.targets.contract.transform import transform_variables
from sizewell.targets.training.plan_model import PROGRAM as TRAINING_PROGRAM


class _BatchStack(WorkloadStack):
    """Instances, job definition, state machine, schedule and alarms of one workload."""

    def _instances(self, plan: BatchJobsPlan, waits_s: Mapping[bool, int]) -> BatchInstancesProps:
        return self.props(
            BatchInstancesProps,
            plan,
            instance_types=plan.instance_pools,
            has_gpus=plan.gpu_count > 0,
            max_vcpus=plan.max_vcpus,
            longest_job_s=plan.deadline_s,
            waits_s=waits_s,
            instance_tags=plan.job_tags,
        )

    def _job(self, plan: BatchJobsPlan, **values: Any) -> BatchJobProps:
        return self.props(
            BatchJobProps,
            plan.container,
            job_name=plan.job_name,
            image_uri=plan.image.uri,
            repository_arn=plan.image.repository_arn,
            output_key_prefix=plan.output_prefix,
            **values,
        )


class BatchStack(_BatchStack):
    """A training that AWS Batch runs."""

    training: BatchTraining

    def __init__(self, scope: Construct, construct_id: str, *, plan: BatchJobPlan, **kwargs: Any) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.training = BatchTraining(
            self,
            "Training",
            props=self.props(
                BatchTrainingProps,
                plan,
                workload_name=plan.name,
                attempts=tuple(props_of(BatchAttempt, attempt) for attempt in plan.attempts),
                hyperparameters=plan.all_hyperparameters,
                instances=self._instances(
                    plan, {attempt.spot: attempt.ends_after_s for attempt in plan.attempts}
                ),
                job=self._job(
                    plan,
                    program=packed(TRAINING_PROGRAM),
                    environment_variables={
                        **training_variables(plan, self.foundation, self.region),
                        # ECS stops no job of Batch when EC2 takes its instance back: draining leaves standalone tasks alone
                        # (https://docs.aws.amazon.com/AmazonECS/latest/developerguide/container-instance-draining.html).
                        "SPOT_NOTICES": "true",
                    },
                    log_stream_prefix="train",
                    input_key_prefixes=tuple(plan.downloads.values()),
                    checkpoint_key_prefix=plan.checkpoint.prefix if plan.checkpoint else None,
                ),
                **start_props(plan),
            ),
        )


class TransformByBatchStack(_BatchStack):
    """A batch transform that AWS Batch runs."""

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
                instances=self._instances(plan, {False: plan.deadline_s}),
                job=self._job(
                    plan,
                    program=packed(TRANSFORM_PROGRAM),
                    environment_variables=transform_variables(
                        plan, self.foundation.artifact_bucket_name, self.region
                    ),
                    log_stream_prefix="transform",
                    input_key_prefixes=(plan.data.prefix,),
                    artifact_key=plan.artifact_key,
                ),
                **start_props(plan),
            ),
        )

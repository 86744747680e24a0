"""The stack of a training that AWS Batch runs."""

from typing import Any

from constructs import Construct

from constructs_lib.clusters.batch_instances import BatchInstancesProps
from constructs_lib.clusters.batch_job import BatchJobProps
from constructs_lib.jobs.batch_training import BatchAttempt, BatchTraining, BatchTrainingProps
from sizewell.stacks.schedule_timing import start_props
from sizewell.stacks.workload_stack import WorkloadStack, props_of
from sizewell.targets.batch.job.plan_model import BatchJobPlan
from sizewell.targets.contract import packed
from sizewell.targets.contract.trainer import training_variables
from sizewell.targets.training.plan_model import PROGRAM


class BatchStack(WorkloadStack):
    """Instances, job definition, state machine, schedule and alarms of one workload."""

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
                instances=self.props(
                    BatchInstancesProps,
                    plan,
                    instance_types=plan.instance_pools,
                    has_gpus=plan.gpu_count > 0,
                    max_vcpus=plan.max_vcpus,
                    longest_job_s=plan.deadline_s,
                    waits_s={attempt.spot: attempt.ends_after_s for attempt in plan.attempts},
                    instance_tags=plan.job_tags,
                ),
                job=self.props(
                    BatchJobProps,
                    plan.container,
                    job_name=plan.job_name,
                    image_uri=plan.image.uri,
                    repository_arn=plan.image.repository_arn,
                    program=packed(PROGRAM),
                    environment_variables={
                        **training_variables(plan, self.foundation, self.region),
                        # ECS stops no job of Batch when EC2 takes its instance back: draining leaves standalone tasks alone
                        # (https://docs.aws.amazon.com/AmazonECS/latest/developerguide/container-instance-draining.html).
                        "SPOT_NOTICES": "true",
                    },
                    log_stream_prefix="train",
                    input_key_prefixes=tuple(plan.downloads.values()),
                    output_key_prefix=plan.output_prefix,
                    checkpoint_key_prefix=plan.checkpoint.prefix if plan.checkpoint else None,
                ),
                **start_props(plan),
            ),
        )

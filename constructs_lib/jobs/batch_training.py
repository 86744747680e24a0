"""A training that AWS Batch runs: the state machine tries Spot and then goes on on demand."""

from dataclasses import dataclass

from aws_cdk import Stack
from constructs import Construct

from constructs_lib.jobs.batch_jobs import QUEUE, RAN_S, TRAINING_BY_BATCH, BatchJobs
from constructs_lib.jobs.batch_workload import (
    DEFINITION,
    OUTPUT,
    BatchWorkload,
    BatchWorkloadProps,
    queue_placeholder,
)
from constructs_lib.jobs.job_cost import USD, cost_totals
from constructs_lib.jobs.job_state_machine_definition import JobAttempt, job_state_machine_definition
from constructs_lib.jobs.training_job_request import ALL_HYPERPARAMETERS, HYPERPARAMETERS, RESUME, RUN_NAME
from constructs_lib.workflows.state_language import State
from constructs_lib.workflows.workflow_messages import WARNINGS
from sizewell.facts.training_jobs import (
    MANY_INTERRUPTIONS,
)


@dataclass(frozen=True, kw_only=True)
class BatchAttempt:
    """A queue that is tried, on Spot or on demand, until so many seconds after the start of the execution.

    ``usd_per_hour`` is what an instance is expected to cost there; None is unknown.
    """

    spot: bool
    ends_after_s: int
    usd_per_hour: float | None


@dataclass(frozen=True, kw_only=True)
class BatchTrainingProps(BatchWorkloadProps):
    """What is trained; ``hyperparameters`` are all that the script gets, unless an execution has others."""

    attempts: tuple[BatchAttempt, ...]
    hyperparameters: dict[str, str]


class BatchTraining(BatchWorkload):
    """Instances, job definition, state machine, schedule and alarms of one training workload."""

    def __init__(self, scope: Construct, construct_id: str, *, props: BatchTrainingProps) -> None:
        definition = batch_training_definition(props, partition=Stack.of(scope).partition)
        super().__init__(scope, construct_id, props=props, kind=TRAINING_BY_BATCH, definition=definition)


def batch_training_definition(props: BatchTrainingProps, *, partition: str) -> State:
    """Return the state machine definition as plain data.

    The end of an execution says what it cost: the time in which its containers ran, at the price that is expected.
    """
    return job_state_machine_definition(
        BatchJobs(TRAINING_BY_BATCH, partition),
        tuple(_attempt(props, attempt) for attempt in props.attempts),
        job_name_prefix=props.job.job_name,
        variables={
            HYPERPARAMETERS: props.hyperparameters,
            "instance_types": list(props.instances.instance_types),
        },
        totals={
            "training_s": RAN_S,
            **cost_totals(RAN_S),
            "interruptions": "$count($job.Attempts) > 1 ? $count($job.Attempts) - 1 : 0",
        },
        report={
            "TrainingJobName": "{% $job_name %}",
            "JobId": "{% $job_id %}",
            "InstanceTypes": "{% $instance_types %}",
            "InstanceCount": "{% 1 %}",
            "ManagedSpot": "{% $managed_spot %}",
            "ModelArtifacts": f"{{% '${{{OUTPUT}}}' & ({RUN_NAME}) & '/output/model.tar.gz' %}}",
            "Interruptions": "{% $interruptions %}",
            WARNINGS: (
                f"{{% [$interruptions >= {MANY_INTERRUPTIONS} ? 'Instances were lost ' & $interruptions & ' times: another "
                "instance type or region may be calmer, and a lower spot.max_wait_hours goes on on demand earlier'] %}"
            ),
        },
        spent={"TrainingTimeInSeconds": "$training_s", "UsdOfInstances": USD},
        input_keys=(HYPERPARAMETERS, RESUME) if props.job.checkpoint_key_prefix else (HYPERPARAMETERS,),
    )


def _attempt(props: BatchTrainingProps, attempt: BatchAttempt) -> JobAttempt:
    types = ", ".join(props.instances.instance_types)
    return JobAttempt(
        request={
            "JobDefinition": f"${{{DEFINITION}}}",
            "ContainerOverrides": {
                "Environment": [
                    {"Name": "HYPERPARAMETERS", "Value": f"{{% $string({ALL_HYPERPARAMETERS}) %}}"},
                    {"Name": "RUN_NAME", "Value": f"{{% {RUN_NAME} %}}"},
                ]
            },
        },
        ends_after_s=attempt.ends_after_s,
        instance_count=1,
        tried=f"{types} {'Spot' if attempt.spot else 'on demand'}",
        usd_per_hour=attempt.usd_per_hour,
        variables={
            QUEUE: f"${{{queue_placeholder(attempt.spot)}}}",
            "job_id": "",
            "is_lost": False,
            "managed_spot": attempt.spot,
        },
    )

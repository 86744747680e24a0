"""A training that AWS Batch runs: its instances, its job, and the state machine that tries Spot and then goes on on demand."""

from dataclasses import dataclass

from aws_cdk import RemovalPolicy, Stack
from constructs import Construct

from constructs_lib.clusters.batch_instances import BatchInstances, BatchInstancesProps
from constructs_lib.clusters.batch_job import BatchJob, BatchJobProps
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.batch_jobs import QUEUE, TRAINING_BY_BATCH, BatchJobs
from constructs_lib.jobs.job_cost import USD, cost_totals
from constructs_lib.jobs.job_state_machine_definition import (
    TIMEOUT_PLACEHOLDER,
    JobAttempt,
    job_state_machine_definition,
)
from constructs_lib.jobs.training_job_request import ALL_HYPERPARAMETERS, HYPERPARAMETERS, RESUME, RUN_NAME
from constructs_lib.policies.statements import allow
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from constructs_lib.workflows.scheduled_workflow import schedule_and_watch
from constructs_lib.workflows.state_language import State
from constructs_lib.workflows.state_machine_role import Permissions
from constructs_lib.workflows.workflow_events import StartEvents
from constructs_lib.workflows.workflow_messages import WARNINGS
from constructs_lib.workflows.workflow_state_machine import WorkflowStateMachine, WorkflowStateMachineProps
from sizewell.facts.training_jobs import MANY_INTERRUPTIONS

#: The rule through which Step Functions learns that a job has ended; AWS gives it this name:
#: https://docs.aws.amazon.com/step-functions/latest/dg/batch-iam.html
_SYNC_RULE_NAME = "StepFunctionsGetEventsForBatchJobsRule"
_DEFINITION, _OUTPUT = "JobDefinitionArn", "OutputUri"


@dataclass(frozen=True, kw_only=True)
class BatchAttempt:
    """A queue that is tried, on Spot or on demand, until so many seconds after the start of the execution.

    ``usd_per_hour`` is what an instance is expected to cost there; None is unknown.
    """

    spot: bool
    ends_after_s: int
    usd_per_hour: float | None


@dataclass(frozen=True, kw_only=True)
class BatchTrainingProps:
    """What is trained where, and what starts it; as ``TrainingWorkflowProps`` have it.

    ``hyperparameters`` are all that the script gets, unless an execution has others.
    """

    workload_name: str
    state_machine_name: str
    attempts: tuple[BatchAttempt, ...]
    hyperparameters: dict[str, str]
    instances: BatchInstancesProps
    job: BatchJobProps
    foundation: FoundationReferences
    log_retention_days: int
    removal_policy: RemovalPolicy
    schedule: TrainingScheduleTiming | None = None
    events: StartEvents | None = None
    report_success: bool = False


class BatchTraining(Construct):
    """Instances, job definition, state machine, schedule and alarms of one training workload."""

    instances: BatchInstances
    job: BatchJob

    def __init__(self, scope: Construct, construct_id: str, *, props: BatchTrainingProps) -> None:
        super().__init__(scope, construct_id)
        self.instances = BatchInstances(self, "Instances", props=props.instances)
        self.job = BatchJob(self, "Job", props=props.job)
        queue_arns = self.instances.queue_arns
        job, foundation = props.job, props.foundation
        machine = WorkflowStateMachine(
            self,
            "Workflow",
            props=WorkflowStateMachineProps(
                state_machine_name=props.state_machine_name,
                workload_name=props.workload_name,
                noun=TRAINING_BY_BATCH.workflow,
                definition=batch_training_definition(props, partition=Stack.of(self).partition),
                values={
                    TIMEOUT_PLACEHOLDER: TRAINING_BY_BATCH.task_timeout,
                    _DEFINITION: self.job.definition.ref,
                    _OUTPUT: f"s3://{foundation.artifact_bucket_name}/{job.output_key_prefix}/",
                    **{_queue(spot): arn for spot, arn in queue_arns.items()},
                },
                permissions=_permissions(Stack.of(self), job.job_name, list(queue_arns.values())),
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                foundation=foundation,
                report_success=props.report_success,
            ),
        )
        schedule_and_watch(self, TRAINING_BY_BATCH.workflow, machine.state_machine_arn, props)


def batch_training_definition(props: BatchTrainingProps, *, partition: str) -> State:
    """Return the state machine definition as plain data.

    The end of an execution says what it cost: the time in which its containers ran, at the price that is expected. AWS bills a
    little more, for the start of instances and until Batch ends them.
    """
    ran = "$job.Attempts[$exists(StartedAt) and $exists(StoppedAt)].(StoppedAt - StartedAt)"
    ran_s = f"$round($sum($append(0, {ran})) / 1000)"
    return job_state_machine_definition(
        BatchJobs(partition),
        tuple(_attempt(props, attempt) for attempt in props.attempts),
        job_name_prefix=props.job.job_name,
        variables={
            HYPERPARAMETERS: props.hyperparameters,
            "instance_types": list(props.instances.instance_types),
        },
        totals={
            "training_s": ran_s,
            **cost_totals(ran_s),
            "interruptions": "$count($job.Attempts) > 1 ? $count($job.Attempts) - 1 : 0",
        },
        report={
            "TrainingJobName": "{% $job_name %}",
            "JobId": "{% $job_id %}",
            "InstanceTypes": "{% $instance_types %}",
            "InstanceCount": "{% 1 %}",
            "ManagedSpot": "{% $managed_spot %}",
            "ModelArtifacts": f"{{% '${{{_OUTPUT}}}' & ({RUN_NAME}) & '/output/model.tar.gz' %}}",
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
            "JobDefinition": f"${{{_DEFINITION}}}",
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
            QUEUE: f"${{{_queue(attempt.spot)}}}",
            "job_id": "",
            "is_lost": False,
            "managed_spot": attempt.spot,
        },
    )


def _queue(spot: bool) -> str:
    return f"{'Spot' if spot else 'OnDemand'}QueueArn"


def _permissions(stack: Stack, job_name: str, queue_arns: list[str]) -> Permissions:
    where = f"arn:{stack.partition}:batch:{stack.region}:{stack.account}"
    # Of any revision: an execution that runs while the definition is updated names that of its beginning.
    definition, job = f"{where}:job-definition/{job_name}:*", f"{where}:job/*"
    rule = f"arn:{stack.partition}:events:{stack.region}:{stack.account}:rule/{_SYNC_RULE_NAME}"
    return Permissions(
        description=f"Orchestration of jobs {job_name}-*",
        statements=[
            allow(("batch:SubmitJob",), [definition, *queue_arns]),
            allow(("batch:TerminateJob",), job),
            allow(("batch:DescribeJobs", "batch:ListJobs"), "*"),
            allow(("events:DescribeRule", "events:PutRule", "events:PutTargets"), rule),
        ],
        wildcards={
            definition: "Each update of the definition is a new revision of it.",
            job: "Batch names a job by a random identifier, which nobody knows before it is submitted.",
        },
    )

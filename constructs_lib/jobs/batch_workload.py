"""What AWS Batch runs as a state machine: its instances, its job definition, its machine, and what starts and watches that."""

from dataclasses import dataclass

from aws_cdk import RemovalPolicy, Stack
from constructs import Construct

from constructs_lib.clusters.batch_instances import BatchInstances, BatchInstancesProps
from constructs_lib.clusters.batch_job import BatchJob, BatchJobProps
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.job_kind import JobKind
from constructs_lib.jobs.job_state_machine_definition import TIMEOUT_PLACEHOLDER
from constructs_lib.policies.statements import allow
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from constructs_lib.workflows.scheduled_workflow import schedule_and_watch
from constructs_lib.workflows.state_language import State
from constructs_lib.workflows.state_machine_role import Permissions
from constructs_lib.workflows.workflow_events import StartEvents
from constructs_lib.workflows.workflow_state_machine import WorkflowStateMachine, WorkflowStateMachineProps

#: The rule through which Step Functions learns that a job has ended; AWS gives it this name:
#: https://docs.aws.amazon.com/step-functions/latest/dg/batch-iam.html
_SYNC_RULE_NAME = "StepFunctionsGetEventsForBatchJobsRule"
#: Placeholders of a definition: the job definition, and the prefix of what runs write.
DEFINITION, OUTPUT = "JobDefinitionArn", "OutputUri"


@dataclass(frozen=True, kw_only=True)
class BatchWorkloadProps:
    """What runs where, and what starts it; as ``TrainingWorkflowProps`` have it."""

    workload_name: str
    state_machine_name: str
    instances: BatchInstancesProps
    job: BatchJobProps
    foundation: FoundationReferences
    log_retention_days: int
    removal_policy: RemovalPolicy
    schedule: TrainingScheduleTiming | None = None
    events: StartEvents | None = None
    report_success: bool = False


class BatchWorkload(Construct):
    """Instances, job definition, state machine, schedule and alarms of one workload."""

    instances: BatchInstances
    job: BatchJob

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        props: BatchWorkloadProps,
        kind: JobKind,
        definition: State,
    ) -> None:
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
                noun=kind.workflow,
                definition=definition,
                values={
                    TIMEOUT_PLACEHOLDER: kind.task_timeout,
                    DEFINITION: self.job.definition.ref,
                    OUTPUT: f"s3://{foundation.artifact_bucket_name}/{job.output_key_prefix}/",
                    **{queue_placeholder(spot): arn for spot, arn in queue_arns.items()},
                },
                permissions=_permissions(Stack.of(self), job.job_name, list(queue_arns.values())),
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                foundation=foundation,
                report_success=props.report_success,
            ),
        )
        schedule_and_watch(self, kind.workflow, machine.state_machine_arn, props)


def queue_placeholder(spot: bool) -> str:
    """Return the placeholder of a definition for the queue on Spot, or on demand."""
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

"""Everything that one processing workload needs, in one construct, with the body of its ``CreateProcessingJob`` requests.

CloudFormation's processing job runs once, when it is deployed, so the request is embedded in a Step Functions task. Members:
https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateProcessingJob.html
"""

from dataclasses import dataclass

from aws_cdk import Fn, RemovalPolicy, Stack
from constructs import Construct

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.job_cost import USD, cost_totals, seconds_between
from constructs_lib.jobs.job_kind import PROCESSING
from constructs_lib.jobs.job_role import JobRole, JobRoleProps
from constructs_lib.jobs.job_state_machine import JobStateMachine, JobStateMachineProps
from constructs_lib.jobs.job_state_machine_definition import LEFT_S, JobAttempt, job_state_machine_definition
from constructs_lib.jobs.processing_job import ProcessingAttempt, ProcessingJobProps
from constructs_lib.jobs.sagemaker_jobs import SageMakerJobs
from constructs_lib.policies.container_images import image_repository_arn
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from constructs_lib.workflows.scheduled_workflow import schedule_and_watch
from constructs_lib.workflows.state_language import State
from constructs_lib.workflows.workflow_events import StartEvents
from sizewell.facts.processing_jobs import CODE_INPUT, INPUT_PATH, OUTPUT_PATH


@dataclass(frozen=True, kw_only=True)
class ProcessingWorkflowProps:
    """A processing workload: its job, the name people start it by, and when it starts by itself.

    ``image_repository_arn`` is the ECR repository of ``job.image_uri``; None takes it from there. ``schedule`` None means
    that only people start the workflow. ``log_retention_days`` and ``removal_policy`` are for the log of its executions,
    which outlives its stack: it says why something failed. ``execution_role_arn`` names a role of the account that SageMaker
    assumes for the jobs; None makes one that may do no more than this job needs.
    """

    workload_name: str
    state_machine_name: str
    job: ProcessingJobProps
    foundation: FoundationReferences
    image_repository_arn: str | None = None
    schedule: TrainingScheduleTiming | None = None
    events: StartEvents | None = None
    log_retention_days: int = 90
    removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    execution_role_arn: str | None = None


class ProcessingWorkflow(Construct):
    """Execution role, state machine, schedule and alarms of one processing workload."""

    def __init__(self, scope: Construct, construct_id: str, *, props: ProcessingWorkflowProps) -> None:
        super().__init__(scope, construct_id)
        foundation, role_arn = props.foundation, props.execution_role_arn or self._add_role(props)
        machine = JobStateMachine(
            self,
            "Workflow",
            props=JobStateMachineProps(
                state_machine_name=props.state_machine_name,
                workload_name=props.workload_name,
                kind=PROCESSING,
                job_name_prefix=props.job.job_name_prefix,
                definition=processing_state_machine_definition(props.job, partition=Stack.of(self).partition),
                values={
                    "RoleArn": role_arn,
                    # Stands between the quotes of one list element.
                    "SubnetIds": Fn.join('","', foundation.subnet_ids),
                    "SecurityGroupId": foundation.training_security_group_id,
                    "DataKeyArn": foundation.data_key_arn,
                    "ArtifactBucketName": foundation.artifact_bucket_name,
                },
                passed_role_arn=role_arn,
                log_retention_days=props.log_retention_days,
                removal_policy=props.removal_policy,
                foundation=foundation,
            ),
        )
        self.state_machine_arn = machine.state_machine_arn
        schedule_and_watch(self, PROCESSING.workflow, machine.state_machine_arn, props)

    def _add_role(self, props: ProcessingWorkflowProps) -> str:
        job, foundation = props.job, props.foundation
        artifacts = foundation.artifact_bucket_name
        repository_arn = props.image_repository_arn or image_repository_arn(self, job.image_uri)
        role = JobRole(
            self,
            "Role",
            props=JobRoleProps(
                kind=PROCESSING,
                job_name_prefix=job.job_name_prefix,
                image_repository_arns=(repository_arn,),
                reads=tuple((artifacts, f"{job_input.key_prefix}/") for job_input in job.all_inputs.values()),
                writes=tuple((artifacts, f"{output.key_prefix}/") for output in job.outputs.values()),
                security_group="training",
                security_group_id=foundation.training_security_group_id,
                data_key_arn=foundation.data_key_arn,
            ),
        )
        return role.role_arn


# The shell takes its first argument for its own name ($0); the rest is the command, word by word.
_CODE_LAUNCHER = ("/bin/bash", "-c", f'cd {INPUT_PATH}/{CODE_INPUT} && exec "$@"', "process")
# The API reference says of transform jobs that AWS bills from start to end; of processing jobs it only names the two times.
_PAID_S = seconds_between("ProcessingStartTime", "ProcessingEndTime")
_BUCKET = "s3://${ArtifactBucketName}"
#: What an execution may be started with: other locations of inputs, by the name of the input.
INPUTS = "inputs"
_GIVEN = f"$states.context.Execution.Input.{INPUTS}"


def processing_state_machine_definition(props: ProcessingJobProps, *, partition: str) -> State:
    """Return the state machine definition, with placeholders for what the deployment knows."""
    attempts = tuple(
        JobAttempt(
            request=processing_job_request(props, attempt),
            ends_after_s=props.deadline_s,
            instance_count=attempt.instance_count,
            tried=attempt.instance_type,
            usd_per_hour=attempt.usd_per_hour and attempt.instance_count * attempt.usd_per_hour,
        )
        for attempt in props.attempts
    )
    return job_state_machine_definition(
        SageMakerJobs(PROCESSING, partition),
        attempts,
        job_name_prefix=props.job_name_prefix,
        totals={"processing_s": _PAID_S, **cost_totals(_PAID_S)},
        spent={"ProcessingTimeInSeconds": "$processing_s", "UsdOfInstances": USD},
        input_keys=(INPUTS,) if props.inputs else (),
        keys_below={INPUTS: tuple(props.inputs)},
    )


def processing_job_request(props: ProcessingJobProps, attempt: ProcessingAttempt) -> dict[str, object]:
    """Return the body of one attempt, without its name."""
    several = attempt.instance_count > 1
    network: dict[str, object] = {
        "EnableNetworkIsolation": props.enable_network_isolation,
        "VpcConfig": {
            "SecurityGroupIds": ["${SecurityGroupId}"],
            "Subnets": ["${SubnetIds}"],
        },
    }
    if several:
        network["EnableInterContainerTrafficEncryption"] = props.encrypt_inter_container_traffic
    cluster: dict[str, object] = {
        "InstanceType": attempt.instance_type,
        "InstanceCount": attempt.instance_count,
        "VolumeSizeInGB": attempt.volume_size_gib,
    }
    if attempt.volume_takes_key:
        # Refused for types with local disks, which their hardware encrypts (API reference, ProcessingClusterConfig).
        cluster["VolumeKmsKeyId"] = "${DataKeyArn}"
    application: dict[str, object] = {"ImageUri": props.image_uri}
    if props.code is not None:
        application["ContainerEntrypoint"] = [*_CODE_LAUNCHER, *props.code.command]
    request: dict[str, object] = {
        "AppSpecification": application,
        "RoleArn": "${RoleArn}",
        "ProcessingResources": {"ClusterConfig": cluster},
        "ProcessingInputs": [
            {
                "InputName": name,
                "S3Input": {
                    "S3Uri": _location(name, job_input.key_prefix, may_be_given=name in props.inputs),
                    "LocalPath": f"{INPUT_PATH}/{name}",
                    "S3DataType": "S3Prefix",
                    "S3InputMode": "Pipe" if job_input.is_pipe else "File",
                    "S3DataDistributionType": "ShardedByS3Key" if job_input.is_sharded else "FullyReplicated",
                },
            }
            for name, job_input in props.all_inputs.items()
        ],
        "ProcessingOutputConfig": {
            "Outputs": [
                {
                    "OutputName": name,
                    "S3Output": {
                        "S3Uri": f"{_BUCKET}/{output.key_prefix}/",
                        "LocalPath": f"{OUTPUT_PATH}/{name}",
                        "S3UploadMode": "Continuous" if output.is_continuous else "EndOfJob",
                    },
                }
                for name, output in props.outputs.items()
            ],
            "KmsKeyId": "${DataKeyArn}",
        },
        # The task is shorter, as it also waits for instances; this ends a job whose execution is gone.
        "StoppingCondition": {"MaxRuntimeInSeconds": LEFT_S},
        "NetworkConfig": network,
        "Environment": dict(sorted(props.environment_variables.items())),
        "Tags": [{"Key": key, "Value": value} for key, value in sorted(props.job_tags.items())],
    }
    # What is empty is left out.
    return {member: value for member, value in request.items() if value}


def _location(name: str, key_prefix: str, *, may_be_given: bool) -> str:
    """Return where an input is: below its prefix, or in another folder there that the execution is started with."""
    stated, given = f"{_BUCKET}/{key_prefix}/", f"{_GIVEN}.`{name}`"
    return f"{{% $exists({given}) ? {given} : '{stated}' %}}" if may_be_given else stated

"""The definition of jobs that AWS Batch runs: one container, and what SageMaker does around it.

https://docs.aws.amazon.com/batch/latest/userguide/job_definition_parameters.html. The program for that runs in the image of the
container, which must have Python.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_batch as batch
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.clusters.task_roles import execution_role, task_role
from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.run_access import RunAccess
from constructs_lib.log_group import add_log_group
from constructs_lib.policies.wildcards import acknowledge_wildcards
from sizewell.facts.batch import (
    HOST_LOST_PATTERN,
    KILLED_EXIT_CODE,
    MAX_ATTEMPTS,
    OUT_OF_MEMORY_PATTERN,
    TERMINATED_EXIT_CODE,
)

_PROGRAM_VARIABLE = "SIZEWELL_PROGRAM"
#: Batch cannot replace the entry point of an image. One may run its arguments as they are, or let a shell read them again, as
#: that of the AWS Deep Learning Containers does (https://github.com/aws/deep-learning-containers, start_with_right_hostname.sh).
#: Both come to the same Python here: what a shell takes for quotes are comments.
START = f"""0#'
from os import environ
exec(environ.pop("{_PROGRAM_VARIABLE}"))
#'"""


@dataclass(frozen=True, kw_only=True)
class BatchJobProps:
    """What runs, and what its container asks of an instance.

    ``program`` is the text of a Python program, which reads the variables and, for each job, ``RUN_NAME``. Of the artifact bucket
    it reads what lies below ``input_key_prefixes``, and ``artifact_key``, an object or a prefix that ends in a slash; it writes
    below ``output_key_prefix``. ``memory_mib`` is for the container alone.
    """

    job_name: str
    image_uri: str
    repository_arn: str
    program: str
    environment_variables: Mapping[str, str]
    input_key_prefixes: Sequence[str]
    output_key_prefix: str
    vcpus: int
    memory_mib: int
    gpu_count: int
    log_retention_days: int
    removal_policy: RemovalPolicy
    foundation: FoundationReferences
    log_stream_prefix: str
    artifact_key: str | None = None
    checkpoint_key_prefix: str | None = None


class BatchJob(Construct):
    """The definition, its log group and its two roles: that of the container, and that of the agent that starts it."""

    definition: batch.CfnJobDefinition

    def __init__(self, scope: Construct, construct_id: str, *, props: BatchJobProps) -> None:
        super().__init__(scope, construct_id)
        log_group = add_log_group(self, f"/aws/batch/{props.job_name}", props)
        properties = batch.CfnJobDefinition
        self.definition = batch.CfnJobDefinition(
            self,
            "Definition",
            job_definition_name=props.job_name,
            type="container",
            platform_capabilities=["EC2"],
            # An execution that runs while this is updated names the definition as it was when it began.
            resource_retention_policy=properties.ResourceRetentionPolicyProperty(
                skip_deregister_on_update=True
            ),
            propagate_tags=True,
            retry_strategy=_retries(),
            container_properties=properties.ContainerPropertiesProperty(
                image=props.image_uri,
                command=["python3", "-c", START],
                environment=_environment(props),
                execution_role_arn=execution_role(self, log_group, [props.repository_arn]).attr_arn,
                job_role_arn=_job_role(self, props).attr_arn,
                resource_requirements=_requirements(props),
                linux_parameters=properties.LinuxParametersProperty(
                    # Processes that load data pass it to each other there.
                    shared_memory_size=props.memory_mib // 2
                ),
                log_configuration=properties.LogConfigurationProperty(
                    log_driver="awslogs",
                    options={
                        "awslogs-group": log_group.ref,
                        "awslogs-region": Stack.of(self).region,
                        "awslogs-stream-prefix": props.log_stream_prefix,
                    },
                ),
            ),
        )


def _retries() -> batch.CfnJobDefinition.RetryStrategyProperty:
    """Try again where the host was lost, above all on Spot, and go on with what is left to do; where the program failed, do not.

    The system of a host that goes down may end the container first, or kill it, where its shell passes no SIGTERM on. Memory runs
    out each time. A job that somebody terminates is not tried again
    (https://docs.aws.amazon.com/batch/latest/userguide/job_retries.html). What matches nothing would be: hence the last one, of
    the five that Batch takes.
    """
    properties = batch.CfnJobDefinition.EvaluateOnExitProperty
    return batch.CfnJobDefinition.RetryStrategyProperty(
        attempts=MAX_ATTEMPTS,
        evaluate_on_exit=[
            properties(action="RETRY", on_status_reason=HOST_LOST_PATTERN),
            properties(action="EXIT", on_reason=OUT_OF_MEMORY_PATTERN),
            properties(action="RETRY", on_exit_code=str(TERMINATED_EXIT_CODE)),
            properties(action="RETRY", on_exit_code=str(KILLED_EXIT_CODE)),
            properties(action="EXIT", on_status_reason="*"),
        ],
    )


def _requirements(props: BatchJobProps) -> list[batch.CfnJobDefinition.ResourceRequirementProperty]:
    asked = {"VCPU": props.vcpus, "MEMORY": props.memory_mib, "GPU": props.gpu_count}
    return [
        batch.CfnJobDefinition.ResourceRequirementProperty(type=name, value=str(count))
        for name, count in asked.items()
        if count
    ]


def _environment(props: BatchJobProps) -> list[batch.CfnJobDefinition.EnvironmentProperty]:
    variables = {**props.environment_variables, _PROGRAM_VARIABLE: props.program}
    return [
        batch.CfnJobDefinition.EnvironmentProperty(name=name, value=value)
        for name, value in sorted(variables.items())
    ]


def _job_role(scope: Construct, props: BatchJobProps) -> iam.CfnRole:
    access = RunAccess(
        props.foundation,
        reads=props.input_key_prefixes,
        output_key_prefix=props.output_key_prefix,
        checkpoint_key_prefix=props.checkpoint_key_prefix,
        partition=Stack.of(scope).partition,
        artifact_key=props.artifact_key,
    )
    role = task_role(scope, "JobRole", access.statements())
    acknowledge_wildcards(scope.node.find_child("JobRolePolicy"), *access.wildcards())
    return role

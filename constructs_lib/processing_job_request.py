"""The body of a SageMaker ``CreateProcessingJob`` request, and the attempts of a workflow that sends it, as plain data.

CloudFormation's processing job runs once, when it is deployed, so the request is embedded in a Step Functions task. Members:
https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateProcessingJob.html
"""

from constructs_lib.job_cost import USD, cost_totals, seconds_between
from constructs_lib.job_kind import PROCESSING
from constructs_lib.job_state_machine_definition import LEFT_S, JobAttempt, job_state_machine_definition
from constructs_lib.processing_job import ProcessingAttempt, ProcessingJobProps
from constructs_lib.state_language import State
from sizewell.facts.processing_jobs import CODE_INPUT, INPUT_PATH, OUTPUT_PATH

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
        PROCESSING,
        attempts,
        job_name_prefix=props.job_name_prefix,
        partition=partition,
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
                    "S3Uri": _location(name, one.key_prefix, may_be_given=name in props.inputs),
                    "LocalPath": f"{INPUT_PATH}/{name}",
                    "S3DataType": "S3Prefix",
                    "S3InputMode": "Pipe" if one.is_pipe else "File",
                    "S3DataDistributionType": "ShardedByS3Key" if one.is_sharded else "FullyReplicated",
                },
            }
            for name, one in props.all_inputs.items()
        ],
        "ProcessingOutputConfig": {
            "Outputs": [
                {
                    "OutputName": name,
                    "S3Output": {
                        "S3Uri": f"{_BUCKET}/{one.key_prefix}/",
                        "LocalPath": f"{OUTPUT_PATH}/{name}",
                        "S3UploadMode": "Continuous" if one.is_continuous else "EndOfJob",
                    },
                }
                for name, one in props.outputs.items()
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

"""A processing workflow: its requests, its state machine, and what each of its roles may do."""

import json
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Match, Template

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.processing_job import (
    ProcessingAttempt,
    ProcessingInput,
    ProcessingJobError,
    ProcessingJobProps,
    ProcessingOutput,
)
from constructs_lib.jobs.processing_workflow import (
    ProcessingWorkflow,
    ProcessingWorkflowProps,
    processing_job_request,
    processing_state_machine_definition,
)
from constructs_lib.jobs.training_job import TrainingCode
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from tests.constructs_lib.jobs.jsonata_states import evaluated, following
from tests.constructs_lib.resources import Json, statements_of

NAME = "demo-dev-clean"
HERE = "us-east-1:111122223333"
IMAGE = "683313688378.dkr.ecr.us-east-1.amazonaws.com/sagemaker-scikit-learn:1.9-0"
ON_VOLUME = ProcessingAttempt(
    instance_type="ml.m5.xlarge", instance_count=2, volume_size_gib=100, usd_per_hour=0.25
)
ON_DISKS = ProcessingAttempt(instance_type="ml.r5d.xlarge")


def job(**changes: Any) -> ProcessingJobProps:
    values: Json = {
        "job_name_prefix": NAME,
        "image_uri": IMAGE,
        "attempts": (ON_VOLUME, ON_DISKS),
        "inputs": {"orders": ProcessingInput(key_prefix="orders/in", is_pipe=True, is_sharded=True)},
        "outputs": {"clean": ProcessingOutput(key_prefix="orders/out", is_continuous=True)},
        "code": TrainingCode(key_prefix="code/clean", command=("python3", "clean.py")),
        "environment_variables": {"LOG_LEVEL": "info"},
        "deadline_s": 7200,
        "job_tags": {"workload": "clean"},
    }
    return ProcessingJobProps(**(values | changes))


def test_a_request_has_every_member() -> None:
    assert processing_job_request(job(), ON_VOLUME) == {
        "AppSpecification": {
            "ImageUri": IMAGE,
            "ContainerEntrypoint": [
                "/bin/bash",
                "-c",
                'cd /opt/ml/processing/input/code && exec "$@"',
                "process",
                "python3",
                "clean.py",
            ],
        },
        "RoleArn": "${RoleArn}",
        "ProcessingResources": {
            "ClusterConfig": {
                "InstanceType": "ml.m5.xlarge",
                "InstanceCount": 2,
                "VolumeSizeInGB": 100,
                "VolumeKmsKeyId": "${DataKeyArn}",
            }
        },
        "ProcessingInputs": [
            {
                "InputName": "orders",
                "S3Input": {
                    "S3Uri": "{% $exists($states.context.Execution.Input.inputs.`orders`) ? "
                    "$states.context.Execution.Input.inputs.`orders` : 's3://${ArtifactBucketName}/orders/in/' %}",
                    "LocalPath": "/opt/ml/processing/input/orders",
                    "S3DataType": "S3Prefix",
                    "S3InputMode": "Pipe",
                    "S3DataDistributionType": "ShardedByS3Key",
                },
            },
            {
                "InputName": "code",
                "S3Input": {
                    "S3Uri": "s3://${ArtifactBucketName}/code/clean/",
                    "LocalPath": "/opt/ml/processing/input/code",
                    "S3DataType": "S3Prefix",
                    "S3InputMode": "File",
                    "S3DataDistributionType": "FullyReplicated",
                },
            },
        ],
        "ProcessingOutputConfig": {
            "Outputs": [
                {
                    "OutputName": "clean",
                    "S3Output": {
                        "S3Uri": "s3://${ArtifactBucketName}/orders/out/",
                        "LocalPath": "/opt/ml/processing/output/clean",
                        "S3UploadMode": "Continuous",
                    },
                }
            ],
            "KmsKeyId": "${DataKeyArn}",
        },
        "StoppingCondition": {"MaxRuntimeInSeconds": "{% $left_s %}"},
        "NetworkConfig": {
            "EnableNetworkIsolation": True,
            "VpcConfig": {"SecurityGroupIds": ["${SecurityGroupId}"], "Subnets": ["${SubnetIds}"]},
            "EnableInterContainerTrafficEncryption": True,
        },
        "Environment": {"LOG_LEVEL": "info"},
        "Tags": [{"Key": "workload", "Value": "clean"}],
    }


def test_what_is_not_asked_for_is_left_out() -> None:
    plain = job(inputs={}, code=None, environment_variables={}, job_tags={})
    request: Any = processing_job_request(plain, ON_DISKS)
    assert not {"ProcessingInputs", "Environment", "Tags"} & request.keys()
    assert request["AppSpecification"] == {"ImageUri": IMAGE}
    assert request["ProcessingResources"]["ClusterConfig"] == {
        "InstanceType": "ml.r5d.xlarge",
        "InstanceCount": 1,
        "VolumeSizeInGB": 30,
    }
    assert request["NetworkConfig"] == {
        "EnableNetworkIsolation": True,
        "VpcConfig": {"SecurityGroupIds": ["${SecurityGroupId}"], "Subnets": ["${SubnetIds}"]},
    }


def test_the_jobs_are_processing_jobs_which_have_no_secondary_status() -> None:
    definition: Any = processing_state_machine_definition(job(), partition="aws-cn")
    states = definition["States"]
    assert states["Run2"]["Resource"] == "arn:aws-cn:states:::sagemaker:createProcessingJob.sync"
    assert states["StopJob"]["Resource"] == "arn:aws-cn:states:::aws-sdk:sagemaker:stopProcessingJob"
    assert states["DescribeJob"]["Resource"] == "arn:aws-cn:states:::aws-sdk:sagemaker:describeProcessingJob"
    assert not any("SecondaryStatus" in json.dumps(state) for state in states.values())


def test_a_run_may_be_given_another_folder_of_an_input() -> None:
    request: Any = processing_job_request(job(), ON_DISKS)
    location = request["ProcessingInputs"][0]["S3Input"]["S3Uri"]
    given = {"Execution": {"Input": {"inputs": {"orders": "s3://bucket/orders/in/friday/"}}}}
    assert evaluated(location, context=given) == "s3://bucket/orders/in/friday/"
    assert evaluated(location, context={"Execution": {"Input": {}}}).endswith("/orders/in/")
    definition: Any = processing_state_machine_definition(job(), partition="aws")
    reads = definition["States"]["ReadInput"]
    known = {"AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID": "arn", **given["Execution"]["Input"]}
    assert following(reads, known)[0] == "NameJob1"
    assert following(reads, {"inputs": {"code": "s3://bucket/a/"}})[0] == "InputRefused"


@pytest.mark.parametrize(
    "changes",
    [
        {"attempts": ()},
        {"outputs": {}},
        {"deadline_s": 777_601},
        {"inputs": {"code": ProcessingInput(key_prefix="a")}},
        {"inputs": {f"in{n}": ProcessingInput(key_prefix="a") for n in range(10)}},
        {"environment_variables": {"A": "{% b %}"}},
    ],
)
def test_what_sagemaker_would_refuse_is_refused(changes: Json) -> None:
    with pytest.raises(ProcessingJobError):
        job(**changes)


@pytest.fixture
def template(stack: Stack, foundation: FoundationReferences) -> Template:
    ProcessingWorkflow(
        stack,
        "Processing",
        props=ProcessingWorkflowProps(
            workload_name="clean",
            state_machine_name=NAME,
            job=job(),
            schedule=TrainingScheduleTiming(expression="cron(0 1 * * ? *)", time_zone="Europe/Berlin"),
            foundation=foundation,
        ),
    )
    return Template.from_stack(stack)


@pytest.mark.cdk
def test_the_machine_may_run_its_own_jobs_and_passes_its_own_role(template: Template) -> None:
    statements = statements_of(template.to_json(), "states.amazonaws.com")
    (jobs,) = [s for s in statements if "sagemaker:CreateProcessingJob" in s["Action"]]
    assert jobs == {
        "Effect": "Allow",
        "Action": [
            "sagemaker:AddTags",
            "sagemaker:CreateProcessingJob",
            "sagemaker:DescribeProcessingJob",
            "sagemaker:ListTags",
            "sagemaker:StopProcessingJob",
        ],
        "Resource": f"arn:aws:sagemaker:{HERE}:processing-job/{NAME}-*",
    }
    (rule,) = [s["Resource"] for s in statements if "events:PutRule" in s["Action"]]
    assert rule == f"arn:aws:events:{HERE}:rule/StepFunctionsGetEventsForSageMakerProcessingJobsRule"
    (passed,) = [s for s in statements if s["Action"] == ["iam:PassRole"]]
    assert passed["Condition"] == {"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}}
    template.has_resource_properties(
        "AWS::StepFunctions::StateMachine",
        {"DefinitionSubstitutions": {"RoleArn": passed["Resource"], "ArtifactBucketName": Match.any_value()}},
    )


@pytest.mark.cdk
def test_the_job_reads_inputs_and_script_and_writes_outputs(
    template: Template, foundation: FoundationReferences
) -> None:
    statements = statements_of(template.to_json(), "sagemaker.amazonaws.com")
    bucket = f"arn:aws:s3:::{foundation.artifact_bucket_name}"
    by_action = {tuple(s["Action"]): s for s in statements}
    assert by_action[("s3:GetObject",)]["Resource"] == [f"{bucket}/orders/in/*", f"{bucket}/code/clean/*"]
    write = ("s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject")
    assert by_action[write]["Resource"] == [f"{bucket}/orders/out/*"]
    logs = by_action[("logs:PutLogEvents",)]["Resource"]
    assert logs == f"arn:aws:logs:{HERE}:log-group:/aws/sagemaker/ProcessingJobs:log-stream:{NAME}-*"
    (metrics,) = [s for s in statements if "cloudwatch:PutMetricData" in s["Action"]]
    assert metrics["Condition"] == {"StringEquals": {"cloudwatch:namespace": "/aws/sagemaker/ProcessingJobs"}}

"""A batch transform: its requests, its model, and what each of its roles may do."""

import json
from typing import Any

import pytest
from aws_cdk import Stack
from aws_cdk.assertions import Match, Template

from constructs_lib.foundation.references import FoundationReferences
from constructs_lib.jobs.batch_transform import (
    BatchTransform,
    BatchTransformProps,
    transform_job_request,
    transform_state_machine_definition,
)
from constructs_lib.jobs.transform_job import (
    TransformAttempt,
    TransformInput,
    TransformJobError,
    TransformJobProps,
)
from constructs_lib.workflows.schedule_expression import TrainingScheduleTiming
from tests.constructs_lib.resources import Json, statements_of

NAME = "demo-dev-scores"
HERE = "us-east-1:111122223333"
ON_VOLUME = TransformAttempt(instance_type="ml.c6i.large", max_concurrent_transforms=2, usd_per_hour=0.5)
ON_DISKS = TransformAttempt(instance_type="ml.g5.xlarge", instance_count=3)


def job(**changes: Any) -> TransformJobProps:
    values: Json = {
        "job_name_prefix": NAME,
        "attempts": (ON_VOLUME, ON_DISKS),
        "data": TransformInput(key_prefix="rows/in", content_type="text/csv"),
        "output_key_prefix": "rows/out",
        "deadline_s": 7200,
        "accept": "text/csv",
        "join_input": True,
        "input_filter": "$[1:]",
        "output_filter": "$[0,-1]",
        "job_tags": {"workload": "scores"},
    }
    return TransformJobProps(**(values | changes))


def test_a_request_has_every_member() -> None:
    request = transform_job_request(job(), ON_VOLUME)
    assert request == {
        "ModelName": "${ModelName}",
        "TransformInput": {
            "DataSource": {
                "S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": "s3://${ArtifactBucketName}/rows/in/"}
            },
            "ContentType": "text/csv",
            "SplitType": "Line",
            "CompressionType": "None",
        },
        "TransformOutput": {
            "S3OutputPath": "{% 's3://${ArtifactBucketName}/rows/out/' & $states.context.Execution.Name & '/' %}",
            "KmsKeyId": "${DataKeyArn}",
            "AssembleWith": "Line",
            "Accept": "text/csv",
        },
        "TransformResources": {
            "InstanceType": "ml.c6i.large",
            "InstanceCount": 1,
            "VolumeKmsKeyId": "${DataKeyArn}",
        },
        "MaxConcurrentTransforms": 2,
        "MaxPayloadInMB": 6,
        "ModelClientConfig": {"InvocationsTimeoutInSeconds": 600, "InvocationsMaxRetries": 3},
        "BatchStrategy": "MultiRecord",
        "DataProcessing": {"InputFilter": "$[1:]", "OutputFilter": "$[0,-1]", "JoinSource": "Input"},
        "Tags": [{"Key": "workload", "Value": "scores"}],
    }


def test_what_is_not_asked_for_is_left_out() -> None:
    plain = job(
        data=TransformInput(key_prefix="rows/in", content_type="image/jpeg", split_type="None"),
        batch_strategy=None,
        accept=None,
        join_input=False,
        input_filter=None,
        output_filter=None,
    )
    request = transform_job_request(plain, ON_DISKS)
    assert not {"BatchStrategy", "DataProcessing"} & request.keys()
    assert request["TransformResources"] == {"InstanceType": "ml.g5.xlarge", "InstanceCount": 3}
    output = request["TransformOutput"]
    assert isinstance(output, dict)
    assert output["AssembleWith"] == "None"
    assert "Accept" not in output


def test_the_jobs_are_transform_jobs_which_have_no_secondary_status() -> None:
    definition: Any = transform_state_machine_definition(job(), partition="aws-cn")
    states = definition["States"]
    assert states["Transform2"]["Resource"] == "arn:aws-cn:states:::sagemaker:createTransformJob.sync"
    assert states["DeadlineExceeded"]["Next"] == "TransformFailed"
    assert not any("SecondaryStatus" in json.dumps(state) for state in states.values())


@pytest.mark.parametrize(
    "changes",
    [
        {"max_payload_mb": 60},
        {"max_payload_mb": 101},
        {"attempts": ()},
        {"invocation_retries": 4},
        {"input_filter": "$" + "a" * 63},
        {"data": TransformInput(key_prefix="rows", content_type="text/csv", split_type="None")},
        {"deadline_s": 0},
    ],
)
def test_what_sagemaker_would_refuse_is_refused(changes: Json) -> None:
    with pytest.raises(TransformJobError):
        job(**changes)


@pytest.fixture
def template(stack: Stack, foundation: FoundationReferences) -> Template:
    BatchTransform(
        stack,
        "Transform",
        props=BatchTransformProps(
            workload_name="scores",
            state_machine_name=NAME,
            image_uri="763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-inference:2.6.0-cpu",
            artifact_key="models/scores/model.tar.gz",
            environment_variables={"LOG_LEVEL": "info"},
            job=job(),
            schedule=TrainingScheduleTiming(expression="cron(0 2 * * ? *)", time_zone="Europe/Berlin"),
            foundation=foundation,
        ),
    )
    return Template.from_stack(stack)


@pytest.mark.cdk
def test_the_model_is_isolated_in_the_private_subnets(
    template: Template, foundation: FoundationReferences
) -> None:
    artifact = f"s3://{foundation.artifact_bucket_name}/models/scores/model.tar.gz"
    template.has_resource_properties(
        "AWS::SageMaker::Model",
        {
            "EnableNetworkIsolation": True,
            "VpcConfig": {
                "Subnets": ["subnet-0000000000000000a", "subnet-0000000000000000b"],
                "SecurityGroupIds": [Match.any_value()],
            },
            "PrimaryContainer": {
                "Environment": {"LOG_LEVEL": "info"},
                # Transform jobs take no ModelDataSource.
                "ModelDataUrl": artifact,
                "ModelDataSource": Match.absent(),
            },
            "ModelName": Match.absent(),
        },
    )


@pytest.mark.cdk
def test_the_machine_may_run_its_own_jobs_and_passes_no_role(template: Template) -> None:
    statements = statements_of(template.to_json(), "states.amazonaws.com")
    jobs = [s for s in statements if "sagemaker:CreateTransformJob" in s["Action"]]
    assert jobs == [
        {
            "Effect": "Allow",
            "Action": [
                "sagemaker:AddTags",
                "sagemaker:CreateTransformJob",
                "sagemaker:DescribeTransformJob",
                "sagemaker:ListTags",
                "sagemaker:StopTransformJob",
            ],
            "Resource": f"arn:aws:sagemaker:{HERE}:transform-job/{NAME}-*",
        }
    ]
    (rule,) = [s["Resource"] for s in statements if "events:PutRule" in s["Action"]]
    assert rule == f"arn:aws:events:{HERE}:rule/StepFunctionsGetEventsForSageMakerTransformJobsRule"
    assert not any("iam:PassRole" in s["Action"] for s in statements)


@pytest.mark.cdk
def test_the_model_reads_its_artifact_and_rows_and_writes_results(
    template: Template, foundation: FoundationReferences
) -> None:
    statements = statements_of(template.to_json(), "sagemaker.amazonaws.com")
    bucket = f"arn:aws:s3:::{foundation.artifact_bucket_name}"
    by_action = {tuple(s["Action"]): s for s in statements}
    assert by_action[("s3:GetObject",)]["Resource"] == [
        f"{bucket}/models/scores/model.tar.gz",
        f"{bucket}/rows/in/*",
    ]
    write = ("s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject")
    assert by_action[write]["Resource"] == [f"{bucket}/rows/out/*"]
    (metrics,) = [s for s in statements if "cloudwatch:PutMetricData" in s["Action"]]
    assert metrics["Condition"] == {"StringEquals": {"cloudwatch:namespace": "/aws/sagemaker/TransformJobs"}}
    logs = by_action[("logs:PutLogEvents",)]["Resource"]
    assert logs == f"arn:aws:logs:{HERE}:log-group:/aws/sagemaker/TransformJobs:log-stream:{NAME}-*"


@pytest.mark.cdk
def test_people_hear_of_bad_ends_and_lost_starts(template: Template) -> None:
    template.has_resource_properties(
        "AWS::Events::Rule",
        {
            "EventPattern": {
                "source": ["aws.states"],
                "detail": {"status": ["TIMED_OUT", "ABORTED"]},
            },
            "Targets": [
                {"InputTransformer": {"InputTemplate": Match.string_like_regexp('"workload": "scores"')}}
            ],
        },
    )
    template.has_resource_properties(
        "AWS::CloudWatch::Alarm",
        {
            "Namespace": "AWS/SQS",
            "MetricName": "ApproximateNumberOfMessagesVisible",
            "Dimensions": [{"Name": "QueueName", "Value": Match.any_value()}],
        },
    )
